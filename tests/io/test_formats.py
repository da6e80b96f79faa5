"""Every reader with good and bad input."""

import numpy as np
import pytest

from leantopics.io import Place, open_records
from leantopics.io.formats import uci


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path, **options):
    return list(open_records(path, **options))


def dense(record, n_words):
    words, values = record.counts
    row = np.zeros(n_words)
    row[words] = values
    return row.tolist()


# JSON lines


def test_jsonl_finds_its_fields(tmp_path):
    file = write(
        tmp_path / "a.jsonl",
        '{"id": 7, "text": "kø", "labels": ["x", 3], "split": "a", "year": 1990}\r\n'
        "\n"
        '{"text": "", "label": "y"}\n'
        '{"text": "end", "labels": null}',
    )
    first, second, third = read(file)
    assert first.id == "7"
    assert first.text == "kø"
    assert first.labels == ["x", "3"]
    assert first.metadata == {"split": "a", "year": 1990}
    assert second == ("1", "", None, ["y"], {}, second.place)
    assert third[:4] == ("2", "end", None, [])
    raw = file.read_bytes()
    place = third.place
    assert raw[place.offset : place.offset + place.length].startswith(b'{"text": "end"')
    assert (place.form, place.field) == ("json", "text")


def test_jsonl_takes_given_fields(tmp_path):
    file = write(
        tmp_path / "a.jsonl",
        '{"title": "t", "key": "k", "text": "no"}\n'
        '{"title": "u", "key": "l", "area": "m"}\n',
    )
    options = {"text_field": "title", "id_field": "key", "label_field": "area"}
    first, second = read(file, **options)
    assert (first.id, first.text, first.metadata) == ("k", "t", {"text": "no"})
    assert second.labels == ["m"]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ('{"text": "a"}\n{"text": \n', {}, "bad.jsonl:2: this line is not JSON"),
        ("[1]\n", {}, "bad.jsonl:1: each line must be a JSON object, got a list"),
        ('{"text": 3}\n', {}, "bad.jsonl:1: the field 'text' must be a string, got 3"),
        ('{"text": null}\n', {}, "bad.jsonl:1: .* must be a string, got None"),
        ('{"x": "a", "y": ""}\n', {}, "bad.jsonl:1: none .*--text-field.* x, y"),
        ('{"text": "a"}\n{"body": ""}\n', {}, "bad.jsonl:2: none of .* 'text'"),
        ('{"text": "a"}\n', {"text_field": "b"}, "bad.jsonl:1: none of .* is 'b'"),
        ('{"text": "a"}\n', {"label_field": "b"}, "bad.jsonl:1: there is no field 'b'"),
        ('{"text": "a"}\n', {"id_field": "b"}, "bad.jsonl:1: there is no field 'b'"),
        ('{"text": "a", "id": {}}\n', {}, "bad.jsonl:1: the id must be"),
        ('{"text": "a", "labels": [[]]}\n', {}, "bad.jsonl:1: labels must be"),
        (b'{"text": "a"}\n{"text": "k\xf8"}\n', {}, "bad.jsonl:2: byte 0xf8.*latin-1"),
    ],
)
def test_jsonl_names_the_bad_line(tmp_path, content, options, message):
    file = write(tmp_path / "bad.jsonl", content)
    with pytest.raises(ValueError, match=message):
        read(file, **options)


# CSV and TSV


def test_csv_with_quotes_line_ends_and_long_cells(tmp_path):
    long = "word " * 40_000
    file = write(
        tmp_path / "a.csv",
        '\ufeffid,body,label,year\r\n7,"two ""lines"":\r\nhere",x,1990\r\n\r\n'
        f"8,{long},,1991\r\n",
    )
    first, second = read(file)
    assert (first.id, first.text) == ("7", 'two "lines":\r\nhere')
    assert (first.labels, first.metadata) == (["x"], {"year": "1990"})
    assert (second.text, second.labels) == (long, [])
    raw = file.read_bytes()
    place = first.place
    assert raw[place.offset : place.offset + place.length] == (
        b'7,"two ""lines"":\r\nhere",x,1990'
    )
    assert (place.form, place.field, place.delimiter) == ("csv", 1, ",")


def test_tsv_numbers_its_rows(tmp_path):
    file = write(tmp_path / "a.tsv", "text\tkind\na, b\tx\n\t\n")
    assert [(r.id, r.text) for r in read(file)] == [("0", "a, b"), ("1", "")]
    assert read(file, text_field="kind", id_field="text")[0][:2] == ("a, b", "x")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("x,y\n1,2\n", {}, "bad.csv:1: none of the fields .* The fields are: x, y"),
        ("text,y\na,b\na\n", {}, "bad.csv:3: a row must have 2 cells .* got 1"),
        ("text,y\na,b\n", {"label_field": "z"}, "bad.csv:1: there is no field 'z'"),
        ("text,text\na,b\n", {}, "bad.csv:1: column names must differ"),
        ('text\na\n"b\nc\n', {}, "bad.csv:3: the row that starts here is broken"),
        (b"text\n\xf8\n", {}, "bad.csv:2: byte 0xf8"),
    ],
)
def test_csv_names_the_bad_line(tmp_path, content, options, message):
    file = write(tmp_path / "bad.csv", content)
    with pytest.raises(ValueError, match=message):
        read(file, **options)


# One document a line, and a folder of files


def test_lines_keep_blank_documents_and_odd_separators(tmp_path):
    file = write(tmp_path / "a.txt", "\ufeffone\r\n\ntwo\x85more\n")
    records = read(file)
    assert [(r.id, r.text) for r in records] == [
        ("0", "one"),
        ("1", ""),
        ("2", "two\x85more"),
    ]
    assert records[0].place == Place(str(file), 3, 3)


def test_lines_in_another_encoding(tmp_path):
    file = write(tmp_path / "a.txt", "kø\n".encode("latin-1"))
    assert read(file, encoding="latin-1")[0].text == "kø"
    with pytest.raises(ValueError, match=r"a\.txt:1: byte 0xf8 is not valid utf-8"):
        read(file)
    with pytest.raises(ValueError, match="'klingon' is not known"):
        read(file, encoding="klingon")
    with pytest.raises(ValueError, match="iconv -f utf-16"):
        read(file, encoding="utf-16")


def test_folder_is_read_sorted_with_labels(tmp_path):
    for name in ("b/2.txt", "b/1.txt", "a/deep/3.txt", "0.txt", "b/.x.txt", "b/n.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write(tmp_path / name, f"\ufeffin {name}")
    records = read(tmp_path)
    assert [(r.id, list(r.labels)) for r in records] == [
        ("0.txt", []),
        ("a/deep/3.txt", ["deep"]),
        ("b/1.txt", ["b"]),
        ("b/2.txt", ["b"]),
    ]
    assert records[0].text == "in 0.txt"
    assert records[0].place == Place(str(tmp_path / "0.txt"), 3, 8)


def test_folder_names_the_bad_file(tmp_path):
    with pytest.raises(ValueError, match=r"has no \.txt or \.md file"):
        read(tmp_path)
    write(tmp_path / "a.txt", b"one\ntwo \xff\n")
    with pytest.raises(ValueError, match=r"a\.txt:2: byte 0xff"):
        read(tmp_path)


# Counts


def test_ldac_adds_doubles_and_keeps_empty_documents(tmp_path):
    file = write(tmp_path / "a.ldac", "3 0:1 2:2 0:4\r\n\r\n0\r\n1 1:0.5\r\n\r\n\r\n")
    write(tmp_path / "a.vocab", "cat\r\ndog\r\nnew fish\r\n\r\n")
    records = open_records(file)
    assert records.vocabulary == ["cat", "dog", "new fish"]
    assert records.n_words == 3
    assert [dense(r, 3) for r in records] == [
        [5, 0, 2],
        [0, 0, 0],
        [0, 0, 0],
        [0, 0.5, 0],
    ]
    assert [r.id for r in records] == ["0", "1", "2", "3"]


def test_ldac_finds_or_takes_files_beside_it(tmp_path):
    file = write(tmp_path / "train.dat", "1 0:1\n1 1:1\n")
    assert open_records(file).vocabulary is None
    write(tmp_path / "vocab.txt", "cat\ndog\n")
    write(tmp_path / "train.labels", "x\ny\n")
    assert open_records(file).vocabulary == ["cat", "dog"]
    assert [r.labels for r in open_records(file)] == [["x"], ["y"]]
    other = write(tmp_path / "other", "a\nb\nc\n")
    assert open_records(file, vocabulary=other).vocabulary == ["a", "b", "c"]
    for labels in ("x\n", "x\ny\nz\n"):
        write(tmp_path / "some", labels)
        with pytest.raises(ValueError, match=r"train.dat:2: .* as many labels"):
            read(file, labels=tmp_path / "some")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 0:1\n2 0:1\n", "bad.ldac:2: 2 entries are announced, but 1 follow"),
        ("0 0:1\n", "bad.ldac:1: 0 entries are announced, but 1 follow"),
        ("1 0:-1\n", "bad.ldac:1: .* got '0:-1'"),
        ("1 0\n", "bad.ldac:1: .* got '0'"),
        ("1 0:x\n", "bad.ldac:1: .* got '0:x'"),
        ("1 0:nan\n", "bad.ldac:1: .* got '0:nan'"),
        ("x 0:1\n", "bad.ldac:1: .* got 'x'"),
        ("1 2:1\n", "bad.ldac:1: there is no word 2; the vocabulary has 2"),
        (b"1 0:1\n\xff\n", "bad.ldac:2: byte 0xff"),
    ],
)
def test_ldac_names_the_bad_line(tmp_path, content, message):
    file = write(tmp_path / "bad.ldac", content)
    write(tmp_path / "bad.vocab", "cat\ndog\n")
    with pytest.raises(ValueError, match=message):
        read(file)


def test_ldac_refuses_absurd_words_without_a_vocabulary(tmp_path):
    file = write(tmp_path / "bad.ldac", "1 99999999999999999999:1\n")
    with pytest.raises(ValueError, match=r"bad\.ldac:1: there is no vocabulary, and w"):
        read(file)


def test_uci_fills_in_empty_documents(tmp_path):
    file = write(
        tmp_path / "docword.toy.txt", "4\n3\n4\n2 1 5\n2 3 1\n2 1 1\n3 2 2\r\n\n"
    )
    write(tmp_path / "vocab.toy.txt", "cat\ndog\nfish\n")
    records = open_records(file)
    assert (records.format, records.n_words) == ("uci", 3)
    assert records.vocabulary == ["cat", "dog", "fish"]
    assert [(r.id, dense(r, 3)) for r in records] == [
        ("1", [0, 0, 0]),
        ("2", [6, 0, 1]),
        ("3", [0, 2, 0]),
        ("4", [0, 0, 0]),
    ]


@pytest.mark.parametrize("step", [1, 2, 3, 100])
def test_uci_goes_through_gaps_in_steps(tmp_path, monkeypatch, step):
    monkeypatch.setattr(uci, "_STEP", step)
    content = "9\n3\n4\n3 1 5\n3 3 1\n4 2 2\n7 1 1\n"
    file = write(tmp_path / "docword.toy.txt", content)
    rows = {"3": [5, 0, 1], "4": [0, 2, 0], "7": [1, 0, 0]}
    assert [(r.id, dense(r, 3)) for r in read(file)] == [
        (str(n), rows.get(str(n), [0, 0, 0])) for n in range(1, 10)
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("2\n3\n", "bad.txt:3: the number of triples is missing"),
        ("2\nx\n1\n", "bad.txt:2: this line must hold 1 whole number"),
        ("2\n3\n1\n1 1\n", "bad.txt:4: this line must hold 3 whole number"),
        ("2\n3\n1\n1 1 -2\n", "bad.txt:4: this line must hold 3 .* got '1 1 -2'"),
        ("2\n3\n1\n1 4 1\n", "bad.txt:4: there is no word 4; .* 3, numbered from 1"),
        ("2\n3\n1\n1 0 1\n", "bad.txt:4: there is no word 0"),
        ("2\n3\n2\n2 1 1\n1 1 1\n", "bad.txt:5: documents must .* got 1 after 2"),
        ("2\n3\n1\n3 1 1\n", "bad.txt:4: documents must increase from 1 to 2, got 3"),
        ("2\n3\n2\n1 1 1\n", "bad.txt:4: 2 triples are announced, but 1 follow"),
    ],
)
def test_uci_names_the_bad_line(tmp_path, content, message):
    file = write(tmp_path / "bad.txt", content)
    with pytest.raises(ValueError, match=message):
        read(file, format="uci")


def test_matrix_market_in_its_variants(tmp_path):
    head = "%%MatrixMarket matrix "
    file = write(
        tmp_path / "a.mtx", head + "coordinate integer general\n2 3 2\n1 1 5\n1 3 1\n"
    )
    write(tmp_path / "a.vocab", "cat\ndog\nfish\n")
    records = open_records(file)
    assert (records.n_words, records.vocabulary) == (3, ["cat", "dog", "fish"])
    assert [dense(r, 3) for r in records] == [[5, 0, 1], [0, 0, 0]]
    full = write(tmp_path / "b.mtx", head + "array real general\n2 1\n1.5\n0\n")
    assert [dense(r, 1) for r in read(full)] == [[1.5], [0]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("hello\n", "bad.mtx:1: Not a Matrix Market file"),
        ("coordinate integer general\n1 1 1\n1 x 1\n", "bad.mtx:3: "),
        ("coordinate integer general\n1 1 1\n1 2 1\n", "bad.mtx:3: Column index"),
        ("coordinate integer general\n1 1 2\n1 1 1\n", "bad.mtx:3: Truncated"),
        ("coordinate complex general\n1 1 1\n1 1 1 1\n", "bad.mtx:1: .* complex"),
    ],
)
def test_matrix_market_names_the_bad_line(tmp_path, content, message):
    head = "" if content == "hello\n" else "%%MatrixMarket matrix "
    file = write(tmp_path / "bad.mtx", head + content)
    with pytest.raises(ValueError, match=message):
        read(file)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("docword.x.txt", "1\n3\n0\n"),
        ("x.mtx", "%%MatrixMarket matrix coordinate integer general\n1 3 0\n"),
    ],
)
def test_a_vocabulary_of_another_size_is_refused(tmp_path, name, content):
    file = write(tmp_path / name, content)
    words = write(tmp_path / "words", "a\nb\n")
    with pytest.raises(ValueError, match="has 3 words, but its vocabulary has 2"):
        open_records(file, vocabulary=words)
