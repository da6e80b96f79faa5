"""Turn studies/results into docs/reproduction.md, docs/claims.md and their figures.

python studies/render.py
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from leantopics.study import figures, results
from leantopics.study.claims import CLAIMS, claims_table, summary_table
from leantopics.study.methods import DEFAULT, METHODS
from leantopics.study.profiles import named_plan
from leantopics.study.results import Row
from leantopics.study.tables import markdown_table, tables

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "studies" / "results"
DOCS = ROOT / "docs"
TITLES = {
    "reuters": "Reuters",
    "20newsgroups": "20-Newsgroups",
    "ohsumed": "Ohsumed",
    "labelme": "LabelMe",
}
REPRODUCTION = """\
# The paper's study, repeated

Made by `studies/render.py` from the files in `studies/results/`; change those, not this
page. `PTM` follows the equations of the paper, `PTM, published` does what its authors'
program does (`procedure="published"`), which made the published tables;
[the method](method.md) has the differences. [What the paper says in words](claims.md)
is on its own page.

"""
CLAIMS_HEAD = """\
# What the paper says, and what we find

Made by `studies/render.py` from `studies/results/results.csv`; change that, not this
page. Each claim is tried with the procedure of the authors' program, which made the
published tables, and with the equations of the paper; against our LDA, the stronger
one, and against an LDA that does what lda-c does, the program that the paper compares
with: one document a topic and one count of every word to start from, one word of a
document after the other, one parameter for all proportions. A claim about LDA with a
background is tried with ours alone.

Numbers are means over seeds at the orders that both sides have, and methods in brackets
are ahead of ours somewhere; "nearly all" and "a wide range" are four fifths, "near" is
within a fifth, "alike" within a tenth. Coherence is compared where both have it for the
same number of words. *Not comparable* are times where we are faster than the claim by
other algorithms; *not measured* is what no run has reached yet. Numbers of lda-c are
from one run of it beside ours. [The tables](reproduction.md) have the rest.

"""


def load() -> tuple[list[Row], list[dict[str, Any]], dict[str, Any]]:
    """Rows of all studies, what was run, and the fits to many documents."""
    runs, large = (
        json.loads(path.read_text()) if path.exists() else nothing
        for path, nothing in ((RESULTS / "runs.json", []), (RESULTS / "large.json", {}))
    )
    return results.read(RESULTS / "results.csv"), runs, large


def reproduction(
    rows: list[Row],
    runs: list[dict[str, Any]],
    large: dict[str, Any],
    topics: dict[str, str],
) -> str:
    """The page of tables and figures."""
    parts = [REPRODUCTION, _runs(runs), _sweeps(rows), tables(rows), _large(large)]
    for name, title in TITLES.items():
        if any(row["dataset"] == name for row in rows):
            picture = f"![Curves of {title}](study/{name}-all.svg)\n"
            parts.append(f"## {title}\n\n{picture}")
            parts.append(topics.get(name, "").replace("## ", "### "))
    return "\n".join(part for part in parts if part)


def claims(rows: list[Row]) -> str:
    """The page of claims."""
    parts = [CLAIMS_HEAD + summary_table(rows)]
    for name in CLAIMS:
        picture = f"![Curves of {TITLES[name]}](study/{name}-all.svg)\n"
        parts.append(f"## {TITLES[name]}\n\n{claims_table(name, rows)}")
        if any(row["dataset"] == name for row in rows):
            parts.append(picture)
    return "\n".join(parts)


def pictures(rows: list[Row]) -> dict[str, str]:
    """The figure of all measures for each corpus, as SVG."""
    out = {}
    for name in TITLES:
        if own := [row for row in rows if row["dataset"] == name]:
            with tempfile.TemporaryDirectory() as folder:
                figures.write(Path(folder), name, own)
                out[f"{name}-all.svg"] = Path(folder, f"{name}-all.svg").read_text()
    return out


def sample_topics() -> dict[str, str]:
    """Pages of sample topics that the studies left."""
    paths = {name: RESULTS / f"{name}-topics.md" for name in TITLES}
    return {name: path.read_text() for name, path in paths.items() if path.exists()}


def _short(commit: str) -> str:
    head, _, rest = commit.partition(" ")
    return f"{head[:10]} {rest}".strip()


def _runs(runs: list[dict[str, Any]]) -> str:
    heads = ("study", "command", "commit", "began", "ended")
    lines = [
        [
            run["study"],
            f"`{run['command']}`",
            f"`{_short(run['commit'])}`",
            run["began"],
            run["ended"],
        ]
        for run in runs
    ]
    return markdown_table(heads, lines)


SWEEPS = """\
## Sweeps that ran

Of the sweeps of the paper's orders that `make reproduce` fits, so many seeds are in the
table as it would measure them now; the others remain. Rows of earlier runs count until
then: LDA and STC at fewer orders, STC with penalties from a narrower grid, our
coherence with a number of words for each topic alone, which is not compared with
others, and, for the published procedure, test documents with proportions at their
optimum, where the program of its authors stops before. Times of a busy machine are left
out, if no run took those of the processor.

"""


def _sweeps(rows: list[Row]) -> str:
    """The table of sweeps that are done, and that remain."""
    heads = ("corpus", "method", "seeds done", "seeds planned", "seeds of earlier runs")
    lines = []
    for name in TITLES:
        plan = named_plan(name, "long")
        for method in DEFAULT:
            own = [r for r in rows if (r["dataset"], r["method"]) == (name, method)]
            grid = plan.sweep(method)
            done = {r["seed"] for r in own if r["cell"] and r["step"] == grid.step}
            planned = set(plan.seeds(method))
            earlier = {r["seed"] for r in own} - done
            counts = [str(len(part)) for part in (done & planned, planned, earlier)]
            lines.append([name, METHODS[method].title, *counts])
    return SWEEPS + markdown_table(heads, lines)


def _large(large: dict[str, Any]) -> str:
    if not large:
        return ""
    ours, lda = (large["fits"][name] for name in ("ptm", "lda"))
    ratio = ours["seconds"] / lda["seconds"]
    return (
        "## A large corpus\n\n"
        f"One fit at {large['topics']} topics to {large['documents']:,} documents "
        f"({' and '.join(large['corpora'])}; {large['words']:,} words, "
        f"{large['tokens']:,} tokens), {large['threads']} threads, in place of the "
        "paper's NSF abstracts, which took 30 hours with its model and 10 with LDA. "
        f"Ours takes {ours['seconds']:.0f} s and {ours['iterations']} iterations to "
        f"the certificate, LDA {lda['seconds']:.0f} s and {lda['iterations']}: "
        f"{ratio:.2f} times.\n"
    )


def main() -> None:
    """Write pages and figures."""
    rows, runs, large = load()
    (DOCS / "study").mkdir(exist_ok=True)
    for name, text in pictures(rows).items():
        (DOCS / "study" / name).write_text(text)
    page = reproduction(rows, runs, large, sample_topics())
    (DOCS / "reproduction.md").write_text(page)
    (DOCS / "claims.md").write_text(claims(rows))


if __name__ == "__main__":
    main()
