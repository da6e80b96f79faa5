"""Convert any source to a saved corpus, in memory bounded by its vocabulary."""

import os
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from leantopics.corpus.analyser import split_analyser
from leantopics.corpus.saved import write_rows
from leantopics.corpus.validation import index_type
from leantopics.io import Records, open_records
from leantopics.io.remote import is_remote, stamp_of
from leantopics.io.streams import STDIN, is_special
from leantopics.storage import check_target, save_folder
from leantopics.storage.durable import named_file, only_one
from leantopics.text.forms import merge
from leantopics.text.read import analyser_of, nothing_message
from leantopics.text.spool import Spool
from leantopics.text.vectorizer import TextVectorizer
from leantopics.text.words import tokenizer_name


def convert_corpus(
    source: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    vectorizer: TextVectorizer | None = None,
    report: Callable[[int], object] = lambda n_docs: None,
    **reading: Any,
) -> int:
    r"""Read a corpus from any source and save it, with little of it in memory.

    Texts are cut into words once, as they are read; the counts go to a folder next to
    the target, ``<name>.partial``. After the last document the vocabulary is chosen,
    and the counts are sorted into its order. The result is the same as saving the
    corpus of `read_corpus` with texts kept. If the conversion is interrupted, the same
    call continues from the partial folder.

    Parameters
    ----------
    source : path or "-"
        See `leantopics.io.open_records`.
    path : path
        Where to save the corpus.
    vectorizer : TextVectorizer, optional
        How to count words of text; it is fitted in place.
    report : callable, optional
        Called from time to time with the number of documents read.
    **reading
        Parameters of `leantopics.io.open_records`.

    Returns
    -------
    int
        The number of documents.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from leantopics import Corpus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "pets.txt")
    ...     _ = file.write_text("a cat and a dog\na dog\n")
    ...     n_docs = convert_corpus(file, folder + "/pets")
    ...     n_docs, Corpus.open(folder + "/pets").vocabulary
    (2, ['and', 'cat', 'dog'])
    """
    target = Path(os.path.realpath(path))
    check_target(target, "corpus")
    vectorizer = vectorizer or TextVectorizer()
    records = open_records(source, **reading)
    partial = target.with_name(f"{target.name}.partial")
    with only_one(target.with_name(f".{target.name}.convert"), str(target)):
        spool = Spool(partial, _about(vectorizer, reading), _stamp(source))
        n_docs = spool.fill(iter(records), records.has_counts, vectorizer, report)
        if n_docs:
            _save_spooled(spool, target, records, vectorizer)
        spool.delete()
    if not n_docs:
        raise ValueError(nothing_message(records.source, reading.get("where")))
    return n_docs


def _save_spooled(
    spool: Spool, target: Path, records: Records, vectorizer: TextVectorizer
) -> None:
    """Choose the vocabulary of what was read, and save the corpus."""
    if records.has_counts:
        n_words = records.n_words
        if n_words is None:
            n_words = 1 + int(spool.array("words", np.int32).max(initial=-1))
        words = records.vocabulary or [str(n) for n in range(n_words)]
        _save(spool, target, words, np.arange(n_words), analyser=None)
    else:
        columns = vectorizer.learn([*spool.lines("forms")], spool.parts)
        analyser = analyser_of(records, vectorizer)
        _save(spool, target, vectorizer.vocabulary_, columns, analyser=analyser)


def _about(vectorizer: TextVectorizer, reading: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that identify a conversion, besides the source."""
    settings = {key: str(value) for key, value in vectorizer.get_params().items()}
    if vectorizer.tokenizer is not None:
        settings["tokenizer"] = tokenizer_name(vectorizer.tokenizer)
    options = {key: str(value) for key, value in reading.items() if value is not None}
    return {"version": version("leantopics"), "text": settings, "reading": options}


def _stamp(source: str | os.PathLike[str]) -> list[object]:
    """Return what identifies a source: an empty list for standard input or a pipe."""
    name = os.fspath(source)
    if is_remote(name):
        return stamp_of(name)
    if name == STDIN or is_special(name):
        return []
    found = os.stat(name)
    return [os.path.abspath(name), found.st_size, found.st_mtime_ns]


def _save(
    spool: Spool,
    target: Path,
    vocabulary: list[str],
    columns: npt.NDArray[np.int64],
    *,
    analyser: dict[str, Any] | None,
) -> None:
    """Sort the counts into the order of the vocabulary, and save the corpus.

    Texts are saved if there is an analyser, that is, if texts were counted.
    """
    kind = index_type(len(spool.array("words", np.int32)))
    parts = (merge(part, columns, len(vocabulary)) for part in spool.parts())
    with (
        named_file(spool.folder / "data", "wb") as data,
        named_file(spool.folder / "indices", "wb") as indices,
    ):
        indptr = write_rows(parts, data, indices, kind)
    arrays = {
        "data": spool.array("data", np.float64),
        "indices": spool.array("indices", kind),
        "indptr": indptr.astype(kind),
    }
    names = [name for name in ("labels", "metadata") if name in spool.has]
    texts = [] if analyser is None else ["texts"]
    settings, lists = split_analyser(analyser)
    save_folder(
        target,
        kind="corpus",
        content={"shape": [spool.n_docs, len(vocabulary)], "analyser": settings},
        arrays=arrays,
        strings={
            "vocabulary": vocabulary,
            **{name: spool.lines(name) for name in ("ids", *names, *texts)},
            **lists,
        },
    )
