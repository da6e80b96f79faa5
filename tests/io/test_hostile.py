"""Damaged and hostile input: the right result or one sentence, little memory.

The limits are those of `leantopics._limits`; docs/reliability.md has the table.
"""

import gzip
import lzma
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import zstandard
from scipy import sparse

from leantopics import Corpus, ParsimoniousTopicModel, TextVectorizer, read_corpus
from leantopics._limits import DEFAULTS, limit, variable
from leantopics.analysis.groups import topic_shares
from leantopics.evaluation import coherence, log_likelihood
from leantopics.io import by_row, open_records

CASES = sorted(path for path in Path(__file__).with_name("cases").iterdir())
MTX = "%%MatrixMarket matrix coordinate real general\n"


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refused(path, message, **options):
    """Reading stops with one sentence that names the file, and little memory."""
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=message) as caught:
            read_corpus(path, **options)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    told = str(caught.value)
    assert type(caught.value) is ValueError
    assert path.name in told
    assert "\n" not in told
    assert len(told) < 500
    assert peak < 20_000_000
    return told


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_cases_that_the_fuzzer_found(case):
    refused(case, ".")


# Bytes that are no text


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.csv", "a.ldac", "a.mtx"])
def test_utf_16_is_told(tmp_path, codec, name):
    file = write(tmp_path / name, '{"text": "a cat"}\n'.encode(codec))
    refused(file, r":1: this is UTF-16.*iconv -f utf-16 -t utf-8")


def test_utf_16_in_a_folder_and_in_a_vocabulary(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    write(folder / "a.txt", "a cat".encode("utf-16"))
    with pytest.raises(ValueError, match=r"a\.txt:1: this is UTF-16"):
        read_corpus(folder)
    write(tmp_path / "a.vocab", "cat\n".encode("utf-16"))
    with pytest.raises(ValueError, match=r"a\.vocab:1: this is UTF-16"):
        read_corpus(write(tmp_path / "a.ldac", "1 0:1\n"))


@pytest.mark.parametrize(
    ("name", "content", "tokens"),
    [
        ("a.txt", "a cat\n", 1),
        ("a.jsonl", '{"text": "cat"}\n', 1),
        ("a.csv", "text\ncat\n", 1),
        ("a.tsv", "text\ncat\n", 1),
        ("a.ldac", "1 0:1\n", 1),
        ("docword.a.txt", "1\n1\n1\n1 1 1\n", 1),
        ("a.mtx", MTX + "1 1 1\n1 1 1\n", 1),
    ],
)
def test_the_mark_of_utf_8_is_left_out(tmp_path, name, content, tokens):
    corpus = read_corpus(write(tmp_path / name, "\ufeff" + content))
    assert (len(corpus), corpus.n_tokens) == (1, tokens)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.txt", 2),
        ("a.jsonl", 2),
        ("a.csv", 2),
        ("a.ldac", 2),
        ("docword.a.txt", 2),
        ("a.mtx", 2),
    ],
)
def test_invalid_utf_8_is_told_with_its_line(tmp_path, name, line):
    start = {
        "a.jsonl": b'{"text": "a"}\n',
        "a.ldac": b"0\n",
        "docword.a.txt": b"1\n",
        "a.mtx": MTX.encode(),
    }.get(name, b"text\n")
    file = write(tmp_path / name, start + b"caf\xe9\n")
    told = refused(file, rf":{line}: byte 0xe9 is not valid utf-8.*--encoding latin-1")
    assert told.count(".") >= 1


def test_the_way_out_of_invalid_utf_8_works_for_counts(tmp_path):
    content = MTX.encode() + b"% caf\xe9\n1 1 1\n1 1 3\n"
    file = write(tmp_path / "a.mtx", content)
    assert read_corpus(file, encoding="latin-1").n_tokens == 3


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (gzip.compress(b"a cat\n"), "gzip"),
        (lzma.compress(b"a cat\n"), "xz"),
        (zstandard.compress(b"a cat\n"), "zstd"),
        (b"BZh91AY&SY", "bzip2"),
        (b"PK\x03\x04", "zip"),
    ],
    ids=["gzip", "xz", "zstd", "bzip2", "zip"],  # gzip has the time in its bytes
)
def test_a_compressed_file_without_its_suffix_is_told(tmp_path, raw, what):
    refused(write(tmp_path / "a.txt", raw), rf"a\.txt:1: this is .*{what}")


def test_a_compression_that_is_not_read(tmp_path):
    refused(write(tmp_path / "a.txt.bz2", b"BZh9"), "cannot be read; use one of .gz")


@pytest.mark.parametrize("encoding", ["utf\0", "idna", "punycode", "hex", "rot13"])
def test_encodings_that_are_none(tmp_path, encoding):
    file = write(tmp_path / "a.txt", "xn--a dog\n")
    with pytest.raises(ValueError, match=r"[Ee]ncoding|cannot be read line by line"):
        read_corpus(file, encoding=encoding)


def test_control_characters_and_marks_part_words(tmp_path):
    """NUL, escapes and marks of direction are no letters: they never are in a word."""
    text = "cat\0dog \x1b\x07 ab\u202ecd\u202c ef\u200fgh \u2066ij\u2069\n"
    corpus = read_corpus(write(tmp_path / "a.txt", text))
    assert corpus.vocabulary == ["ab", "cat", "cd", "dog", "ef", "gh", "ij"]
    assert corpus.texts[0] == text.rstrip("\n")


def test_nul_in_every_text_format(tmp_path):
    for name, content in (
        ("a.csv", "text\ncat\0dog\n"),
        ("a.jsonl", '{"text": "cat\\u0000dog"}\n'),
    ):
        assert read_corpus(write(tmp_path / name, content)).vocabulary == ["cat", "dog"]
    refused(
        write(tmp_path / "b.jsonl", '{"text": "cat\0dog"}\n'), "Invalid control char"
    )


# Sizes


def test_limits_can_be_set(monkeypatch):
    for name, value in DEFAULTS.items():
        assert limit(name) == value
        monkeypatch.setenv(variable(name), "17")
        assert limit(name) == 17
        for wrong in ("0", "-3", "many", "1e6", "9" * 30):
            monkeypatch.setenv(variable(name), wrong)
            with pytest.raises(ValueError, match=f"{variable(name)} must be a whole"):
                limit(name)


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.txt", "short\n" + "word " * 30 + "\n", 2),
        ("a.jsonl", '{"text": "' + "word " * 30 + '"}\n', 1),
        ("a.csv", 'text\n"' + "word\n" * 30 + '"\n', 2),
        ("a.ldac", "0\n20 " + "1:1 " * 30 + "\n", 2),
        ("a.mtx", MTX + "%" * 101 + "\n1 1 0\n", 2),
        ("a.mtx", MTX + "1 1 2\n1 1 1\n" + " " * 99 + "1 1 1\n", 4),
        ("docword.a.txt", "1\n1\n2\n1 1 1\n" + " " * 99 + "1 1 1\n", 5),
    ],
)
def test_a_line_or_row_that_is_too_long(tmp_path, monkeypatch, name, content, line):
    monkeypatch.setenv("LEANTOPICS_MAX_LINE", "100")
    file = write(tmp_path / name, content)
    refused(file, rf":{line}: this (line|row) is longer than 100 bytes; .*_MAX_LINE hi")


def test_a_file_of_a_folder_that_is_too_long(tmp_path, monkeypatch):
    monkeypatch.setenv("LEANTOPICS_MAX_LINE", "100")
    write(tmp_path / "a.txt", "word\n" * 30)
    with pytest.raises(ValueError, match=r"a\.txt:1: this file is longer than 100"):
        read_corpus(tmp_path)


def test_a_quote_that_is_never_closed_does_not_take_the_whole_file(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("LEANTOPICS_MAX_LINE", "1000")
    file = write(tmp_path / "a.csv", 'text\n"cat\n' + "dog\n" * 100_000)
    refused(file, ":2: this row is longer")


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [
        (".gz", gzip.compress),
        (".xz", lzma.compress),
        (".zst", zstandard.ZstdCompressor().compress),
    ],
)
def test_a_bomb_is_refused(tmp_path, monkeypatch, suffix, compress):
    monkeypatch.setattr("leantopics.io.streams.ALWAYS", 1 << 20)
    file = write(
        tmp_path / f"a.jsonl{suffix}", compress((b" " * 1023 + b"\n") * (1 << 15))
    )
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"more than 100 times .*_MAX_EXPANSION hig"):
        list(open_records(file))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16_000_000  # of which the window of xz takes 8
    monkeypatch.setenv("LEANTOPICS_MAX_EXPANSION", "100000")
    assert list(open_records(file)) == []


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "docword.a.txt"])
def test_a_file_that_was_cut(tmp_path, name, suffix):
    content = (MTX + "1 1 1\n1 1 1\n").encode() if name == "a.mtx" else b"1\n1\n0\n"
    compress = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstandard.compress}
    whole = compress[suffix](content * 1)
    refused(write(tmp_path / (name + suffix), whole[:-5]), "cannot be uncompressed")


def test_xz_that_wants_much_memory(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 30}]
    file = write(tmp_path / "a.txt.xz", lzma.compress(b"a cat\n", filters=filters))
    refused(file, "cannot be uncompressed: Memory usage limit exceeded")


def test_frames_of_xz_may_be_padded(tmp_path):
    once = lzma.compress(b"a cat\n")
    file = write(tmp_path / "a.txt.xz", once + bytes(8) + once + bytes(4))
    assert read_corpus(file).n_tokens == 2
    refused(write(tmp_path / "b.txt.xz", once + b"rest"), "cannot be uncompressed")


@pytest.mark.parametrize("form", [Corpus, ParsimoniousTopicModel(1).fit])
def test_a_masked_array(form):
    with pytest.raises(ValueError, match="Counts must not have masked entries"):
        form(np.ma.masked_array([[1.0, 2.0]], [[True, False]]))


@pytest.mark.parametrize("form", [Corpus, ParsimoniousTopicModel(1).fit])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("index", [-3, 7, 2**30])
def test_a_sparse_matrix_with_indices_outside_it(form, kind, index):
    matrix = kind(np.ones((2, 2)))
    matrix.indices[0] = index
    with pytest.raises(ValueError, match="Counts must be a sound sparse matrix"):
        form(matrix)


def given(**changed):
    """A state made elsewhere, a part of which is another."""
    ones = np.ones((2, 2))
    state = dict(alpha=ones / 2, beta=ones / 2, u=ones, v=ones, beta0=ones[0] / 2)
    return ParsimoniousTopicModel.from_arrays(ones, **{**state, **changed})


DOORS = {
    "alpha": lambda matrix: given(alpha=matrix),
    "u": lambda matrix: given(u=matrix),
    "doc_topic": lambda matrix: topic_shares(matrix, [1, 1], ["a", "b"]),
    "counts": lambda matrix: coherence([[0, 1]], matrix),
    "topic_word": lambda matrix: log_likelihood(np.ones((2, 2)), np.eye(2), matrix),
}


@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize("index", [-3, 7, 2**30])
def test_a_sparse_matrix_of_something_else(name, index):
    matrix = sparse.csr_array(np.ones((2, 2)))
    matrix.indices[0] = index
    with pytest.raises(ValueError, match=f"{name} must be a sound sparse matrix"):
        DOORS[name](matrix)


@pytest.mark.parametrize("form", [Corpus, ParsimoniousTopicModel(1).fit])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_a_sparse_matrix_that_ends_before_it_begins(form, kind):
    matrix = kind(np.ones((3, 3)))
    matrix.indptr[-1] = 0
    with pytest.raises(ValueError, match="Counts must be a sound sparse matrix"):
        form(matrix)


def outside_lil(matrix, index):
    matrix.rows[0][0] = index


def outside_coo(matrix, index):
    matrix.col[0] = index


def outside_dok(matrix, index):
    matrix._dict[0, index] = 1.0


def fewer_counts(matrix, index):
    matrix.data = matrix.data[:1]


FORMATS = [
    (sparse.coo_array, outside_coo),
    (sparse.coo_matrix, outside_coo),
    (sparse.coo_array, fewer_counts),
    (sparse.lil_array, outside_lil),
    (sparse.lil_matrix, outside_lil),
    (sparse.dok_array, outside_dok),
]


@pytest.mark.parametrize("form", [Corpus, ParsimoniousTopicModel(1).fit])
@pytest.mark.parametrize(("kind", "change"), FORMATS)
@pytest.mark.parametrize("index", [-3, 7, 2**30])
def test_a_sparse_matrix_of_another_format(form, kind, change, index):
    matrix = kind(np.ones((2, 2)))
    change(matrix, index)
    with pytest.raises(ValueError, match="Counts must be a sound sparse matrix"):
        form(matrix)


def test_a_word_of_a_megabyte_is_left_out(tmp_path):
    file = write(tmp_path / "a.txt", "cat " + "a" * 1_000_000 + " dog\n")
    assert read_corpus(file).vocabulary == ["cat", "dog"]
    longest = "b" * DEFAULTS["word"]
    vectorizer = TextVectorizer(ngrams=(1, 2), stem="english")
    vectorizer.fit(["cat " + longest + " " + longest + "b dog"])
    assert vectorizer.vocabulary_[-1] == "dog"
    assert vectorizer.vocabulary_[:2] == [longest, longest + " dog"]


def test_a_document_of_a_million_words(tmp_path):
    file = write(tmp_path / "a.txt", "cat dog " * 500_000 + "\n")
    corpus = read_corpus(file)
    assert corpus.counts.data.tolist() == [500_000, 500_000]


# Claims


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.ldac", "1 2147483646:1\n", ":1: there is no vocabulary, .*_MAX_WORDS hig"),
        ("a.ldac", "1 4294967296:1\n", ":1: there is no vocabulary"),
        ("a.ldac", f"1 {'9' * 5000}:1\n", ":1: a number must .* got 5000"),
        ("a.ldac", f"{'9' * 5000} 0:1\n", ":1: a number must .* got 5000"),
        ("docword.a.txt", "9\n1000000000\n0\n", "1000000000 words, more than 1048576"),
        ("docword.a.txt", "1000000000\n9\n0\n", "1000000000 documents, more than 1000"),
        ("docword.a.txt", "1000000000\n9\n1\n1000000000 1 1\n", "more than 10000"),
        ("docword.a.txt", f"{'9' * 5000}\n9\n0\n", ":1: a number must .* got 5000"),
        ("a.mtx", MTX + "1000000000 9 0\n", "1000000000 documents, more than 10000"),
        ("a.mtx", MTX + "9 3000000000 0\n", "3000000000 words, more than 1048576"),
        (
            "a.mtx",
            MTX + "9 9 100000000000\n1 1 1\n",
            "announced, but the file is too s",
        ),
        ("a.mtx", MTX + f"{'9' * 5000} 9 0\n", ":2: a number must .* got 5000"),
        ("a.mtx", MTX + "-5 9 0\n", ":2: the size of the matrix must be 3 whole"),
        ("a.mtx", MTX, "the size of the matrix is missing"),
        ("a.mtx", "", ":1: Not a Matrix Market file"),
    ],
)
def test_a_size_that_is_only_told(tmp_path, name, content, message):
    refused(write(tmp_path / name, content), message)


def test_an_array_that_is_only_told(tmp_path):
    content = "%%MatrixMarket matrix array real general\n100000 100000\n1\n"
    refused(write(tmp_path / "a.mtx", content), ":2: 10000000000 entries are announced")


def test_a_large_vocabulary_can_be_allowed(tmp_path, monkeypatch):
    file = write(tmp_path / "a.ldac", "1 20:1\n")
    monkeypatch.setenv("LEANTOPICS_MAX_WORDS", "20")
    refused(file, "word 20 would make one of more than 20 words")
    monkeypatch.setenv("LEANTOPICS_MAX_WORDS", "21")
    assert read_corpus(file).n_words == 21


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.ldac", "1 0:{}\n"),
        ("docword.a.txt", "1\n1\n1\n1 1 {}\n"),
        ("a.mtx", MTX + "1 1 1\n1 1 {}\n"),
        ("a.mtx", MTX.replace("real", "integer") + "1 1 1\n1 1 {}\n"),
    ],
)
def test_counts_of_many_bits(tmp_path, name, content):
    for count in (2**31 - 1, 2**31, 2**53 - 1):
        file = write(tmp_path / name, content.format(count))
        assert read_corpus(file).counts.data.tolist() == [count]
    for count in (2**53, 2**53 + 1, 2**64, 10**300):
        refused(write(tmp_path / name, content.format(count)), "0 to 2.53 - 1, got")


@pytest.mark.parametrize("place", range(3))
def test_whole_numbers_of_many_digits(tmp_path, place):
    numbers = ["1", "1", "1"]
    numbers[place] = "9" * 500
    file = write(tmp_path / "docword.a.txt", f"1\n1\n1\n{' '.join(numbers)}\n")
    refused(file, ":4: this line must hold 3 whole number")


@pytest.mark.parametrize("token", ["1_0", "\u0661", "0x1", "1,5", "1\0"])
def test_numbers_that_only_python_reads(tmp_path, token):
    file = write(tmp_path / "a.mtx", MTX + f"2 1 2\n1 1 1\n2 1 {token}\n")
    refused(file, ":4: this line must hold 3 number")


@pytest.mark.parametrize("block", [1, 7, 64, 1 << 20])
def test_numbers_that_are_read_in_blocks(tmp_path, monkeypatch, block):
    """As SciPy reads them, whatever their order and the size of a block."""
    monkeypatch.setattr("leantopics.io.lines._BLOCK", block)
    monkeypatch.setattr(by_row, "_PART", block)
    rng = np.random.default_rng(0)
    row, column, value = rng.integers(0, 9, 60), rng.integers(0, 5, 60), rng.random(60)
    shuffled = sparse.coo_array((value.round(3), (row, column)), shape=(10, 5))
    square = sparse.coo_array(shuffled.toarray()[:5] + shuffled.toarray()[:5].T)
    for matrix in (shuffled, square, square.toarray(), sparse.csc_array((7, 5))):
        scipy.io.mmwrite(tmp_path / "a.mtx", matrix, precision=9)
        lines = (tmp_path / "a.mtx").read_text().splitlines(keepends=True)
        write(tmp_path / "a.mtx", "\r\n".join("".join(lines).split("\n")) + "\n \n")
        expected = scipy.io.mmread(tmp_path / "a.mtx")
        expected = expected.toarray() if sparse.issparse(expected) else expected
        found = read_corpus(tmp_path / "a.mtx").counts.toarray()
        np.testing.assert_allclose(found, expected, rtol=1e-15)
    order = np.lexsort((column, row))
    triples = np.column_stack((row, column, np.arange(60)))[order] + [1, 1, 0]
    body = "\n".join(" ".join(map(str, triple)) for triple in triples)
    write(tmp_path / "docword.a.txt", f"10\n5\n60\n{body}")
    expected = sparse.coo_array((triples[:, 2], (row[order], column[order])), (10, 5))
    found = read_corpus(tmp_path / "docword.a.txt").counts
    assert found.toarray().tolist() == expected.toarray().tolist()


@pytest.mark.parametrize("count", ["nan", "inf", "1e400"])
def test_counts_that_are_no_numbers(tmp_path, count):
    file = write(tmp_path / "a.mtx", MTX + f"2 1 2\n1 1 1\n2 1 {count}\n")
    refused(file, ":4: counts are numbers from 0 to 2.53 - 1")


def test_matrix_market_of_all_kinds(tmp_path):
    head = "%%MatrixMarket matrix "
    for content, expected in (
        ("coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n", [[1, 1], [1, 0]]),
        (
            "coordinate integer general\n\n% c\n2 2 2\n1 2 3\n\n1 2 4\n",
            [[0, 7], [0, 0]],
        ),
        ("array real general\n2 2\n1\n2\n3\n4.5\n", [[1, 3], [2, 4.5]]),
        ("array real symmetric\n2 2\n1\n2\n3\n", [[1, 2], [2, 3]]),
        ("coordinate real general\n1 2 0\n", [[0, 0]]),
    ):
        file = write(tmp_path / "a.mtx", head + content)
        assert read_corpus(file).counts.toarray().tolist() == expected
    for content, message in (
        ("coordinate real skew-symmetric\n2 2 0\n", "real and not negative"),
        ("coordinate real sorted\n2 2 0\n", "symmetry 'sorted' is not known"),
        ("array pattern general\n2 2\n", "no matrix of the kind array pattern"),
        ("coordinate real symmetric\n2 3 0\n", "must be square"),
        ("coordinate integer general\n1 1 1\n1 1 0.5\n", ":3: integers are announced"),
        ("coordinate real general\n1 1 1\n1.5 1 1\n", ":3: Row index 1.5 is not from"),
        ("coordinate real general\n1 1 1\n1 1 1\n1 1 1\n", "Too many lines"),
        ("coordinate real general\n1 1 1\n1 1\n", ":3: this line must hold 3 number"),
    ):
        refused(write(tmp_path / "a.mtx", head + content), message)


# JSON


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[" * 100_000, ":1: lists or objects are nested too deeply"),
        ('{"text": "a", "x": ' + "[" * 100_000, ":1: lists or objects are nested"),
        ('{"x":' * 100_000, ":1: lists or objects are nested too deeply"),
        (
            '{"text": "a", "x": ' + "9" * 10_000 + "}",
            ":1: a number has too many digits",
        ),
        ('{"text": "a", "text": "b"}', ":1: the field 'text' occurs twice"),
        ('{"text": ' + "[0, " * 50 + "0" + "]" * 50 + "}", "must be a string, got"),
    ],
)
def test_json_that_is_none(tmp_path, content, message):
    refused(write(tmp_path / "a.jsonl", content + "\n"), message)


def test_metadata_too_deep_to_save(tmp_path):
    deep: list = []
    for _ in range(sys.getrecursionlimit()):
        deep = [deep]
    corpus = Corpus([[1.0]], metadata=[{"x": deep}])
    with pytest.raises(TypeError, match="The metadata cannot be saved as JSON"):
        corpus.save(tmp_path / "c")


def test_documents_of_the_same_id_stay_two(tmp_path):
    """Ids are names, not keys: nothing is merged or lost."""
    file = write(tmp_path / "a.jsonl", '{"id": 1, "text": "cat"}\n' * 2)
    corpus = read_corpus(file)
    assert corpus.ids == ["1", "1"]
    assert np.array_equal(corpus.counts.toarray(), [[1], [1]])


@pytest.mark.parametrize(
    "name", ["a.txt", "a.jsonl", "a.csv", "a.ldac", "a.txt.gz", "a.txt.zst"]
)
def test_an_empty_file(tmp_path, name):
    refused(write(tmp_path / name, b""), "holds no document")


@pytest.mark.parametrize(
    "head",
    [
        "coordinate integer general\n0 5 0\n",
        "coordinate pattern symmetric\n0 0 0\n",
        "array real general\n0 5\n",
        "array real symmetric\n0 0\n",
    ],
)
def test_a_matrix_without_rows(tmp_path, head):
    file = write(tmp_path / "a.mtx", "%%MatrixMarket matrix " + head)
    assert list(open_records(file)) == []
    refused(file, "holds no document")


def test_names_of_columns_in_messages_are_one_line(tmp_path):
    columns = ",".join(f'"c\n{n}"' for n in range(99))
    told = refused(write(tmp_path / "a.csv", columns + "\n"), "--text-field")
    assert ", 'c\\n19', .... If these are no names" in told
