import csv
import io
import json

import pytest
from tests.cli.runner import run

from leantopics import Corpus
from leantopics.cli.options import DATASETS
from leantopics.datasets import names

LISTED = """\
name\tabout\ttrain\ttest\twords\tclasses\tmegabytes\tplace
20newsgroups\tpostings, subject and body\t11293\t7527\t55015\t20\t14\t
20newsgroups-headers\tpostings with all headers\t11314\t7532\t35001\t20\t14\t
acl\tabstracts of computational linguistics\t65057\t0\t13302\t0\t\t
imdb\tmovie reviews\t25000\t25000\t18041\t2\t84\t
labelme\tpictures of scenes as visual words\t800\t800\t158\t8\t\t{data}/labelme
ohsumed\tmedical abstracts\t24218\t10171\t12058\t23\t\t{cache}/ohsumed.jsonl.zst
reuters\tnews of 35 classes\t6454\t2513\t16233\t35\t8\t
reuters-r52\tnews of 52 classes\t6532\t2568\t16344\t52\t8\t
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setenv("LEANTOPICS_CACHE", str(cache))
    monkeypatch.delenv("LEANTOPICS_DATA", raising=False)
    return cache


def test_the_list(pictures, cache, monkeypatch):
    (cache / "ohsumed.jsonl.zst").write_bytes(b"")
    expected = LISTED.format(data=pictures, cache=cache)
    assert run("datasets", "--folder", pictures).stdout == expected
    monkeypatch.setenv("LEANTOPICS_DATA", str(pictures))
    assert run("datasets").stdout == expected
    lines = expected.splitlines()
    assert run("datasets", "labelme").stdout.splitlines() == [lines[0], lines[5]]
    printed = run("datasets", "--csv").stdout
    table = list(csv.reader(io.StringIO(printed)))
    assert table == [line.split("\t") for line in lines]
    entries = json.loads(run("datasets", "--json").stdout)
    assert [entry["name"] for entry in entries] == list(DATASETS) == names()
    assert (entries[0]["place"], entries[4]["classes"]) == (None, 8)


@pytest.mark.parametrize(("split", "n"), [(None, 24), ("test", 24), ("all", 48)])
def test_a_corpus_is_saved(pictures, tmp_path, split, n):
    target = tmp_path / "saved"
    command = ("datasets", "labelme", "-o", target, "--folder", pictures)
    result = run(*command, *(["--split", split] if split else []))
    assert result.stderr == f"{n} documents, 158 different words, saved in {target}\n"
    assert (result.exit_code, result.stdout) == (0, "")
    corpus = Corpus.load(target)
    assert len(corpus) == n
    assert corpus.ids[0].startswith(f"{'test' if split == 'test' else 'train'}/")
    assert run("fit", target, "-o", tmp_path / "m", "--topics", 2).exit_code == 0


def test_wrong_data(pictures, cache, tmp_path):
    (tmp_path / "file").write_text("mine")
    for arguments, message in [
        (("retuers",), "There is no corpus 'retuers'; there are 20newsgroups, "),
        (("retuers", "-o", tmp_path / "x"), "There is no corpus 'retuers'; there "),
        (("acl", "-o", tmp_path / "x", "--split", "test"), "acl has no test documents"),
        (("labelme", "-o", tmp_path / "file"), f"{tmp_path}/file exists and is not a "),
    ]:
        result = run("datasets", *arguments)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith(f"Error: {message}")
        assert result.stderr.count("\n") == 1
