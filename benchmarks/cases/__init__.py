"""The questions, by name; each answers with one object of the result file.

Keys that `render` knows: "question"; "corpus"; "timings", by label; "ratios" and
"figures", by label, each with value and goal; "table" with columns and rows; "curves",
by axis, as `timing.curve` makes them; "not run", by label, with the reason.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.cases import equal, held_out, search
from benchmarks.cases.checkpoints import checkpoints
from benchmarks.cases.growth import growth
from benchmarks.cases.infer import infer
from benchmarks.cases.labels import labels
from benchmarks.cases.memory import memory
from benchmarks.cases.newsgroups import newsgroups_fit, newsgroups_sweep
from benchmarks.cases.others import lda_iteration, npmi
from benchmarks.cases.page import report
from benchmarks.cases.pictures import pictures
from benchmarks.cases.quality import bic_quality
from benchmarks.cases.reuters import reuters_sweep
from benchmarks.cases.scale import cluster, on_disk
from benchmarks.cases.startup import startup
from benchmarks.cases.steps import steps
from benchmarks.cases.threads import threads
from benchmarks.cases.works import works
from benchmarks.timing import Settings

Case = Callable[[Settings], dict[str, Any]]
USUAL: dict[str, Case] = {
    "newsgroups_sweep": newsgroups_sweep,
    "newsgroups_fit": newsgroups_fit,
    "reuters_sweep": reuters_sweep,
    "bic_quality": bic_quality,
    "threads": threads,
    "growth": growth,
    "memory": memory,
    "pictures": pictures,
    "startup": startup,
    "steps": steps,
    "lda_iteration": lda_iteration,
    "npmi": npmi,
    "report": report,
    "checkpoints": checkpoints,
    "infer": partial(infer, 200_000),
    "cluster": cluster,
    "works": works,
}
LONG: dict[str, Case] = {
    **{f"search_{name}": partial(search.search, name) for name in search.CORPORA},
    "labels": labels,
    **{
        f"held_out_{name}": partial(held_out.held_out, name)
        for name in held_out.CORPORA
    },
    **{f"equal_{name}": partial(equal.equal, name) for name in equal.CORPORA},
    "infer_ten_million": partial(infer, 10_000_000),
    "on_disk": on_disk,
}
"""Hours, those of cells in parts that are kept; they run only if they are named."""
CASES = USUAL | LONG
