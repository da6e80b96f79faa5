import json
import os

import numpy as np
import pytest
from tests.cli.runner import run

from leantopics import Corpus, read_corpus
from leantopics.cli.convert import TARGETS, TEXTS
from leantopics.io.writers import FORMATS, TEXT_FORMATS


def same_counts(a, b):
    assert a.vocabulary == b.vocabulary
    np.testing.assert_array_equal(a.counts.toarray(), b.counts.toarray())
    return True


def test_the_formats_are_those_of_the_library():
    assert (TARGETS, TEXTS) == (FORMATS, TEXT_FORMATS)


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("saved", ""),
        ("x.jsonl", ""),
        ("x.jsonl.gz", ""),
        ("x.csv", ""),
        ("x.tsv.zst", ""),
        ("x.ldac", "ids, metadata, texts"),
        ("x.ldac.xz", "ids, metadata, texts"),
        ("docword.x.txt", "ids, labels, metadata, texts"),
        ("x.mtx", "ids, labels, metadata, texts"),
        ("x.mtx.zst", "ids, labels, metadata, texts"),
    ],
)
def test_what_is_written_is_read_again(folder, tmp_path, name, lost):
    target = tmp_path / name
    result = run("convert", folder / "texts.jsonl", "-o", target)
    *told, last = result.stderr.splitlines()
    assert last == f"40 documents written to {target}"
    assert (result.exit_code, result.stdout) == (0, "")
    form = "uci" if name == "docword.x.txt" else (name + ".saved").split(".")[1]
    message = f"Left out, as the format {form} cannot hold it: {lost}."
    assert told == ([message] if lost else [])
    before = read_corpus(folder / "texts.jsonl")
    after = read_corpus(target, keep_texts=True)
    assert same_counts(before, after)
    for part in ("ids", "labels", "metadata", "texts"):
        if part not in lost:
            whole = getattr(before, part), getattr(after, part)
            assert list(whole[0]) == list(whole[1])


def test_counts_are_made_with_the_settings_of_text(folder, tmp_path):
    options = ("--stem", "english", "--min-df", 2, "--where", "label=sea")
    run("convert", folder / "texts.jsonl", "-o", tmp_path / "x.ldac", *options)
    corpus = read_corpus(tmp_path / "x.ldac")
    assert "harbour" in corpus.vocabulary
    assert corpus.labels == [["sea"]] * 24


def test_pipes(folder, tmp_path):
    result = run("convert", folder / "texts.jsonl", "-o", "-", "--to", "tsv")
    assert result.stdout.startswith('"id"\t"text"\t"label"\t"split"\n"doc0"\t"sailors ')
    assert result.stderr == "40 documents written to standard output\n"
    target = tmp_path / "x.jsonl"
    command = ("convert", "-", "--format", "tsv", "-o", target)
    assert run(*command, input=result.stdout).exit_code == 0
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    assert rows[0].keys() == {"id", "text", "labels", "split"}
    assert same_counts(read_corpus(target), read_corpus(folder / "texts.jsonl"))


def test_what_a_table_cannot_hold_is_told(tmp_path):
    source = tmp_path / "x.jsonl"
    row = {"text": "a tree", "labels": ["x", "y"], "year": 1999, "kind": "k"}
    source.write_text(json.dumps(row) + "\n")
    result = run("convert", source, "-o", tmp_path / "x.csv")
    assert result.stderr.splitlines()[0] == (
        "Left out, as the format csv cannot hold it: labels, the field year."
    )
    expected = '"id","text","kind"\n"0","a tree","k"\n'
    assert (tmp_path / "x.csv").read_text() == expected


def test_a_corpus_is_replaced(folder, tmp_path):
    for name in ("x.ldac", "saved"):
        for label in ("sea", "wood"):
            where = ("--where", f"label={label}")
            command = ("convert", folder / "texts.jsonl", "-o", tmp_path / name)
            assert run(*command, *where).exit_code == 0
        assert read_corpus(tmp_path / name).labels == [["wood"]] * 16
    assert sorted(os.listdir(tmp_path)) == ["saved", "x.labels", "x.ldac", "x.vocab"]


MINE = "mine\n"
NOT_A_CORPUS = "{t}/{n} is not a corpus in the format {f}; choose another place."
ORPHAN = (
    "{t}/{n} exists, but {t}/x.mtx, which it would belong to, does not; move it or "
    "choose another name."
)
STALE = (
    "{t}/{n} would be taken for the labels of {t}/x.ldac; move it or choose another "
    "name."
)


@pytest.mark.parametrize(
    ("there", "target", "message"),
    [
        ("x.ldac", "x.ldac", NOT_A_CORPUS.replace("{f}", "ldac")),
        ("x.csv", "x.csv", NOT_A_CORPUS.replace("{f}", "csv")),
        ("x.vocab", "x.mtx", ORPHAN),
        ("x.labels", "x.ldac", STALE),
        ("x", "x", "{t}/x exists and is not a saved corpus; choose another place."),
        ("x", "no/x.csv",
         "The folder {t}/no does not exist; make it before saving there."),
    ],
)  # fmt: skip
def test_nothing_else_is_replaced(tmp_path, there, target, message):
    (tmp_path / there).write_text(MINE)
    (tmp_path / "counts.mtx").write_text(
        "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 2\n"
    )
    source = tmp_path / ("counts.mtx" if "csv" not in target else "t.jsonl")
    (tmp_path / "t.jsonl").write_text('{"text": "a tree"}\n')
    before = sorted(os.listdir(tmp_path))
    result = run("convert", source, "-o", tmp_path / target)
    told = message.replace("{t}", str(tmp_path)).replace("{n}", there)
    assert result.stderr == f"Error: {told}\n"
    assert result.exit_code == 1
    assert (tmp_path / there).read_text() == MINE
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("counts.ldac", "x.jsonl",
         "The format jsonl holds texts, but the corpus has counts only; choose one of "
         "saved, ldac, uci, mtx."),
        ("texts.jsonl", "x.doc",
         "The format of {t}/x.doc cannot be inferred from its name; give one of "
         "saved, jsonl, csv, tsv, ldac, uci, mtx (--to)."),
        ("halves", "x.ldac",
         "The lda-c format needs whole counts; save the corpus instead."),
        ("halves", "docword.x.txt",
         "The UCI docword format needs whole counts; save the corpus instead."),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_one_sentence(
    folder, tmp_path, source, target, message
):
    Corpus([[0.5]]).save(tmp_path / "halves")
    place = tmp_path if source == "halves" else folder
    result = run("convert", place / source, "-o", tmp_path / target)
    assert result.stderr == f"Error: {message.replace('{t}', str(tmp_path))}\n"
    assert result.exit_code == 1
    assert os.listdir(tmp_path) == ["halves"]
