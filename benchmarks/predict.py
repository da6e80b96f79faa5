"""The model of costs in docs/scale.md, from the newest results of the benchmarks.

python benchmarks/predict.py
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import cost, plots
from benchmarks.render import ROOT, load, newest, table

PAGE = ROOT / "docs" / "scale.md"
PICTURE = ROOT / "docs" / "pictures" / "scale.svg"
BEGIN, END = "<!-- benchmarks/predict.py -->\n", "<!-- end -->\n"
DOCUMENTS = (10**7, 10**8, 10**9)
WORKERS = (10, 100, 1000)
PARTS = ("work", "broadcast", "tasks", "tree", "driver")
FAN_INS = (2, 8, 64)
SHADES = ("#9cc3ea", plots.BLUE, plots.INK)


def main() -> None:
    """Write the tables into the page, and the picture beside it."""
    case, disk = measured("works"), measured("on_disk")
    before, rest = PAGE.read_text().split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}{tables(case, disk)}{END}{after}")
    PICTURE.write_text(picture(case, disk))


def measured(name: str) -> dict[str, Any]:
    """The newest answer to a question."""
    (case,) = (one["cases"][name] for one in newest(load()) if name in one["cases"])
    return dict(case)


def tables(case: dict[str, Any], disk: dict[str, Any]) -> str:
    """What was fitted, how well it predicts a larger corpus, and what it predicts."""
    costs, base, growth = case["costs"], widest(case), case["growths"]
    fitted = [
        [part, feature, f"{1e9 * each:.3g}"]
        for part, features in costs.items()
        for feature, each in features.items()
    ]
    predicted = []
    for n_docs in DOCUMENTS:
        row = cost.larger(base, n_docs, growth)
        for workers in WORKERS:
            spent = cost.iteration(costs, row, cost.Machines(workers), growth)
            predicted.append(
                [
                    f"{n_docs:.0e}".replace("e+0", "e"),
                    str(workers),
                    f"{sum(spent.values()):.3g}",
                    max(spent, key=spent.__getitem__),
                    *(f"{spent[part]:.3g}" for part in PARTS),
                ]
            )
    fans = []
    row = cost.larger(base, DOCUMENTS[-1], growth)
    for fan_in in FAN_INS:
        times = [
            cost.tree(row, 2 * n, cost.Machines(n), costs, growth, fan_in)
            for n in WORKERS
        ]
        fans.append([str(fan_in), *(f"{one:.3g}" for one in times)])
    return "\n".join(
        [
            "",
            table(["part", "proportional to", "nanoseconds each"], fitted),
            "Powers of the number of documents, until all words are salient in all "
            "topics: "
            + ", ".join(f"{name} {power:.2f}" for name, power in growth.items())
            + ".",
            "",
            _larger_corpus(costs, base, growth, disk),
            "",
            table(["documents", "workers", "seconds", "most of it", *PARTS], predicted),
            "Seconds of an iteration, and of its parts. The tree alone, simulated, two "
            "parts a worker, in seconds:",
            "",
            table(["added at once", *(f"{n} workers" for n in WORKERS)], fans),
            "",
        ]
    )


def widest(case: dict[str, Any]) -> dict[str, Any]:
    """The measured row of most documents."""
    return dict(max(case["rows"], key=lambda row: row["documents"]))


def disk_row(
    base: dict[str, Any], growth: dict[str, float], disk: dict[str, Any]
) -> Any:
    """The corpus of the benchmark `on_disk`, as the model sees it."""
    found = disk["corpus"]
    times = found["words"] / base["words"]
    wide = {name: times * base[name] for name in ("words", "expected", "salient")}
    row = cost.larger({**base, **wide}, found["documents"], growth)
    return {**row, "stored counts": found["stored counts"]}


def per_iteration(disk: dict[str, Any]) -> float:
    """Measured seconds of an iteration of the corpus on disk."""
    return float(disk["history"][-1]["seconds"] / len(disk["history"]))


def _larger_corpus(
    costs: Any, base: dict[str, Any], growth: dict[str, float], disk: dict[str, Any]
) -> str:
    predicted = sum(cost.seconds(costs, disk_row(base, growth, disk)).values())
    return (
        f"For the corpus on disk ({disk['corpus']['documents']:,} documents) the model "
        f"predicts {predicted:.0f} seconds of processor time an iteration; "
        f"{per_iteration(disk):.0f} seconds of wall time were measured, on two threads "
        f"beside other work (load average {disk['load before'][0]:.1f})."
    )


def picture(case: dict[str, Any], disk: dict[str, Any]) -> str:
    """Measured against the model, and what it predicts, as an SVG."""
    return plots.written(lambda: figure(case, disk), Title="Seconds of an iteration")


def figure(case: dict[str, Any], disk: dict[str, Any]) -> Any:
    """Two panels."""
    from matplotlib.figure import Figure

    costs, base, growth = case["costs"], widest(case), case["growths"]
    drawing = Figure(figsize=(8.0, 3.2), layout="constrained")
    left, right = drawing.subplots(1, 2)
    line = [row for row in case["rows"] if row["topics"] == base["topics"]]
    docs = [row["documents"] for row in line]
    spent = [row["visit"] + row["settle"] + row["driver"] for row in line]
    along = [docs[0] * 10 ** (n / 10) for n in range(26)]
    model = [
        sum(cost.seconds(costs, cost.larger(base, n, growth)).values()) for n in along
    ]
    left.loglog(along, model, color=plots.GREY, label="model")
    left.loglog(docs, spent, "o", color=plots.BLUE, label="measured, one thread")
    left.loglog(
        [disk["corpus"]["documents"]],
        [per_iteration(disk)],
        "s",
        color=plots.INK,
        label="on disk, beside other work",
    )
    left.set(xlabel="documents", ylabel="seconds of an iteration", title="Measured")
    left.legend(frameon=False)
    workers = [round(10 ** (1 + n / 10)) for n in range(21)]
    for n_docs, shade in zip(DOCUMENTS, SHADES, strict=True):
        row = cost.larger(base, n_docs, growth)
        total = [
            sum(cost.iteration(costs, row, cost.Machines(n), growth).values())
            for n in workers
        ]
        power = len(str(n_docs)) - 1
        right.loglog(workers, total, color=shade, label=f"$10^{power}$ documents")
    right.set(xlabel="workers", title="Predicted")
    right.legend(frameon=False)
    for panel in (left, right):
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color=plots.FAINT)
    return drawing


if __name__ == "__main__":
    main()
