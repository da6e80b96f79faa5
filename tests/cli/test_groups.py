import json
import random

import pytest
from tests.cli.runner import SUBJECTS, documents, run

from leantopics import ParsimoniousTopicModel, TextVectorizer, read_corpus
from leantopics.analysis.groups import groups_of, topic_shares
from leantopics.report import summarise


@pytest.fixture
def shares(folder):
    model = ParsimoniousTopicModel.load(folder / "texts")
    vectorizer = TextVectorizer.from_dict(model.analyser_)
    corpus = read_corpus(folder / "texts.jsonl", vectorizer=vectorizer)
    length = corpus.counts.sum(axis=1)
    return topic_shares(model.topic_proportions_, length, groups_of(corpus, "labels"))


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


@pytest.fixture
def mixed(tmp_path):
    """Texts of both subjects, some without a kind, and a model of them."""
    draw = random.Random(0)
    both = [*SUBJECTS["sea"], *SUBJECTS["wood"]]
    records = [
        *documents(),
        *({"text": " ".join(draw.choices(both, k=12))} for _ in range(20)),
    ]
    kinds = [{"kind": "ab"[n % 2]} if n % 20 else {} for n in range(len(records))]
    lines = [json.dumps(r | k) for r, k in zip(records, kinds, strict=True)]
    texts = tmp_path / "texts.jsonl"
    texts.write_text("\n".join(lines) + "\n")
    model = tmp_path / "model"
    assert run("fit", texts, "-o", model, "--topics", 2).exit_code == 0
    return model, texts


def test_the_numbers_are_those_of_the_report(mixed):
    model, texts = mixed
    result = run("groups", model, texts, "--by", "kind", "--json")
    assert (result.exit_code, result.stderr) == (
        0,
        "Left out: 3 documents without kind.\n",
    )
    loaded = ParsimoniousTopicModel.load(model)
    corpus = read_corpus(texts, vectorizer=TextVectorizer.from_dict(loaded.analyser_))
    groups, length = groups_of(corpus, "kind"), corpus.counts.sum(axis=1)
    rows = json.loads(result.stdout)
    fitted = topic_shares(loaded.topic_proportions_, length, groups)
    inferred = topic_shares(loaded.transform(corpus), length, groups)
    assert [row["share"] for row in rows] == [share.share for share in fitted]
    assert [share.share for share in fitted] != [share.share for share in inferred]
    (shown,) = summarise(loaded, corpus, by="kind")["groups"]
    assert shown["without"] == 3
    for row in rows:
        point = shown["points"][row["topic"]][shown["names"].index(row["group"])]
        here = [row["share"], row["low"], row["high"]]
        assert point == pytest.approx(here, abs=1e-5)
    asked = run(
        "groups", model, texts, "--by", "kind", "--json", "--inference", "sparse"
    )
    shares = [row["share"] for row in json.loads(asked.stdout)]
    assert shares == [share.share for share in inferred]


def test_other_documents_have_their_topics_inferred_as_in_the_report(mixed):
    model, texts = mixed
    command = ("groups", model, texts, "--by", "kind", "--json", "--where", "kind=a")
    rows = json.loads(run(*command).stdout)
    loaded = ParsimoniousTopicModel.load(model)
    vectorizer = TextVectorizer.from_dict(loaded.analyser_)
    corpus = read_corpus(texts, vectorizer=vectorizer, where={"kind": "a"})
    (shown,) = summarise(loaded, corpus, by="kind")["groups"]
    points = {row["topic"]: shown["points"][row["topic"]][0][0] for row in rows}
    told = {row["topic"]: row["share"] for row in rows}
    assert points == pytest.approx(told, abs=1e-5)


def test_groups_without_words_are_refused_in_a_sentence(folder, tmp_path):
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"text": "zebras", "kind": "a"}\n{"text": "boats"}\n')
    result = run("groups", folder / "texts", texts, "--by", "kind")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "To group by 'kind', some document must have" in result.stderr
