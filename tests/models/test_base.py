import numpy as np
import pandas as pd
import pytest

from leantopics import LDA, ParsimoniousTopicModel, count_texts

TEXTS = ["cat dog", "dog dog", "cat cat"] * 4


@pytest.mark.parametrize("model", [ParsimoniousTopicModel(1), LDA(1)])
@pytest.mark.parametrize(
    "texts", [TEXTS, tuple(TEXTS), np.array(TEXTS), pd.Series(TEXTS)]
)
def test_texts_are_not_counts(model, texts):
    with pytest.raises(ValueError, match=r"Got texts instead: .*count_texts"):
        model.fit(texts)
    fitted = type(model)(1).fit(count_texts(TEXTS).counts)
    with pytest.raises(ValueError, match="does not know how to count"):
        fitted.transform(texts)


def test_a_notebook_counts_topics():
    model = LDA(1).fit(count_texts(TEXTS))
    assert "1 topic in 12 documents." in model._repr_mimebundle_()["text/html"]
