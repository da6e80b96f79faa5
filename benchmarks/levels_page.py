"""Turn the cells in results/levels/ into docs/evidence.md.

python benchmarks/levels_page.py
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import begins
from benchmarks.levels import (
    CLASSES,
    EVIDENCE,
    NUMBERS,
    PEERS,
    RAW,
    RAW_NUMBERS,
    RESULTS,
)
from benchmarks.render import ROOT, table

PAGE = ROOT / "docs" / "evidence.md"
CORPORA = {
    "python_docs": "Python documentation",
    "reuters": "Reuters",
    "20newsgroups": "20-Newsgroups",
    RAW: "20-Newsgroups, raw",
    "ohsumed": "Ohsumed",
    "imdb": "IMDB",
    "acl": "ACL abstracts",
}
PUBLISHED = {
    "KeyNMF, with sentence embeddings": ".163/.96 .143/.93 .145/.88 .153/.86 .145/.87",
    "GMM, with sentence embeddings": ".087/.99 .137/.96 .143/.90 .131/.89 .139/.86",
    "NMF": ".080/.59 .106/.55 .099/.53 .088/.52 .095/.50",
    "LDA": ".068/.45 .039/.38 .038/.35 .040/.37 .011/.37",
    "BERTopic": ".033/.38 .043/.46 .039/.51 .044/.59 .056/.67",
    "FASTopic": "-.009/1.0 -.040/1.0 -.001/1.0 -.055/1.0 -.070/1.0",
}
HEAD = """\
# Words or bursts as evidence

Made by `benchmarks/levels_page.py` from the files in `benchmarks/results/levels/`;
change those, not this page.

`evidence="words"` takes every occurrence of a word as evidence of its own, as in the
paper. `evidence="bursts"` is ours: further occurrences of a word in a document count
for less. It is not in the paper; all else of the model is the same. This page decides
which is the default, and compares the two. "Chosen" is the number of topics that a fit
chooses by itself. A line has means over seeds, and the number of seeds of each.

"""
HOW = """
## How it is measured

- Texts are in lower case, in words of two characters or more that occur in two
  documents or more (Python documentation: runs of three letters or more). There are no
  stems. The stop list is the English one of `TextVectorizer`; it is used only where a
  line says so.
- Documents: the training halves of Reuters (35 classes) and of 20-Newsgroups, whose
  headers, footers and quotes are removed as scikit-learn does; random samples of 10,000
  documents of Ohsumed, IMDB and the ACL abstracts, the same ones for all fits.
- Classes: the package area of a function, the Reuters topic, the newsgroup, the
  disease, and for IMDB whether the review is positive, which is not a topic. The ACL
  abstracts have none. Documents with several classes, or none, are left out.
- Only ratios of seconds mean something: the machine had other work to do.
"""
WHY = (
    "Other rankings of the words shown were tried, and none is better everywhere: "
    "[why it is so](experiments.md#why-is-20-newsgroups-raw-behind-at-10-topics)."
)
MOST_SPREAD = 0.2
"""Of the number of themes over seeds, as a share of its mean."""
Cell = dict[str, Any]


def load() -> list[Cell]:
    """All cells, by name."""
    return [json.loads(file.read_text()) for file in sorted(RESULTS.glob("*.json"))]


class Cells:
    """Looks fits up by corpus, stop list, model and number of topics."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.all = cells

    def of(self, corpus: str, stop: bool, model: str, topics: int | str) -> list[Cell]:
        wanted = (corpus, stop, model, topics)
        keys = ("corpus", "stop_list", "model", "topics")
        return [cell for cell in self.all if tuple(cell[key] for key in keys) == wanted]

    def pairs(self) -> Iterator[tuple[list[str], list[Cell], list[Cell]]]:
        """Fits by words and by bursts at the same setting, with its name."""
        given = sorted({*NUMBERS, *CLASSES.values()})
        settings = [("auto", False), ("auto", True), *((n, False) for n in given)]
        for corpus, (topics, stop) in product(CORPORA, settings):
            both = [self.of(corpus, stop, each, topics) for each in EVIDENCE]
            if corpus != RAW and all(both):
                number = "chosen" if topics == "auto" else str(topics)
                label = f"{number}, stop list" if stop else number
                label += ", as classes" * (CLASSES.get(corpus) == topics)
                yield [CORPORA[corpus], label], *both


def render(cells: Sequence[Cell]) -> str:
    """The page."""
    found = Cells(cells)
    parts = [
        HEAD,
        "## In short\n\n",
        "At how many of the settings below the mean of one is higher than the other's:"
        "\n\n",
        _short(found),
        "\nThe default is the one that is ahead at more settings.\n",
        "\n## How many topics?\n\n",
        "The spread is the standard deviation over seeds as a share of the mean; that "
        f"of themes shall be at most {MOST_SPREAD}. The last column is how much BIC "
        "differs between the seeds, in percent: many numbers are nearly as good. s is "
        "the fitted `burstiness_`. A fit by bursts begins from one by words, so it "
        "gives both lines.\n\n",
        _numbers(found),
        "\n## Do topics agree with classes?\n\n",
        "Adjusted mutual information (AMI) and the Fowlkes-Mallows index (FMI) of a "
        "document's class and its largest topic. For AMI 0 is chance; 1 is perfect."
        "\n\n",
        _compare(found, {"AMI": _ami, "FMI": _fmi}),
        "\n## Do the words of a topic belong together?\n\n",
        "NPMI of the ten most salient words, with whole documents as windows, and the "
        "share of these words that are distinct over all topics. Numbers of topics "
        "differ much where they are chosen, so compare at 10, 20 and 50.\n\n",
        _compare(found, {"NPMI": _npmi, "distinct": _diversity}),
        "\n## 20-Newsgroups, raw, beside published numbers\n\n",
        "All 18,846 postings with headers, no stop list, words in ten documents or "
        "more. First number: `c_npmi` of gensim, NPMI in windows of ten words. "
        "Second: distinct words. Ten words a topic; ours by salience. A number that is "
        "given begins from the tree; the fits from scratch are of an earlier commit."
        "\n\n",
        _raw(found),
        _beside(found),
        "\nPublished numbers are from x-tabdeveloping/topic-benchmark (embeddings by "
        "all-MiniLM-L6-v2). NMF and LDA of scikit-learn, with their default settings, "
        "ran beside ours on the same counts.\n",
        "\n## Do topics recur with other seeds?\n\n",
        "The share of topics that a fit with another seed has, too: of the words that "
        "either topic has, both share half or more. Mean over pairs of seeds; a number "
        "that is chosen differs between them.\n\n",
        _stability(found),
        "\n## Where should a given number of topics begin?\n\n",
        "From the tree of many topics, as the library does, or from scratch, as in the "
        "paper. BIC is a mean over seeds, with its standard deviation; it can be "
        "compared within one kind of evidence. A topic is found again if half of the "
        "other seeds have it, too.\n\n",
        _begins(begins.cells()),
        "\n## How long does a fit take?\n\n",
        "CPU seconds on one thread.\n\n",
        _compare(found, {"seconds": _seconds}, ".1f"),
        HOW,
        _commits(cells),
    ]
    return "".join(parts)


def _of(key: str) -> Callable[[Sequence[Cell]], float | None]:
    def mean(cells: Sequence[Cell]) -> float | None:
        values = [cell[key] for cell in cells if cell.get(key) is not None]
        return fmean(values) if values else None

    return mean


_ami, _fmi, _npmi = _of("ami"), _of("fmi"), _of("npmi")
_diversity, _seconds = _of("diversity"), _of("cpu_seconds")


def _again(cells: Sequence[Cell]) -> float | None:
    found = [share for cell in cells for share in cell.get("found_again", {}).values()]
    return fmean(found) if found else None


def _short(found: Cells) -> str:
    asked = {
        "agreement with classes, AMI": _ami,
        "agreement with classes, FMI": _fmi,
        "coherence of the words shown, NPMI": _npmi,
        "distinct words": _diversity,
        "topics that recur with other seeds": _again,
    }
    rows = []
    for question, measure in asked.items():
        for what, chosen in (("chosen number", True), ("given number", False)):
            values = [
                (measure(words), measure(bursts))
                for name, words, bursts in found.pairs()
                if name[1].startswith("chosen") == chosen
            ]
            known = [(w, b) for w, b in values if w is not None and b is not None]
            ahead = [
                str(sum(w > b for w, b in known)),
                str(sum(w < b for w, b in known)),
            ]
            rows.append([question, what, *ahead, str(len(known))])
    sums = [str(sum(int(row[n]) for row in rows)) for n in (2, 3, 4)]
    rows.append(["all", "", *sums])
    columns = ["question", "topics", "words ahead", "bursts ahead", "settings"]
    return table(columns, rows)


def _numbers(found: Cells) -> str:
    rows = []
    for corpus, stop, evidence in product(CORPORA, (False, True), EVIDENCE):
        cells = found.of(corpus, stop, evidence, "auto")
        if not cells:
            continue
        numbers = [cell["n_topics"] for cell in cells]
        mean = fmean(numbers)
        spread = (fmean((n - mean) ** 2 for n in numbers)) ** 0.5 / mean
        s = _of("burstiness")(cells)
        rows.append(
            [
                CORPORA[corpus],
                "yes" if stop else "no",
                evidence,
                str(len(cells)),
                f"{mean:.1f}",
                str(min(numbers)),
                str(max(numbers)),
                f"{spread:.2f}" if len(cells) > 1 else "–",
                _met(spread) if evidence == "bursts" and len(cells) > 1 else "",
                "–" if s is None else f"{s:.0f}",
                _range(cells),
            ]
        )
    columns = ["corpus", "stop list", "evidence", "seeds", "mean", "least", "greatest"]
    return table([*columns, "spread", f"at most {MOST_SPREAD}", "s", "BIC, %"], rows)


def _range(cells: Sequence[Cell]) -> str:
    """How much greater the greatest BIC is than the least, in percent."""
    known = [cell["bic"] for cell in cells if "bic" in cell]
    return f"{100 * (max(known) / min(known) - 1):.3f}" if len(known) > 1 else "–"


def _met(spread: float) -> str:
    return "met" if spread <= MOST_SPREAD else "not met"


def _compare(
    found: Cells,
    measures: dict[str, Callable[[Sequence[Cell]], float | None]],
    form: str = ".3f",
) -> str:
    rows = []
    for name, *both in found.pairs():
        values = [measure(cells) for measure in measures.values() for cells in both]
        if values[0] is not None:
            first = next(iter(measures.values()))
            known = [[cell for cell in cells if first([cell])] for cells in both]
            seeds = "/".join(str(len(cells)) for cells in known)
            shown = ["–" if v is None else format(v, form) for v in values]
            rows.append([*name, seeds, *shown])
    heads = [f"{label}, {evidence}" for label in measures for evidence in EVIDENCE]
    return table(["corpus", "topics", "seeds", *heads], rows)


def _stability(found: Cells) -> str:
    rows = []
    for name, *both in found.pairs():
        values = [_again(cells) for cells in both]
        if None not in values:
            seeds = "/".join(str(len(cells)) for cells in both)
            rows.append([*name, seeds, *(f"{value:.2f}" for value in values)])
    return table(["corpus", "topics", "seeds", *EVIDENCE], rows)


def _raw(found: Cells) -> str:
    names = {"bursts": "ours, bursts", "words": "ours, words"}
    names["scratch"] = "ours, bursts, begun from scratch"
    names |= {peer: f"{peer}, run here" for peer in PEERS}
    rows = []
    for model, name in names.items():
        cells = [
            [cell for cell in found.of(RAW, False, model, n) if "c_npmi" in cell]
            for n in RAW_NUMBERS
        ]
        if any(cells):
            seeds = sorted({str(len(each)) for each in cells if each})
            values = [_both(each) if each else "–" for each in cells]
            rows.append([name, " or ".join(seeds), *values])
    rows += [
        [f"{name}, published", "", *row.split()] for name, row in PUBLISHED.items()
    ]
    return table(["model", "seeds", *(f"{n} topics" for n in RAW_NUMBERS)], rows)


def _beside(found: Cells) -> str:
    """Where ours by bursts is above every published row, and where not."""
    rows = map(str.split, PUBLISHED.values())
    best = [max(map(_first, each)) for each in zip(*rows, strict=True)]
    above, below = [], []
    for n, published in zip(RAW_NUMBERS, best, strict=True):
        own = _of("c_npmi")(found.of(RAW, False, "bursts", n))
        if own is not None:
            compared = f"{n} topics ({own:.3f} against {published:.3f})"
            (above if own > published else below).append(compared)
    places = {"above every published row": above, "below the best published one": below}
    parts = [f"{where} at {', '.join(at)}" for where, at in places.items() if at]
    if not parts:
        return ""
    text = f"\nFrom the tree, the coherence of ours by bursts is {'; '.join(parts)}."
    return f"{text} {WHY}\n" if below else f"{text}\n"


def _first(both: str) -> float:
    return float(both.split("/")[0])


def _begins(cells: Sequence[Cell]) -> str:
    rows = []
    for cell in cells:
        corpus, number, evidence, beginning = cell["name"].rsplit("-", 3)
        found = cell["rows"]
        bic, ami, seconds = (
            [row[key] for row in found] for key in ("bic", "ami", "cpu_seconds")
        )
        name = [CORPORA[corpus], number, evidence, beginning, str(len(found))]
        values = [f"{fmean(bic):.0f} ({stdev(bic):.0f})", f"{cell['again']:.2f}"]
        values += ["–" if None in ami else f"{fmean(ami):.3f}", f"{fmean(seconds):.1f}"]
        rows.append([*name, *values])
    head = ["corpus", "topics", "evidence", "begins from", "seeds", "BIC"]
    return table([*head, "found again", "AMI", "CPU seconds"], rows)


def _both(cells: Sequence[Cell]) -> str:
    coherence, distinct = (
        fmean(c[key] for c in cells) for key in ("c_npmi", "diversity")
    )
    return f"{coherence:.3f}/{distinct:.2f}".replace("0.", ".")


def _commits(cells: Sequence[Cell]) -> str:
    commits = sorted({cell["commit"][:10] for cell in cells})
    made = ", ".join(f"`{commit}`" for commit in commits)
    return f"- {len(cells)} fits, made by `python benchmarks/levels.py` at {made}.\n"


def main() -> None:
    PAGE.write_text(render(load()))


if __name__ == "__main__":
    main()
