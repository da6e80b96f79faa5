"""Finding the format, uncompressing, standard input and selection."""

import gzip
import io
import lzma
import os
import sys
import tracemalloc

import pytest
import zstandard

from leantopics.io import open_records

LINES = b'{"id": "1", "text": "a cat"}\n{"id": "2", "text": "a dog"}\n'


def feed(monkeypatch, raw):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))


def texts(source, **options):
    return [record.text for record in open_records(source, **options)]


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.jsonl", "jsonl"),
        ("a.ndjson.gz", "jsonl"),
        ("A.JSON", "jsonl"),
        ("a.csv.xz", "csv"),
        ("a.tsv", "tsv"),
        ("a.txt", "lines"),
        ("a.ldac", "ldac"),
        ("a.dat", "ldac"),
    ],
)
def test_the_format_is_found_from_the_name(tmp_path, name, format):
    (tmp_path / name).touch()
    assert open_records(tmp_path / name).format == format


def test_a_format_can_be_forced(tmp_path):
    file = tmp_path / "odd.name"
    file.write_bytes(LINES)
    assert texts(file, format="jsonl") == ["a cat", "a dog"]
    with pytest.raises(ValueError, match=r"cannot be inferred .* jsonl, csv.*--format"):
        open_records(file)
    with pytest.raises(ValueError, match=r"must be one of jsonl.*got 'xml'"):
        open_records(file, format="xml")
    with pytest.raises(ValueError, match="is a file, not of the format folder"):
        open_records(file, format="folder")
    with pytest.raises(ValueError, match="is a folder, not of the format csv"):
        open_records(tmp_path, format="csv")
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        open_records(tmp_path / "none.csv")


COMPRESS = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_files_are_uncompressed(tmp_path, suffix):
    file = tmp_path / f"a.jsonl{suffix}"
    once = COMPRESS[suffix](LINES)
    file.write_bytes(once + once)
    assert texts(file) == ["a cat", "a dog"] * 2
    assert all(record.place is None for record in open_records(file))


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("damage", [lambda raw: raw[:-9], lambda raw: b"no" + raw])
def test_a_broken_compressed_file_is_named(tmp_path, suffix, damage):
    file = tmp_path / f"a.txt{suffix}"
    raw = COMPRESS[suffix](os.urandom(300_000).replace(b"\n", b"."))
    file.write_bytes(damage(raw))
    with pytest.raises(ValueError, match=rf"a\.txt\{suffix} cannot be uncompressed"):
        texts(file, encoding="latin-1")


def test_a_long_zstd_file_is_whole(tmp_path):
    file = tmp_path / "a.txt.zst"
    lines = [f"line {i}" for i in range(100_000)]
    raw = "\n".join(lines).encode()
    cut = len(raw) // 3
    frames = [zstandard.ZstdCompressor().compress(p) for p in (raw[:cut], raw[cut:])]
    file.write_bytes(b"".join(frames))
    assert texts(file) == lines


def test_standard_input_is_lines_or_json(monkeypatch):
    feed(monkeypatch, b"a cat\n\na dog")
    assert texts("-") == ["a cat", "", "a dog"]
    feed(monkeypatch, b"\xef\xbb\xbf" + LINES)
    assert texts("-") == ["a cat", "a dog"]
    feed(monkeypatch, LINES)
    assert texts("-", format="lines") == LINES.decode().splitlines()
    feed(monkeypatch, b"text,x\na cat,1\n")
    assert texts("-", format="csv") == ["a cat"]
    feed(monkeypatch, b"2 0:1 3:1\n")
    (record,) = open_records("-", format="ldac")
    assert record.counts[0].tolist() == [0, 3]
    feed(monkeypatch, b"")
    assert texts("-") == []


def test_standard_input_is_named_in_messages(monkeypatch):
    feed(monkeypatch, b'{"text": "a"}\n{\n')
    with pytest.raises(ValueError, match="<stdin>:2: this line is not JSON"):
        texts("-")
    with pytest.raises(ValueError, match="mtx cannot be read from standard input"):
        open_records("-", format="mtx")


@pytest.fixture
def flagged(tmp_path):
    file = tmp_path / "flagged.jsonl"
    file.write_text(
        '{"id": "a", "text": "1", "split": "train", "ok": true, "n": 12, "tag": [2]}\n'
        '{"id": "b", "text": "2", "split": "test", "ok": false, "labels": ["x", "y"]}\n'
        '{"id": "c", "text": "3", "split": null, "ok": "true", "n": 1.5}\n'
    )
    return file


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, "123"),
        ({"split": "train"}, "1"),
        ({"split": "null"}, "3"),
        ({"ok": "true"}, "13"),
        ({"ok": "true", "split": "train"}, "1"),
        ({"n": "12"}, "1"),
        ({"n": "1.5"}, "3"),
        ({"tag": "2"}, "1"),
        ({"labels": "y"}, "2"),
        ({"label": "y"}, "2"),
        ({"id": "c"}, "3"),
        ({"split": "none such"}, ""),
    ],
)
def test_where_selects(flagged, where, expected):
    assert "".join(texts(flagged, where=where)) == expected


def test_where_knows_fields_by_their_given_names(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("text,area,key\n1,x,k\n2,y,l\n")
    options = {"label_field": "area", "id_field": "key"}
    assert texts(file, where={"area": "y"}, **options) == ["2"]
    assert texts(file, where={"key": "k"}, **options) == ["1"]


def test_where_refuses_a_field_that_nothing_has(flagged):
    message = "No document has the field 'spilt' .* id, labels, n, ok, split, tag"
    with pytest.raises(ValueError, match=message):
        texts(flagged, where={"spilt": "train"})


def test_ids_do_not_depend_on_the_selection(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("text,k\na,1\nb,2\n")
    (record,) = open_records(file, where={"k": "2"})
    assert record.id == "1"


def test_a_large_file_is_streamed(tmp_path):
    file = tmp_path / "large.jsonl.gz"
    line = b'{"text": "' + b"word " * 2000 + b'"}\n'
    file.write_bytes(gzip.compress(line * 2000, compresslevel=1))  # 20 MB of text
    tracemalloc.start()
    count = sum(1 for _ in open_records(file))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 2000
    assert peak < 2_000_000
