"""Commands about models with two levels, and about the tree between them."""

import json
import random
import re

import numpy as np
import pytest
from tests.cli.runner import SHARED, SUBJECTS, run

from leantopics import LDA, ParsimoniousTopicModel, read_corpus


def bursty_documents(n=120):
    """Two subjects; each document repeats the few words that it began with."""
    draw = random.Random(0)
    for d in range(n):
        subject = list(SUBJECTS)[d % 2]
        own = draw.sample(SUBJECTS[subject], 3)
        words = draw.choices(SUBJECTS[subject], k=10) + draw.choices(SHARED, k=15)
        words += [word for word in own for _ in range(8)]
        yield {"id": f"doc{d}", "text": " ".join(words), "label": subject}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("levels") / "texts.jsonl"
    lines = [json.dumps(record) + "\n" for record in bursty_documents()]
    path.write_text("".join(lines))
    return path


@pytest.fixture(scope="module")
def saved(corpus):
    path = corpus.parent / "model"
    result = run("fit", corpus, "-o", path)
    assert result.exit_code == 0, result.output
    return path


@pytest.fixture(scope="module")
def model(saved):
    found = ParsimoniousTopicModel.load(saved)
    assert found.n_topics_ < found.finer_.n_topics_
    return found


def printed(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def rows(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return [line.split("\t") for line in result.stdout.splitlines()]


def test_fit_says_how_many_of_both(corpus, model, tmp_path):
    told = run("fit", corpus, "-o", tmp_path / "m").stderr
    numbers = f"{model.n_topics_} themes made of {model.finer_.n_topics_} topics"
    assert re.search(rf"\n{numbers}, \d\.\d\d themes per document, ", told)


@pytest.mark.parametrize("options", [["--no-themes"], ["--evidence", "words"]])
def test_topics_alone(corpus, model, options, tmp_path):
    run("fit", corpus, "-o", tmp_path / "m", *options)
    alone = ParsimoniousTopicModel.load(tmp_path / "m")
    assert alone.finer_ is None
    assert alone.bic_ == model.finer_.bic_


def test_topics_are_below_their_themes(saved, model):
    head, *found = rows("topics", saved)
    assert head[:3] == ["theme", "topic", "name"]
    themes = [row for row in found if row[1] == ""]
    assert [row[2] for row in themes] == model.topic_names
    below = [(int(row[0]), int(row[1])) for row in found if row[1]]
    assert sorted(below) == sorted((k, j) for j, k in enumerate(model.parents_))
    assert {row[2] for row in found if row[1]} == set(model.finer_.topic_names)


def test_json_of_both_levels(saved, model):
    document = printed("topics", saved, "--json")
    numbers = document["n_themes"], document["n_topics"]
    assert numbers == (model.n_topics_, model.finer_.n_topics_)
    for k, theme in enumerate(document["themes"]):
        assert (theme["theme"], theme["name"]) == (k, model.topic_names[k])
        topics = [topic["topic"] for topic in theme["topics"]]
        assert topics == np.flatnonzero(model.parents_ == k).tolist()


@pytest.mark.parametrize("options", [["--flat"], ["--level", "topics"]])
def test_the_finer_topics(saved, model, options):
    document = printed("topics", saved, "--json", *options)
    names = [topic["name"] for topic in document["topics"]]
    assert names == model.finer_.topic_names


def test_themes_alone(saved, model):
    document = printed("topics", saved, "--json", "--level", "themes")
    assert [topic["name"] for topic in document["topics"]] == model.topic_names


def test_another_number_of_groups(saved, model):
    n = model.n_topics_ + 1
    document = printed("topics", saved, "--json", "--level", n)
    shown = [topic["name"] for topic in document["topics"]]
    assert shown == model.at(n).topic_names
    nested = printed("topics", saved, "--json", "--themes", n)["themes"]
    groups = model.hierarchy().cut(n)
    for k, theme in enumerate(nested):
        topics = [topic["topic"] for topic in theme["topics"]]
        assert topics == np.flatnonzero(groups == k).tolist()


def test_the_tree(saved, model):
    tree = model.hierarchy()
    head, *found = rows("tree", saved)
    assert head[:3] == ["groups", "price", "share"]
    assert [int(row[0]) for row in found] == [*range(1, tree.n_topics)]
    prices = [float(row[1]) for row in found]
    np.testing.assert_allclose(prices, tree.prices[::-1], atol=0.06)
    assert found[0][4] == "all topics"
    assert printed("tree", saved, "--json") == tree.to_dict()
    assert run("tree", saved, "--newick").stdout == tree.to_newick() + "\n"


@pytest.mark.parametrize("level", ["themes", "topics", "2"])
def test_documents_at_a_level(saved, model, corpus, level):
    lines = run("infer", saved, corpus, "--level", level, "--json").stdout
    most = [json.loads(each)["topics"][0][0] for each in lines.splitlines()]
    below = {"themes": model, "topics": model.finer_, "2": model.at(2)}[level]
    shares = below.transform(read_corpus(corpus))
    assert most == shares.argmax(axis=1).tolist()


@pytest.mark.parametrize("level", ["themes", "topics"])
def test_groups_at_a_level(saved, model, corpus, level):
    asked = ("groups", saved, corpus, "--by", "labels", "--level", level, "--json")
    below = model if level == "themes" else model.finer_
    names = {row["name"] for row in printed(*asked)}
    assert names <= set(below.topic_names)


def test_evaluate_at_a_level(saved, model, corpus):
    themes = printed("evaluate", saved, corpus, "--json")
    topics = printed("evaluate", saved, corpus, "--level", "topics", "--json")
    numbers = themes["n_topics"], topics["n_topics"]
    assert numbers == (model.n_topics_, model.finer_.n_topics_)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["topics", "--level", "themes"], "a model with themes"),
        (["topics", "--level", "99"], "n_topics must be from 2 to"),
    ],
)
def test_levels_that_are_not_there(corpus, arguments, message, tmp_path):
    run("fit", corpus, "-o", tmp_path / "m", "--no-themes")
    command, *options = arguments
    result = run(command, tmp_path / "m", *options)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["topics", "--level", "2"], "a hierarchy of topics"),
        (["topics", "--themes", "2"], "a hierarchy of topics"),
        (["tree"], "a model of class LDA"),
    ],
)
def test_models_without_prices(corpus, arguments, message, tmp_path):
    LDA(3, random_state=0).fit(read_corpus(corpus)).save(tmp_path / "lda")
    command, *options = arguments
    result = run(command, tmp_path / "lda", *options)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
