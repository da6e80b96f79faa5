"""Eight textures, drawn by formulas: topics know them apart."""

import numpy as np
import pytest

from leantopics import ParsimoniousTopicModel
from leantopics.evaluation import label_agreement
from leantopics.images import VisualWords, read_images


@pytest.mark.parametrize("seed", [0, 1])
def test_topics_recover_the_classes(textures, seed):
    words = VisualWords(n_sampled=20_000, random_state=seed, n_jobs=-1)
    train = read_images(textures / "train", words=words)
    test = read_images(textures / "test", words=words)
    model = ParsimoniousTopicModel(
        evidence="words", max_topics=20, random_state=seed
    ).fit(train)
    found = label_agreement(
        model.topic_proportions_, train.labels, model.transform(test), test.labels
    )
    assert found.n_documents == 48
    assert found.accuracy >= 0.9
    assert found.mutual_information >= 0.8
    by_chance = np.random.default_rng(seed).permutation(len(test))
    shuffled = [test.labels[d] for d in by_chance]
    wrong = label_agreement(
        model.topic_proportions_, train.labels, model.transform(test), shuffled
    )
    assert wrong.accuracy < 0.5
