import csv

from tests.cli.runner import run


def test_whole_comparison(folder, tmp_path):
    result = run(
        "compare", folder / "texts.jsonl", "-o", tmp_path, "--max-topics", 4,
        "--methods", "ptm,lda", "--stop-words", "en", "-j", 1,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "| texts | PTM |" in result.stdout and "| texts | LDA |" in result.stdout
    assert f"are in {tmp_path}." in result.stderr
    assert "2 of 2 parts done" in result.stderr
    with open(tmp_path / "results.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["method"] for row in rows} == {"ptm", "lda"}
    assert all(row["label_accuracy"] for row in rows)
    again = ("compare", folder / "texts.jsonl", "-o", tmp_path, "--max-topics", 4)
    printed = run(*again, "--methods", "lda", "--stop-words", "en", "-j", 1, "--csv")
    lines = (tmp_path / "results.csv").read_text().splitlines()
    own = [line for line in lines if line.startswith(("dataset,", "texts,lda,"))]
    assert printed.stdout.splitlines() == own


def test_a_file_called_like_a_corpus_of_the_paper_has_no_published_numbers(
    folder, tmp_path
):
    source = tmp_path / "reuters.ldac"
    source.write_bytes((folder / "counts.ldac").read_bytes())
    options = ("--max-topics", 2, "--methods", "lda", "-j", 1)
    result = run("compare", source, "-o", tmp_path / "out", *options)
    assert result.exit_code == 0, result.output
    assert "| reuters-own | LDA |" in result.stdout
    assert "| reuters |" not in result.stdout


def test_counts_without_labels(folder, tmp_path):
    source = folder / "counts.ldac"
    options = ("--max-topics", 2, "--methods", "lda", "--seeds", 2, "-j", 1)
    result = run("compare", source, "-o", tmp_path / "out", *options)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "figures" / "counts-npmi.png").is_file()


def test_wrong_use_is_one_sentence(folder, tmp_path):
    for arguments, message in [
        ((folder / "texts.jsonl", "--methods", "nmf"), "There is no method 'nmf'"),
        ((folder / "counts.ldac", "--stem", "english"), "holds counts, not text"),
        ((folder / "none.txt",), "There is no file or folder"),
    ]:
        result = run("compare", *arguments, "-o", tmp_path / "out", "-j", 1)
        assert result.exit_code == 1
        assert result.stderr.startswith(f"Error: {message}") or message in result.stderr
        assert result.stderr.count("\n") == 1
