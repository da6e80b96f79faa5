"""Readers hold a document or a block at a time, however long the source is."""

import gzip
import json
import lzma
import tracemalloc

import numpy as np
import pyarrow
import pytest
import zstandard
from pyarrow import feather, parquet

from leantopics.io import FORMATS, by_row, open_records

FEW = 1000
"""Documents of the short source; the long one has ten times as many."""
MTX = "%%MatrixMarket matrix coordinate integer general\n"
N_WORDS = 20
COUNTS = [(n + 1, 1 + n % 3) for n in range(N_WORDS)]
TEXT = "the quick brown fox jumps over the lazy dog " * 8


def lines(path, rows):
    path.write_text("".join(f"{row}\n" for row in rows))


def triples(n_docs):
    return [f"{d + 1} {word} {count}" for d in range(n_docs) for word, count in COUNTS]


def write_jsonl(path, n_docs):
    lines(path, (json.dumps({"text": TEXT, "id": d, "year": 7}) for d in range(n_docs)))


def write_table(path, n_docs):
    between = "," if path.suffix == ".csv" else "\t"
    lines(path, ["text" + between + "label", *[f"{TEXT}{between}x"] * n_docs])


def write_lines(path, n_docs):
    lines(path, [TEXT] * n_docs)


def write_folder(path, n_docs):
    for d in range(n_docs):
        (path / str(d % 10)).mkdir(parents=True, exist_ok=True)
        (path / str(d % 10) / f"{d}.txt").write_text(TEXT)


def write_ldac(path, n_docs):
    row = " ".join(f"{word}:{count}" for word, count in COUNTS)
    lines(path, [f"{N_WORDS} {row}"] * n_docs)


def write_uci(path, n_docs):
    lines(path, [n_docs, N_WORDS, n_docs * N_WORDS, *triples(n_docs)])


def write_mtx(path, n_docs):
    size = f"{n_docs} {N_WORDS} {n_docs * N_WORDS}"
    lines(path, [MTX + size, *triples(n_docs)])


def write_mtx_by_column(path, n_docs):
    size = f"{n_docs} {N_WORDS} {n_docs * N_WORDS}"
    body = (f"{d + 1} {word} {count}" for word, count in COUNTS for d in range(n_docs))
    lines(path, [MTX + size, *body])


def write_mtx_array(path, n_docs):
    head = MTX.replace("coordinate", "array") + f"{n_docs} {N_WORDS}"
    lines(path, [head, *[3] * (n_docs * N_WORDS)])


def write_arrow(path, n_docs):
    rows = {"text": [TEXT] * n_docs, "year": [7] * n_docs}
    table = pyarrow.table(rows)
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=500)
    else:
        feather.write_feather(table, str(path), chunksize=500)


def compressed(compress):
    def write(path, n_docs):
        write_jsonl(path, n_docs)
        path.write_bytes(compress(path.read_bytes()))

    return write


SOURCES = {
    "jsonl": ("a.jsonl", write_jsonl),
    "csv": ("a.csv", write_table),
    "tsv": ("a.tsv", write_table),
    "lines": ("a.txt", write_lines),
    "folder": ("a", write_folder),
    "parquet": ("a.parquet", write_arrow),
    "arrow": ("a.feather", write_arrow),
    "ldac": ("a.ldac", write_ldac),
    "uci": ("docword.a.txt", write_uci),
    "mtx": ("a.mtx", write_mtx),
    "mtx by column": ("a.mtx", write_mtx_by_column),
    "mtx as an array": ("a.mtx", write_mtx_array),
    "gz": ("a.jsonl.gz", compressed(gzip.compress)),
    "xz": ("a.jsonl.xz", compressed(lzma.compress)),
    "zst": ("a.jsonl.zst", compressed(zstandard.compress)),
}
BY_DOCUMENT = {"folder": 300, "mtx": 40}
"""Bytes for each document: names of files, which are sorted; where rows begin."""


def test_all_formats_are_there():
    assert set(FORMATS) <= set(SOURCES)


@pytest.mark.parametrize("kind", SOURCES)
def test_ten_times_the_size_takes_the_same_memory(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("leantopics.io.lines._BLOCK", 1 << 14)
    monkeypatch.setattr(by_row, "_PART", 1 << 12)
    name, write = SOURCES[kind]
    peaks = []
    for n_docs in (FEW, 10 * FEW):
        (tmp_path / str(n_docs)).mkdir()
        source = tmp_path / str(n_docs) / name
        write(source, n_docs)
        n_read = n_tokens = 0
        tracemalloc.start()
        for record in open_records(source):
            n_read += 1
            if record.counts is not None:
                n_tokens += record.counts[1].sum()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert n_read == n_docs
        assert n_tokens in (0, n_docs * np.sum(COUNTS, axis=0)[1], 60 * n_docs)
    by_document = BY_DOCUMENT.get(kind.split()[0], 0)
    assert peaks[1] - peaks[0] < 2**17 + by_document * 9 * FEW


def test_counts_that_are_kept_hold_nothing_else(tmp_path):
    n_docs, n_words = 20, 5000
    body = (f"{d} {word} 3" for d in range(1, 21) for word in range(1, 5001))
    lines(tmp_path / "docword.a.txt", [n_docs, n_words, n_docs * n_words, *body])
    tracemalloc.start()
    kept = [record.counts for record in open_records(tmp_path / "docword.a.txt")]
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(kept) == n_docs
    assert held < 20 * n_docs * n_words


@pytest.mark.parametrize("doc", [1, 2_000_000])
def test_a_gap_of_empty_documents_takes_the_memory_of_a_part(
    tmp_path, monkeypatch, doc
):
    monkeypatch.setenv("LEANTOPICS_MAX_DOCUMENTS", "2000000")
    lines(tmp_path / "docword.a.txt", [2_000_000, 1, 1, f"{doc} 1 7"])
    tracemalloc.start()
    records = iter(open_records(tmp_path / "docword.a.txt"))
    first, second = next(records), next(records)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [first.id, second.id] == ["1", "2"]
    assert peak < 8_000_000
