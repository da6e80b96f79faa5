import re

from tests.cli.runner import documents, run

from leantopics import count_texts
from leantopics.cli.plot import BRAILLE, PLAIN, curve

PRINTED = """
topic  share  name: more words
    0  61.1%  islands tides sailing: sailors harbours waves boats anchors
    1  38.9%  foxes roots paths: birds leaves mushrooms trees branches

2 topics chosen. On average, a document has 1.00 topics
and a topic has 16 salient words out of 24. All topics share words such as
and, some, the, over, under, with, many, then.
"""


def few_documents():
    return count_texts(record["text"] for record in documents())


def test_demo(tmp_path, monkeypatch):
    monkeypatch.setattr("leantopics.datasets.load_python_docs", few_documents)
    target = tmp_path / "new" / "demo"
    result = run("demo", "-o", target, "--max-topics", 8)
    assert result.exit_code == 0, result.stderr
    assert (target / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert result.stdout == PRINTED
    assert re.sub(r"\d+ seconds", "S seconds", result.stderr) == (
        "Documentation of numpy, scipy and scikit-learn: 40 documents, 1,600 words.\n"
        f"\nDone in S seconds; the model is in {target}/model.\n"
        f"Open {target}/report.html in a browser, and try:\n\n"
        f"  leantopics topics {target}/model\n"
        "  echo 'low-pass filter for a noisy signal' | "
        f"leantopics infer {target}/model -\n"
        "  leantopics fit YOUR_TEXTS -o model\n"
    )
    command = ("demo", "-o", target, "--max-topics", 8)
    for form in ("--json", "--csv"):
        printed = run("topics", target / "model", "-n", 12, form).stdout
        assert run(*command, form).stdout == printed
    text = "sailing boats on the waves between islands\n"
    result = run("infer", target / "model", "-", input=text)
    assert result.stdout.splitlines()[1] == "0\t0\t1.0000\tislands tides sailing"


def test_one_number_of_topics_has_no_curve(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "leantopics.datasets.load_python_docs", lambda: count_texts(["the tree"])
    )
    result = run("demo", "-o", tmp_path / "demo")
    assert result.stdout == (
        "\ntopic  share  name: more words\n    0  100.0%  shared words\n\n"
        "1 topic chosen. On average, a document has 1.00 topics\n"
        "and a topic has 2 salient words out of 2.\n"
    )


def test_the_curve_marks_its_least_point():
    points = [(m, 1e6 + (m - 30) ** 2) for m in range(2, 61, 2)]
    for style in (PLAIN, BRAILLE):
        *frame, axis, labels = curve(points, width=70, style=style)
        assert len(frame) == 13
        assert all(len(line) <= 70 for line in [*frame, axis, labels])
        assert sum(line.count(style.least) for line in frame) == 1
        column = frame[-1].index(style.least)
        assert axis[column] == style.pointer
        assert labels[column : column + 2] == "30"
        assert frame[-1].startswith("1,000,000 ")


def test_a_steep_end_leaves_the_curve_at_the_top():
    points = [(1, 1e9), *((m, abs(m - 20.0)) for m in range(2, 41))]
    *frame, _, _ = curve(points, width=60, height=7, style=PLAIN)
    assert frame[0].startswith("15 |")
    assert frame[-1].startswith(" 0 |")


def test_a_flat_curve_of_two_points():
    assert curve([(1, 5.0), (2, 5.0)], width=12, height=2, style=PLAIN) == [
        "5 |*********",
        "5 |O",
        "  +^-------+",
        "   1       2",
    ]
