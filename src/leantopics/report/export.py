"""Exports of a model: tables, JSON, Markdown, and arrays for pyLDAvis."""

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from leantopics._words import counted, for_spreadsheet
from leantopics.corpus import Corpus
from leantopics.report.documents import proportions_of
from leantopics.storage import atomic_file

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel

Summary = dict[str, Any]


def export(
    model: "ParsimoniousTopicModel",
    summary: Summary,
    folder: Path,
    corpus: Corpus | None = None,
    *,
    safe: bool = False,
) -> list[Path]:
    """Write topics.csv, words.csv, documents.csv, report.json and report.md.

    If the model has themes, also themes.csv; the other tables are of their topics.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        The model.
    summary : dict
        Its summary from `summarise`.
    folder : path
        Where to write; created if missing.
    corpus : Corpus, optional
        The documents. Without them, the documents of the fit are listed by number.
    safe : bool
        Whether to protect text in CSV that spreadsheets would take for formulas.
    """
    folder.mkdir(parents=True, exist_ok=True)
    fine = model if summary["finer"] is None or model.finer_ is None else model.finer_
    themes = summary["themes"] and _csv(theme_rows(summary), safe)
    contents = {
        "topics.csv": _csv(topic_rows(summary), safe),
        **({"themes.csv": themes} if themes else {}),
        "words.csv": _csv(word_rows(fine), safe),
        "documents.csv": _csv(document_rows(fine, corpus), safe),
        "report.json": json.dumps(summary, indent=1, ensure_ascii=False) + "\n",
        "report.md": to_markdown(summary),
    }
    for name, content in contents.items():
        with atomic_file(folder / name) as file:
            file.write(content.encode("utf-8", errors="replace"))
    return [folder / name for name in contents]


def topic_rows(summary: Summary) -> Iterable[list[Any]]:
    """Yield a row for each topic."""
    columns = ["topic", "name", "share", "documents", "salient_words", "npmi", "words"]
    yield [*columns, *(["theme"] if summary["themes"] else [])]
    for topic in summary["topics"]:
        yield [
            topic["number"],
            topic["name"] or "",
            topic["share"],
            topic["documents"],
            topic["salient"],
            "" if topic["coherence"] is None else topic["coherence"],
            _words(summary, topic, 20),
            *([topic["theme"]] if summary["themes"] else []),
        ]


def theme_rows(summary: Summary) -> Iterable[list[Any]]:
    """Yield a row for each theme."""
    yield ["theme", "name", "share", "documents", "words"]
    for theme in summary["themes"]:
        counts = [theme["share"], theme["documents"]]
        yield [theme["number"], theme["name"], *counts, _words(summary, theme, 20)]


def word_rows(model: "ParsimoniousTopicModel") -> Iterable[list[Any]]:
    """Yield a row for each salient word of each topic, most salient first.

    Words that the topic avoids follow those that it prefers.
    """
    yield ["topic", "word", "written", "probability", "shared_probability", "nats"]
    forms, shared = model.surface_forms, model.shared_word_prob_
    for j in range(model.n_topics_):
        row, nats = model.salient_word_prob_[[j]], model.salience_[[j]].data
        avoided = row.data < shared[row.indices]
        for i in np.lexsort((-nats, avoided)):
            n = row.indices[i]
            values = (float(row.data[i]), float(shared[n]), float(nats[i]))
            yield [j, model.vocabulary_[n], forms[n], *values]


def document_rows(
    model: "ParsimoniousTopicModel", corpus: Corpus | None
) -> Iterable[list[Any]]:
    """Yield a row for each topic of each document."""
    yield ["document", "topic", "proportion"]
    shares = proportions_of(model, corpus)
    for d in range(shares.shape[0]):
        row = slice(shares.indptr[d], shares.indptr[d + 1])
        name = str(d) if corpus is None else corpus.ids[d]
        for i in np.argsort(-shares.data[row], kind="stable"):
            entry = row.start + i
            yield [name, int(shares.indices[entry]), float(shares.data[entry])]


def to_markdown(summary: Summary) -> str:
    """Return a short summary and the table of topics as Markdown."""
    answer, themes = summary["finer"] or summary["answer"], summary["themes"]
    salient = counted(round(answer["salient_per_topic"]), "salient word")
    made_of = f"{counted(len(themes), 'theme')}, made of " if themes else ""
    lines = [
        f"# {_plain(summary['title'])}",
        "",
        f"{made_of}{counted(answer['n_topics'], 'topic')} in "
        f"{counted(answer['n_documents'], 'document')}; "
        f"{answer['topics_per_document']:.2f} topics per document, "
        f"{salient} per topic out of {answer['n_words']:,}.",
    ]
    for kind in ("theme", "topic") if themes else ("topic",):
        head = f"| {kind} | share | documents | salient words |"
        lines += ["", head, "|---:|---:|---:|---|"]
        for one in summary[f"{kind}s"]:
            name = f"{one['number']} {one['name'] or ''}".strip()
            lines.append(
                f"| {_plain(name)} | {one['share']:.1%} | {one['documents']:,} | "
                f"{_plain(_words(summary, one, 10))} |"
            )
    return "\n".join(lines) + "\n"


def _words(summary: Summary, topic: Summary, n: int) -> str:
    return " ".join(summary["words"][entry[0]] for entry in topic["words"][:n])


def to_pyldavis(model: "ParsimoniousTopicModel", corpus: Corpus) -> Summary:
    """Return arguments for ``pyLDAvis.prepare``; also pass it ``sort_topics=False``.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        The model.
    corpus : Corpus
        The documents of the fit, or others. Empty documents are left out.
    """
    aligned = corpus.align(model.vocabulary_)
    length: npt.NDArray[np.float64] = np.asarray(aligned.counts.sum(axis=1)).ravel()
    used = model.shared_word_prob_ > 0.0
    components, words = model.components_[:, used], model.surface_forms
    return {
        "topic_term_dists": components / components.sum(axis=1, keepdims=True),
        "doc_topic_dists": proportions_of(model, aligned).toarray()[length > 0],
        "doc_lengths": length[length > 0],
        "vocab": [words[n] for n in np.flatnonzero(used)],
        "term_frequency": np.asarray(aligned.counts.sum(axis=0)).ravel()[used],
    }


def _plain(text: str) -> str:
    """Escape a text for Markdown."""
    out = "".join(char if char.isprintable() else " " for char in text)
    for sign in "\\|<>*_`[]#":
        out = out.replace(sign, f"\\{sign}")
    return out


def _csv(rows: Iterable[list[Any]], safe: bool) -> str:
    out = io.StringIO()
    cells = ([*map(for_spreadsheet, row)] if safe else row for row in rows)
    csv.writer(out, lineterminator="\n").writerows(cells)
    return out.getvalue()
