"""A corpus as it is saved: settings, arrays and lists of strings."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from leantopics._validation import check_canonical
from leantopics.corpus.analyser import (
    PREFIX,
    check_analyser,
    join_analyser,
    split_analyser,
)
from leantopics.corpus.text_refs import LazyTexts
from leantopics.corpus.validation import (
    check_vocabulary,
    index_type,
    label_list,
    length_message,
    to_json,
)
from leantopics.storage import Folder, Mapped, map_file

SENSELESS = (KeyError, TypeError, ValueError, OverflowError, RecursionError)
"""Errors raised by reading saved content that makes no sense."""


def folder_of(columns: Mapping[str, Any]) -> Folder:
    """Return what is saved of a corpus, given its attributes by name."""
    counts, texts = columns["counts"], columns["texts"]
    analyser, words = split_analyser(columns["analyser"])
    content: dict[str, Any] = {"shape": list(counts.shape), "analyser": analyser}
    arrays: dict[str, npt.NDArray[Any]] = {
        "data": counts.data,
        "indices": counts.indices.astype(index_type(counts.nnz), copy=False),
        "indptr": counts.indptr,
    }
    strings: dict[str, Any] = {
        "vocabulary": columns["vocabulary"],
        "ids": columns["ids"],
        **words,
    }
    for name in ("labels", "metadata"):
        if columns[name] is not None:
            strings[name] = to_json(name, columns[name])
    if isinstance(texts, LazyTexts):
        form = ("form", "field", "delimiter", "encoding")
        content["texts"] = {name: getattr(texts, name) for name in form}
        strings["text_files"] = texts.files
        for name in ("file_of", "offsets", "lengths"):
            arrays[f"text_{name}"] = getattr(texts, name)
    elif texts is not None:
        strings["texts"] = texts
    return Folder(content, arrays, strings)


def loaded_columns(folder: Folder) -> dict[str, Any]:
    """Return the arguments of a corpus that was loaded into memory."""
    content, arrays, strings = folder
    labels, metadata = (
        [json.loads(item) for item in strings[name]] if name in strings else None
        for name in ("labels", "metadata")
    )
    return {
        "counts": sparse.csr_array(
            (arrays["data"], arrays["indices"], arrays["indptr"]),
            shape=tuple(content["shape"]),
        ),
        "vocabulary": strings["vocabulary"],
        "ids": strings["ids"],
        "labels": labels,
        "metadata": metadata,
        "texts": _lazy_texts(content, arrays, strings.get("text_files"))
        or strings.get("texts"),
        "analyser": join_analyser(content.get("analyser"), strings),
    }


def mapped_columns(saved: Mapped) -> dict[str, Any]:
    """Return the attributes of a corpus that stays on disk, checked.

    The vocabulary and how texts were counted are read; the counts, and what belongs to
    single documents, stay in their files.
    """
    content, arrays = saved.content, saved.arrays
    counts = mapped_counts(
        arrays["data"], arrays["indices"], arrays["indptr"], tuple(content["shape"])
    )
    n_docs, n_words = counts.shape
    vocabulary = check_vocabulary(saved.strings("vocabulary"), n_words)
    readers: dict[str, Callable[[str], Any]] = {
        "ids": str,
        "labels": lambda item: label_list(json.loads(item)),
        "metadata": lambda item: dict(json.loads(item) or {}),
        "texts": str,
    }
    columns: dict[str, Sequence[Any] | None] = {
        name: saved.items(name, read) if name in saved.files else None
        for name, read in readers.items()
    }
    if "texts" in content:
        columns["texts"] = _lazy_texts(content, arrays, saved.strings("text_files"))
    for name, values in columns.items():
        if values is not None and len(values) != n_docs:
            raise ValueError(length_message(name, n_docs, len(values)))
    lists = {
        name: saved.strings(name) for name in saved.files if name.startswith(PREFIX)
    }
    analyser = join_analyser(content.get("analyser"), lists)
    return {
        **columns,
        "counts": counts,
        "vocabulary": vocabulary,
        "analyser": check_analyser(analyser, vocabulary),
    }


def mapped_counts(
    data: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    indptr: npt.NDArray[Any],
    shape: tuple[int, int],
) -> "sparse.csr_array[np.float64]":
    """Return mapped counts as a matrix; refuse those that `canonical` would change."""
    check_canonical(data, indices, indptr, shape)
    # Words of this type are not copied; older versions saved narrower ones.
    kind = np.promote_types(index_type(len(data)), indices.dtype)
    words, rows = (each.astype(kind, copy=False) for each in (indices, indptr))
    return sparse.csr_array((data, words, rows), shape=shape)


def spilled_counts(
    parts: Iterable["sparse.csr_array[np.float64]"],
    kind: np.dtype[Any],
    shape: tuple[int, int],
) -> "sparse.csr_array[np.float64]":
    """Write counts, given in parts, to temporary files, and map them.

    ``kind`` is the type of the numbers of words.
    """
    with TemporaryFile() as data, TemporaryFile() as indices:
        indptr = write_rows(parts, data, indices, kind)
        return mapped_counts(
            map_file(data, np.dtype("<f8"), int(indptr[-1])),
            map_file(indices, kind, int(indptr[-1])),
            indptr,
            shape,
        )


def write_rows(
    parts: Iterable[Any], data: Any, indices: Any, kind: npt.DTypeLike
) -> npt.NDArray[np.int64]:
    """Write the rows of CSR matrices to two files; return where each begins, and ends.

    ``kind`` is the type of the numbers of words.
    """
    ends = [np.zeros(1, np.int64)]
    for part in parts:
        part.sort_indices()
        data.write(part.data.astype(np.float64, copy=False).data)
        indices.write(part.indices.astype(kind, copy=False).data)
        ends.append(ends[-1][-1] + part.indptr[1:].astype(np.int64))
    return np.concatenate(ends)


def _lazy_texts(
    content: Mapping[str, Any], arrays: Mapping[str, Any], files: Sequence[str] | None
) -> LazyTexts | None:
    """Return the texts of a corpus that stay in their original files, if any do."""
    if "texts" not in content:
        return None
    if files is None:
        raise KeyError("text_files")
    places = (arrays[f"text_{name}"] for name in ("file_of", "offsets", "lengths"))
    return LazyTexts([*files], *places, **content["texts"])
