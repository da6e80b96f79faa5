"""What the page of benchmarks says in words: its ten lines and its headings."""

from collections.abc import Callable
from typing import Any, NamedTuple

Cases = dict[str, dict[str, Any]]


class Line(NamedTuple):
    """A line of the page: a question, and the figures that answer it."""

    question: str
    case: str
    """Beginning of the names of the cases."""
    figure: str
    """Beginning of the label of the figure."""
    answer: Callable[[float], str]


def _nats(value: float) -> str:
    return f"{value:+.2f} nats"


def _times(value: float) -> str:
    return f"{value:.0f} times" if value >= 10 else f"{value:.2g} times"


LINES = (
    Line(
        "Are words of new documents predicted better than by LDA of scikit-learn? Per "
        "word, LDA at its best number of topics, each with its own inference",
        "held_out_",
        "ours minus scikit-learn LDA at its best",
        _nats,
    ),
    Line(
        "And better than by LDA of gensim?",
        "held_out_",
        "ours minus gensim LDA at its best",
        _nats,
    ),
    Line(
        "And better than by LDA of tomotopy?",
        "held_out_",
        "ours minus tomotopy LDA at its best",
        _nats,
    ),
    Line(
        "And better than by HDP of tomotopy, which finds its number of topics, too?",
        "held_out_",
        "ours minus tomotopy HDP at its best",
        _nats,
    ),
    Line(
        "Does the default search find a lower BIC than the sweep of the paper?",
        "search_",
        "mean BIC, default / sweep",
        lambda value: f"{value:+.2%}",
    ),
    Line(
        "How long does one fit of 100 topics by LDA of tomotopy take, in fits of ours?",
        "newsgroups_fit",
        "tomotopy LDA / fit to tol",
        _times,
    ),
    Line(
        "How long does a whole sweep over 46 numbers of topics take, compared with one "
        "fit by LDA of scikit-learn?",
        "newsgroups_sweep",
        "sweep / scikit-learn LDA",
        _times,
    ),
    Line(
        "How much longer does a fit take if there are twice as many documents?",
        "growth",
        "slope with documents",
        lambda value: _times(2**value),
    ),
    Line(
        "How much memory does a fit need whose counts fill 3.1 GiB on disk?",
        "on_disk",
        "peak GiB of fit",
        lambda value: f"{value:.2g} GiB",
    ),
    Line(
        "How many short documents a second get their topics?",
        "infer_ten_million",
        "documents per second, leantopics transform",
        lambda value: f"{value:,.0f}",
    ),
)

_CORPORA = {
    "20newsgroups": "20-Newsgroups",
    "reuters": "Reuters",
    "ohsumed": "Ohsumed",
    "labelme": "LabelMe",
    "acl": "abstracts of ACL",
    "imdb": "IMDB",
    "python_docs": "documentation of Python packages",
}
_FAMILIES = {
    "held_out": "Words of new documents:",
    "equal": "Seconds to equal predictions:",
    "search": "Choosing the number of topics:",
}
TITLES = {
    **{
        f"{family}_{name}": f"{title} {corpus}"
        for family, title in _FAMILIES.items()
        for name, corpus in _CORPORA.items()
    },
    "labels": "Labels of new documents",
    "bic_quality": "What the shortcuts cost in BIC",
    "newsgroups_fit": "One fit and its peers",
    "newsgroups_sweep": "A whole sweep and its peers",
    "reuters_sweep": "A sweep of Reuters",
    "growth": "How time grows with documents, words and topics",
    "works": "What an iteration spends its time on",
    "steps": "How near the steps are to the limits of the machine",
    "threads": "One thread and two",
    "memory": "How much memory a fit needs",
    "on_disk": "A corpus larger than memory",
    "cluster": "Several machines",
    "infer_ten_million": "Topics of ten million documents",
    "checkpoints": "What checkpoints cost",
    "pictures": "Memory for pictures",
    "lda_iteration": "Our own LDA",
    "npmi": "Coherence",
    "report": "The report",
    "startup": "Time to start",
}
"""Headings of the cases, in the order of the page."""


def title_of(name: str) -> str:
    """The heading of a case, or its name."""
    return TITLES.get(name, name)


def ordered(cases: Cases) -> list[str]:
    """Names of cases in the order of the page; those without a heading come last."""
    return [name for name in TITLES if name in cases] + [
        name for name in cases if name not in TITLES
    ]


def answered(cases: Cases) -> list[list[str]]:
    """The lines whose figures were measured: question, answer and where it is from."""
    rows = []
    for line in LINES:
        found = {
            name: one["value"]
            for name in ordered(cases)
            if name.startswith(line.case)
            for label, one in figures(cases[name]).items()
            if label.startswith(line.figure) and "same inference" not in label
        }
        if not found:
            continue
        least, most = min(found.values()), max(found.values())
        ends = dict.fromkeys(map(line.answer, (least, most)))
        links = [
            f"[{_CORPORA.get(_corpus(name), 'details')}](#{name})" for name in found
        ]
        rows.append([line.question, " to ".join(ends), ", ".join(links)])
    return rows


def figures(case: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Ratios and figures of a case, by label."""
    found: dict[str, dict[str, Any]] = case.get("ratios", {}) | case.get("figures", {})
    return found


def _corpus(name: str) -> str:
    """The corpus in the name of a case: what follows its family."""
    return next(
        (name.removeprefix(f"{each}_") for each in _FAMILIES if name.startswith(each)),
        name,
    )
