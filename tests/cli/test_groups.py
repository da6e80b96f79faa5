import json

import pytest
from tests.cli.runner import run

from leantopics import ParsimoniousTopicModel, TextVectorizer, read_corpus
from leantopics.groups import groups_of, topic_shares


@pytest.fixture
def shares(folder):
    model = ParsimoniousTopicModel.load(folder / "texts")
    vectorizer = TextVectorizer.from_dict(model.analyser_)
    corpus = read_corpus(folder / "texts.jsonl", vectorizer=vectorizer)
    length = corpus.counts.sum(axis=1)
    return topic_shares(model.transform(corpus), length, groups_of(corpus, "labels"))


def test_the_shares_of_each_group(folder, shares):
    result = run("groups", folder / "texts", folder / "texts.jsonl", "--by", "labels")
    assert (result.exit_code, result.stderr) == (0, "")
    head, *lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert head == "group documents topic share low high name".split()
    assert len(lines) == len(shares) == 4
    for line, share in zip(lines, shares, strict=True):
        told = [share.group, share.documents, share.topic]
        assert line[:3] == [str(value) for value in told]
        ends = [share.share, share.low, share.high]
        assert line[3:6] == [f"{value:.4f}" for value in ends]
        assert len(line[6].split()) == 3
    assert float(lines[0][3]) > 0.9 or float(lines[1][3]) > 0.9


def test_json_of_one_topic(folder, shares):
    result = run(
        "groups", folder / "texts", folder / "texts.jsonl", "--by", "labels",
        "--topic", 1, "--json",
    )  # fmt: skip
    rows = json.loads(result.stdout)
    assert [row.pop("name") for row in rows]
    assert rows == [share._asdict() for share in shares if share.topic == 1]
