"""Encodings that are guessed, bad documents left out, and tables of all kinds."""

import gzip
import io
import json
import sys

import fsspec
import polars as pl
import pytest
from pyarrow import feather, ipc

from leantopics import Corpus, read_corpus
from leantopics._encodings import decoded, guess
from leantopics.io import open_records

TEXTS = {
    "latin-1": "Le café était fermé, mais l'église restait ouverte jusqu'à minuit.",
    "cp1252": "The Chancellor said it “would not” cut taxes; £5m was lost.",
    "cp1251": "Москва объявила о новых мерах поддержки экономики на этой неделе",
    "koi8-r": "Москва объявила о новых мерах поддержки экономики на этой неделе",
    "cp1250": "Zażółć gęślą jaźń, powiedział minister w środę",
    "shift_jis": "日本語の文章がここにあります。東京は晴れです。",
    "utf-8": "Größe, naïve, Москва",
    "utf-16": "hello there this is text",
}
MOSTLY = "Größe und Straße über alles, schön.".encode() * 3 + b"\xff"


def read(source, **options):
    return list(open_records(source, **options))


@pytest.mark.parametrize("encoding", TEXTS)
def test_an_encoding_is_guessed(encoding):
    assert decoded(TEXTS[encoding].encode(encoding), "auto") == TEXTS[encoding]


@pytest.mark.parametrize("raw", [bytes(range(256)) * 3, MOSTLY])
def test_what_is_no_text_is_not_guessed(raw):
    with pytest.raises(ValueError, match=r"no encoding of text|though the rest is"):
        guess(raw)


@pytest.fixture
def folder(tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_bytes(text.encode(name))
    return tmp_path


def test_each_file_of_a_folder_is_guessed_and_reported_once(folder, caplog):
    records = read(folder, encoding="auto")
    assert {r.id.removesuffix(".txt"): r.text for r in records} == TEXTS
    (said,) = caplog.messages
    assert said.startswith("Not in UTF-8, and read by a guess: ")
    assert "2 files as cp1252" in said
    corpus = read_corpus(folder, encoding="auto")
    assert list(corpus.texts) == [r.text for r in records]
    corpus.save(folder / "saved")
    loaded = Corpus.load(folder / "saved")
    assert list(loaded.texts) == list(corpus.texts)
    assert loaded.analyser["reading"] == {"encoding": "auto"}


def test_a_bad_file_is_named_with_the_ways_out(folder):
    with pytest.raises(ValueError, match=r"cp1250\.txt:1: .*--encoding auto.*skip-bad"):
        read(folder)
    (folder / "cp1250.txt").write_bytes(MOSTLY)
    with pytest.raises(ValueError, match=r"cp1250\.txt:1: its encoding cannot be gue"):
        read(folder, encoding="auto")


def test_bad_files_are_left_out_and_named(folder, caplog):
    (folder / "zip.txt").write_bytes(b"PK\x03\x04")
    (folder / "wrong.md").write_bytes(MOSTLY)
    records = read(folder, encoding="auto", skip_bad=True)
    assert [r.text for r in records] == [TEXTS[k] for k in sorted(TEXTS)]
    assert caplog.messages[1].startswith("Left out 2 documents that cannot be read: ")
    assert "wrong.md:1 (its encoding cannot be guessed" in caplog.messages[1]
    assert "zip.txt:1" in caplog.messages[1]


LINES = {
    "a.jsonl": b'{"text": "one"}\nnot json\n{"text": 3}\n{"x": 1}\n{"text": "two"}\n',
    "a.csv": b"text,n\none,1\nodd\n\xff,2\ntwo,3\n",
    "a.txt": b"one\n\xff\ntwo\n",
}


@pytest.mark.parametrize("name", LINES)
def test_bad_lines_are_left_out(tmp_path, name, caplog):
    (tmp_path / name).write_bytes(LINES[name])
    with pytest.raises(ValueError, match=rf"{name}:\d"):
        read(tmp_path / name)
    found = read(tmp_path / name, skip_bad=True)
    assert [record.text for record in found] == ["one", "two"]
    assert "Left out" in caplog.messages[0]
    assert f"{name}:{3 if name == 'a.csv' else 2}" in caplog.messages[0]


def test_many_bad_lines_are_counted(tmp_path, caplog):
    (tmp_path / "a.txt").write_bytes(b"\xff\n" * 50 + b"good\n")
    assert len(read(tmp_path / "a.txt", skip_bad=True)) == 1
    assert "Left out 50 documents" in caplog.messages[0]
    assert caplog.messages[0].endswith(", ....")


def test_a_file_of_lines_has_one_encoding(tmp_path, caplog):
    file = tmp_path / "a.jsonl"
    rows = [json.dumps({"text": text}, ensure_ascii=False) for text in ("Æ", "blå bær")]
    file.write_bytes("\n".join(['{"text": "plain"}'] * 9 + rows).encode("cp1252"))
    corpus = read_corpus(file, encoding="auto")
    assert list(corpus.texts)[-1] == "blå bær"
    assert len(caplog.messages) == 1
    file.write_text("\n".join(rows), encoding="utf-8")
    caplog.clear()
    assert read_corpus(file, encoding="auto").texts[0] == "Æ"
    assert caplog.messages == []


def stdin(monkeypatch, text):
    raw = io.BytesIO(text.encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))


STDIN = {
    "csv by its text column": ("id,text\n7,a cat\n", {}, ["a cat"]),
    "csv by a given column": ("id,note\n7,a cat\n", {"text_field": "note"}, ["a cat"]),
    "csv of one given column": ("note\na cat\n", {"text_field": "note"}, ["a cat"]),
    "tsv": ("text\tlabel\na cat, a dog\tpets\n", {}, ["a cat, a dog"]),
    "columns": ("a cat\ttame\n", {"columns": ("text", "kind")}, ["a cat"]),
    "lines": ("Oh, a cat\nThe cat, it sat.\n", {}, ["Oh, a cat", "The cat, it sat."]),
    "a document named text": ("text\na cat\n", {}, ["text", "a cat"]),
    "prose": (
        "He came in, and she left him.\nIt rained all day, they said.\n",
        {},
        ["He came in, and she left him.", "It rained all day, they said."],
    ),
    "nothing": ("", {}, []),
    "asked for": ("a,b\n1,2\n", {"format": "lines"}, ["a,b", "1,2"]),
}


@pytest.mark.parametrize(("text", "options", "expected"), STDIN.values(), ids=STDIN)
def test_standard_input_is_recognised(monkeypatch, text, options, expected):
    stdin(monkeypatch, text)
    assert [record.text for record in read("-", **options)] == expected


TABLES = [
    "id,note\n1,a cat\n2,a dog\n",
    "id\tnote\n1\ta cat\n",
    "id, note\n1, a\n2, b\n",
]


@pytest.mark.parametrize("text", TABLES)
def test_a_table_without_texts_is_asked_about(monkeypatch, text):
    stdin(monkeypatch, text)
    with pytest.raises(
        ValueError, match=r"with the columns id, note.*--text-field.*lines"
    ):
        read("-")


@pytest.mark.parametrize(
    "text",
    [
        "a cat sat down,2001\nan ox stood,2002\na dog lay,2003\n",
        "1\ta cat, a dog\n2\ta cow\n3\ta hen\n",
        "2026-11-16,a cat\n2026-11-17,a cow\n2026-11-18,a hen\n",
    ],
)
def test_a_table_without_header_is_asked_about(monkeypatch, text):
    stdin(monkeypatch, text)
    with pytest.raises(ValueError, match=r"without a header: name its 2 columns"):
        read("-")
    stdin(monkeypatch, text)
    columns = ("id", "text") if text[0].isdigit() else ("text", "id")
    assert read("-", columns=columns)[0].text.startswith("a cat")


def test_standard_input_cannot_be_guessed(monkeypatch):
    stdin(monkeypatch, "a cat\n")
    with pytest.raises(ValueError, match="read only once"):
        read("-", encoding="auto")


def test_columns_name_a_table_without_header(tmp_path):
    file = tmp_path / "a.tsv"
    file.write_text("a cat\ttrain\tpets\na wolf\ttest\twild\n")
    corpus = read_corpus(file, columns=("text", "split", "label"), vectorizer=None)
    assert list(corpus.texts) == ["a cat", "a wolf"]
    assert corpus.labels == [["pets"], ["wild"]]
    assert corpus.metadata == [{"split": "train"}, {"split": "test"}]
    assert corpus.analyser["reading"] == {"columns": ["text", "split", "label"]}
    with pytest.raises(ValueError, match="2 cells like --columns, got 3"):
        read(file, columns=("text", "label"))
    with pytest.raises(ValueError, match="name the text field"):
        read(file, columns=("a", "b", "c"))
    (tmp_path / "a.txt").write_text("x\n")
    with pytest.raises(ValueError, match=r"columns \(--columns\) cannot apply"):
        read(tmp_path / "a.txt", columns=("text",))


TABLE = pl.DataFrame(
    {
        "id": [7, 8],
        "body": ["a cat", "a wolf"],
        "labels": [["pets", "cats"], []],
        "day": pl.Series(["2026-11-16", None]).str.to_date(),
        "vector": [[0.5, 1.5], [2.5, 3.5]],
        "raw": [b"\xff", b""],
    }
)


def arrow_stream(path):
    table = TABLE.to_arrow()
    with ipc.new_stream(path, table.schema) as sink:
        sink.write_table(table)


WRITERS = {
    "a.parquet": TABLE.write_parquet,
    "a.pq": TABLE.write_parquet,
    "a.feather": lambda path: feather.write_feather(TABLE.to_arrow(), str(path)),
    "a.arrow": arrow_stream,
}


@pytest.mark.parametrize("name", WRITERS)
def test_parquet_and_arrow_are_tables(tmp_path, name):
    WRITERS[name](tmp_path / name)
    first, second = read(tmp_path / name)
    assert (first.id, first.text, list(first.labels)) == (
        "7",
        "a cat",
        ["pets", "cats"],
    )
    assert dict(first.metadata) == {"day": "2026-11-16"}
    assert dict(second.metadata) == {"day": None}
    corpus = read_corpus(tmp_path / name, keep_texts=True, text_field="body")
    assert list(corpus.texts) == ["a cat", "a wolf"]
    with pytest.raises(ValueError, match="name the text field"):
        read(tmp_path / name, text_field="nothing")


def test_a_broken_table_is_one_sentence(tmp_path):
    for name in ("a.parquet", "a.arrow"):
        (tmp_path / name).write_bytes(b"PAR1 this is not a table")
        with pytest.raises(ValueError, match=r"not a sound (Parquet|Arrow) file") as no:
            read(tmp_path / name)
        assert "\n" not in str(no.value)
    pl.DataFrame({"text": ["a cat", None]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(
        ValueError, match=r"a\.parquet:2: the field 'text' must be a st"
    ):
        read(tmp_path / "a.parquet")
    assert len(read(tmp_path / "a.parquet", skip_bad=True)) == 1


@pytest.mark.parametrize(
    ("name", "extra", "hidden"),
    [("a.parquet", "arrow", "pyarrow"), ("memory://a.txt", "remote", "fsspec")],
)
def test_extras_are_named(tmp_path, monkeypatch, name, extra, hidden):
    TABLE.write_parquet(tmp_path / "a.parquet")
    monkeypatch.setattr("leantopics._extras.find_spec", lambda name: None)
    source = name if "://" in name else tmp_path / name
    with pytest.raises(ModuleNotFoundError, match=rf"leantopics\[{extra}\]"):
        read(source)


def test_object_stores_are_read(tmp_path):
    files = fsspec.filesystem("memory")
    rows = b'{"text": "a cat"}\n{"text": "a dog"}\n'
    TABLE.write_parquet(tmp_path / "a.parquet")
    files.pipe("/bucket/a.jsonl", rows)
    files.pipe("/bucket/a.jsonl.gz", gzip.compress(rows))
    files.pipe("/bucket/a.parquet", (tmp_path / "a.parquet").read_bytes())
    for name in ("a.jsonl", "a.jsonl.gz"):
        corpus = read_corpus(f"memory://bucket/{name}", keep_texts=True)
        assert list(corpus.texts) == ["a cat", "a dog"]
        assert read_corpus(f"memory://bucket/{name}").texts is None
    found = read("memory://bucket/a.parquet", text_field="body")
    assert [record.text for record in found] == ["a cat", "a wolf"]
    with pytest.raises(FileNotFoundError, match=r"no file memory://bucket/b\.jsonl"):
        read("memory://bucket/b.jsonl")
    with pytest.raises(OSError, match=r"nowhere://a\.txt cannot be read"):
        read("nowhere://a.txt")
    with pytest.raises(ValueError, match="cannot be inferred from its name"):
        read("memory://bucket/a")
    with pytest.raises(ValueError, match=r"a\.PDF must be .* with pdftotext; a folder"):
        read("memory://bucket/a.PDF")


def test_an_object_store_is_converted(tmp_path):
    from leantopics.text import convert_corpus

    fsspec.filesystem("memory").pipe("/bucket/c.txt", b"a cat and a dog\na dog\n")
    assert convert_corpus("memory://bucket/c.txt", tmp_path / "c") == 2
    assert Corpus.open(tmp_path / "c").vocabulary == ["and", "cat", "dog"]


def test_a_missing_package_of_a_store_is_named(monkeypatch):
    def fails(*_):
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr(fsspec.core, "url_to_fs", fails)
    with pytest.raises(ModuleNotFoundError, match=r"s3fs.*leantopics\[remote\]"):
        read("s3://bucket/a.txt")


def test_a_damaged_record_of_the_reading_is_refused(tmp_path):
    (tmp_path / "a.txt").write_text("a cat\n")
    for again in ({"encoding": 7}, {"skip_bad": "yes"}):
        with pytest.raises(ValueError, match="was read is damaged"):
            read(tmp_path / "a.txt", again=again)
    assert read(tmp_path / "a.txt", again={"format": "nonsense", "named": "lines"})
