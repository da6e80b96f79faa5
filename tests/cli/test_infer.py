import csv
import json

from tests.cli.runner import run

from leantopics import (
    LDA,
    ParsimoniousTopicModel,
    SparseTopicalCoding,
    TextVectorizer,
    read_corpus,
)


def test_documents_of_a_file(folder):
    result = run(
        "infer", folder / "texts", folder / "texts.jsonl", "--where", "split=test"
    )
    assert result.stdout == (
        "document\ttopic\tproportion\tname\n"
        "doc36\t1\t1.0000\tfoxes roots paths\n"
        "doc37\t0\t1.0000\tislands tides sailing\n"
        "doc38\t1\t1.0000\tfoxes roots paths\n"
        "doc39\t0\t1.0000\tislands tides sailing\n"
    )
    assert (result.exit_code, result.stderr) == (0, "")


def test_several_topics_and_unknown_words(folder):
    text = "sailing sailing waves boats trees leaves\n\nxyzzy\n"
    result = run("infer", folder / "texts", "-", "--format", "lines", input=text)
    model = ParsimoniousTopicModel.load(folder / "texts")
    vectorizer = TextVectorizer.from_dict(model.analyser_)
    sea, wood = model.transform(vectorizer.transform([text]))[0]
    assert sea > wood > 0
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert lines[1:3] == [
        ["0", "0", f"{sea:.4f}", "islands tides sailing"],
        ["0", "1", f"{wood:.4f}", "foxes roots paths"],
    ]
    assert all(line[1:] == ["", "", ""] for line in lines[3:])
    assert result.stderr.startswith("No word that the model knows: ")


def test_json_lines(folder):
    result = run(
        "infer", folder / "texts", "-", "--json", input="trees " * 20 + "\nxyzzy\n"
    )
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {"id": "0", "topics": [[1, 1.0]]},
        {"id": "1", "topics": []},
    ]


def test_csv(folder):
    text = "trees " * 20 + "\nxyzzy\n"
    result = run("infer", folder / "texts", "-", "--csv", input=text)
    assert result.stdout == (
        "document,topic,proportion,name\n0,1,1.0,foxes roots paths\n1,,,\n"
    )
    assert result.stderr == "No word that the model knows: 1 document.\n"


def test_other_models(folder, tmp_path):
    corpus = read_corpus(folder / "counts.ldac")
    for model in (LDA(2, background=True, random_state=0), SparseTopicalCoding(2)):
        model.fit(corpus).save(tmp_path / "m")
        command = ("infer", tmp_path / "m", folder / "counts.ldac", "--jobs", 1)
        lines = [line.split("\t") for line in run(*command).stdout.splitlines()[1:]]
        assert {line[0] for line in lines} == set(corpus.ids)
        assert {line[1] for line in lines} <= {"0", "1", "2"}
        assert {line[3] for line in lines if line[1] == "2"} <= {"background"}


def test_counts_under_either_model(folder):
    outputs = [
        run("infer", folder / model, folder / "counts.ldac", "--json", "--jobs", 1)
        for model in ("texts", "counts")
    ]
    assert outputs[0].stdout == outputs[1].stdout
    rows = [json.loads(line) for line in outputs[0].stdout.splitlines()]
    assert [row["topics"] for row in rows] == [
        [[int(d % 5 in (1, 3)), 1.0]] for d in range(40)
    ]


def test_counts_over_another_vocabulary(folder, tmp_path):
    (tmp_path / "new.ldac").write_text("2 0:3 1:20\n1 0:1\n")
    (tmp_path / "new.vocab").write_text("unheard\nboats\n")
    result = run("infer", folder / "counts", tmp_path / "new.ldac", "--json")
    assert [json.loads(line)["topics"] for line in result.stdout.splitlines()] == [
        [[0, 1.0]],
        [],
    ]


def test_csv_is_exact_for_programs_and_harmless_for_spreadsheets(folder, tmp_path):
    ids = ["=1+1", "-1.5", "-x", "@me", "\tcmd", "a\x1b[2Jb", "plain"]
    with open(tmp_path / "new.jsonl", "w") as out:
        out.writelines(json.dumps({"id": i, "text": "boats"}) + "\n" for i in ids)
    words = ("infer", folder / "texts", tmp_path / "new.jsonl")

    def first_cells(form):
        rows = list(csv.reader(run(*words, form).stdout.splitlines()))
        assert all(float(row[2]) for row in rows[1:])
        return [row[0] for row in rows[1:]]

    assert first_cells("--csv") == ids
    safe = ["'=1+1", "-1.5", "'-x", "'@me", " cmd", "a [2Jb", "plain"]
    assert first_cells("--csv-safe") == safe
