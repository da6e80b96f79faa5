import json

import pytest
from tests.cli.runner import SUBJECTS, run

from leantopics import LDA, ParsimoniousTopicModel, read_corpus
from leantopics.models import load_model


@pytest.fixture
def model(folder, tmp_path):
    run("fit", folder / "texts.jsonl", "-o", tmp_path / "m", "--topics", 2)
    return tmp_path / "m"


def names(model):
    topics = json.loads(run("topics", model, "--json").stdout)["topics"]
    return [topic["name"] for topic in topics]


def test_named_topics_are_shown_by_their_names(model):
    assert names(model) == load_model(model).topic_names
    result = run("name", model, "1=The wood")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"1 topic named in {model}.\n"
    first, second = names(model)
    assert len(first.split()) == 3
    assert second == "The wood"
    run("name", model, "0= Sea = water ")
    assert names(model) == ["Sea = water", "The wood"]


def test_any_model_can_have_names(folder, tmp_path):
    corpus = read_corpus(folder / "texts.jsonl")
    LDA(2, random_state=0).fit(corpus).save(tmp_path / "lda")
    assert run("name", tmp_path / "lda", "0=a", "1=b").exit_code == 0
    assert names(tmp_path / "lda") == ["a", "b"]


def test_the_report_has_them(model, tmp_path):
    run("name", model, "0=Open <sea>")
    run("report", model, "-o", tmp_path / "r.html")
    assert "Open &lt;sea&gt;" in (tmp_path / "r.html").read_text()


def packet(model):
    result = run("name", model, "--packet")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_packet_has_what_tells_about_each_topic(folder, model):
    before = load_model(model).topic_names
    lines = packet(model)
    assert [line["topic"] for line in lines] == [0, 1]
    assert [line["name"] for line in lines] == before
    for j, line in enumerate(lines):
        shown = [word for word, _ in load_model(model).top_words(j, 20)]
        assert line["words"] == shown
        assert line["nearest"] == {"topic": 1 - j, "name": before[1 - j]}
        own = SUBJECTS["sea" if "boats" in shown else "wood"]
        assert set(own) <= set(line["contrast"])
        assert len(line["documents"]) == 5
        assert set(line["documents"][0]) == {"id"}
        answer = json.loads(line["instruction"].split("JSON: ")[1])
        assert answer == {"topic": j, "name": "..."}
    assert load_model(model).topic_names == before


def test_a_packet_has_texts_that_are_kept(folder, tmp_path):
    source = folder / "texts.jsonl"
    run("fit", source, "-o", tmp_path / "m", "--topics", 2, "--keep-text")
    texts = {
        r["id"]: r["text"] for r in map(json.loads, source.read_text().splitlines())
    }
    for line in packet(tmp_path / "m"):
        for document in line["documents"]:
            assert document["text"] == texts[document["id"]][:300]


def test_packets_of_other_models_and_of_one_topic(folder, tmp_path):
    corpus = read_corpus(folder / "texts.jsonl")
    LDA(2, random_state=0).fit(corpus).save(tmp_path / "lda")
    first, second = packet(tmp_path / "lda")
    assert first["nearest"]["topic"] == 1
    assert not set(first["contrast"]) & set(second["contrast"])
    ParsimoniousTopicModel(1, random_state=0).fit(corpus).save(tmp_path / "one")
    (only,) = packet(tmp_path / "one")
    assert "nearest" not in only
    assert "contrast" not in only


def test_answers_are_read_back(model, tmp_path):
    assert run("name", model, "--packet", tmp_path / "p").stderr == (
        f"2 topics to name in {tmp_path / 'p'}.\n"
    )
    answers = [json.loads(line) for line in (tmp_path / "p").read_text().splitlines()]
    answers[1]["name"] = " Die Wälder "
    text = "\n\n".join(json.dumps(answer) for answer in answers)
    (tmp_path / "a").write_text(text)
    before = load_model(model).topic_names
    result = run("name", model, "--from", tmp_path / "a", "-o", tmp_path / "new")
    assert result.stderr == f"2 topics named in {tmp_path / 'new'}.\n"
    assert load_model(tmp_path / "new").topic_names == [before[0], "Die Wälder"]
    assert load_model(model).topic_names == before
    one = run("name", model, "--from", "-", input='{"topic": 0, "name": "Sea"}')
    assert one.stderr == f"1 topic named in {model}.\n"
    assert load_model(model).topic_names == ["Sea", before[1]]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ('{"topic": 2, "name": "a"}', "from 0 to 1, but line 1 has 2."),
        ('{"topic": -1, "name": "a"}', "from 0 to 1, but line 1 has -1."),
        (
            '{"topic": 1, "name": "a"}\n\n{"topic": 1, "name": "b"}',
            "only once, but line 3 names topic 1 again.",
        ),
        ('{"topic": 0, "name": " "}', 'but line 1 has none as "name".'),
        ('{"topic": 0, "name": 5}', 'but line 1 has none as "name".'),
        ('{"topic": 0}', 'but line 1 has none as "name".'),
        ('{"topic": true, "name": "a"}', 'as "topic", but line 1 has none.'),
        ('["topic", 0]', 'as "topic", but line 1 has none.'),
        ('{"topic": 0, "name": "a"}\n```', "but line 2 is not."),
        ("[" * 100_000, "but line 1 is not."),
        ("\x00\xff", "but line 1 is not."),
        ("\n", "There must be names, but there is not a single line."),
    ],
)
def test_wrong_answers_are_refused_in_a_sentence(model, answers, message):
    before = load_model(model).topic_names
    result = run("name", model, "--from", "-", input=answers)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.endswith(f"{message}\n")
    assert result.stderr.count("\n") == 1
    assert load_model(model).topic_names == before


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("0=a", "--packet"),
        ("0=a", "--from", "-"),
        ("--packet", "-", "--from", "-"),
        ("--packet", "p", "-o", "m"),
    ],
)
def test_one_way_to_name_at_a_time(model, arguments):
    result = run("name", model, *arguments)
    assert result.exit_code == 2
    assert "TOPIC=NAME" in result.stderr or "-o" in result.stderr


def test_answers_that_are_not_there(model, tmp_path):
    result = run("name", model, "--from", tmp_path / "none")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: ")
