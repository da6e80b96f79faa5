import csv
import io
import json
import random

import pytest
from tests.cli.runner import SHARED, documents, run

SPACE = "rockets planets comets orbits moons meteors telescopes galaxies".split()


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A model of texts that mention space, and new texts, some all about it."""
    draw = random.Random(1)
    folder = tmp_path_factory.mktemp("watch")
    old = [record | {"text": f"{record['text']} {draw.choice(SPACE)}"}
           for record in documents(120)]  # fmt: skip
    new = [{"id": f"new{n}", "text": " ".join(draw.choices(SPACE + SHARED, k=40))}
           for n in range(15)]  # fmt: skip
    for name, records in (
        ("old", old[:80]),
        ("same", old[80:]),
        ("new", old[80:] + new),
    ):
        with open(folder / f"{name}.jsonl", "w") as out:
            out.writelines(json.dumps(record) + "\n" for record in records)
    made = run("fit", folder / "old.jsonl", "-o", folder / "model", "--topics", 2)
    assert made.exit_code == 0, made.output
    return folder


def watch(places, name, *options):
    return run(
        "watch", places / "model", places / f"{name}.jsonl", "--draws", 19, *options
    )


def test_a_new_topic_ends_with_code_3(places):
    result = watch(places, "new")
    assert (result.exit_code, result.stderr) == (3, "")
    head, group, ids, *rest = result.stdout.splitlines()
    assert head == "55 documents watched."
    assert " documents share a topic the model does not have: " in group
    assert group.endswith(" nats, p = 0.05.")
    assert set(ids.split(" and ")[0].strip().split(", ")) <= {
        f"new{n}" for n in range(15)
    }
    assert rest[0] == "p is from 19 draws of all documents."
    assert rest[-1].startswith("Topics leave ")


def test_nothing_new_ends_with_code_0(places):
    result = watch(places, "same")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "No documents share a topic the model does not have." in result.stdout


def test_json_has_the_ids_and_the_words(places):
    result = watch(places, "new", "--json")
    assert result.exit_code == 3
    told = json.loads(result.stdout)
    (group,) = told["groups"]
    assert group["found"] and group["p"] == 0.05 and group["nats"] > 0.0
    assert {each["id"] for each in group["documents"]} <= {f"new{n}" for n in range(15)}
    assert {word for word, _ in group["words"]} <= {*SPACE, *SHARED}
    assert [row["topic"] for row in told["topics"]] == [0, 1]


def test_csv_has_a_row_for_each_document(places):
    told = json.loads(watch(places, "new", "--json").stdout)["groups"][0]
    rows = list(csv.DictReader(io.StringIO(watch(places, "new", "--csv").stdout)))
    assert [row["document"] for row in rows] == [
        each["id"] for each in told["documents"]
    ]
    assert [float(row["nats"]) for row in rows] == [
        d["nats"] for d in told["documents"]
    ]
    assert {row["group"] for row in rows} == {"0"}


def test_wrong_input_gets_a_sentence(places, tmp_path):
    (tmp_path / "one.txt").write_text("boats\n")
    (tmp_path / "other.txt").write_text("zebras\nlions\n")
    for name, number in (("one.txt", "1 of 1"), ("other.txt", "0 of 2")):
        result = run("watch", places / "model", tmp_path / name)
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"Got {number} instead" in result.stderr
    model = tmp_path / "lda"
    from leantopics import LDA, read_corpus

    LDA(2, random_state=0).fit(read_corpus(places / "old.jsonl")).save(model)
    result = run("watch", model, places / "new.jsonl")
    assert result.exit_code == 1 and "is a model of class LDA" in result.stderr


def test_a_page_of_hostile_texts_is_only_text(places, tmp_path):
    lines = (places / "new.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    for record in records:
        record["id"] = f"</td><script>{record['id']}"
        record["text"] += " <img src=x onerror=alert(1)>"
    with open(tmp_path / "<b>new.jsonl", "w") as out:
        out.writelines(json.dumps(record) + "\n" for record in records)
    page = tmp_path / "new.html"
    result = run("watch", places / "model", tmp_path / "<b>new.jsonl", "--draws", 19,
                 "--page", page)  # fmt: skip
    assert (result.exit_code, result.stderr) == (3, f"The page is in {page}.\n")
    text = page.read_text()
    assert "New in &lt;b&gt;new.jsonl" in text
    assert "&lt;script&gt;new" in text
    assert "&lt;img src=x" in text
    for markup in ("<script", "<img", "<b>", "onerror=alert(1)>"):
        assert markup not in text
    assert "default-src 'none'; style-src 'sha256-" in text
    assert text.count("<section") == 1


def test_a_page_without_groups(places, tmp_path):
    result = watch(places, "same", "--page", tmp_path / "same.html")
    assert result.exit_code == 0
    text = (tmp_path / "same.html").read_text()
    assert "No documents share a topic the model does not have." in text
    assert "<section" not in text


def test_a_page_that_cannot_be_written_is_told(places, tmp_path):
    result = watch(places, "same", "--page", tmp_path / "none" / "page.html")
    assert result.exit_code == 1
    assert "none" in result.stderr
