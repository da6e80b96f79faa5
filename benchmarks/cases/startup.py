"""How long the command line takes to answer."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.timing import Contender, Settings, interleave, ratio, timed

RUNS = 10


def startup(settings: Settings) -> dict[str, Any]:
    """`leantopics --help` against the import of the libraries it prints with."""
    runs = settings.size(RUNS, 1)
    script = str(Path(sys.executable).with_name("leantopics"))
    contenders = {
        "leantopics --help": _process(script, "--help"),
        'python -c "import click, rich"': _process(
            sys.executable, "-c", "import click, rich"
        ),
    }
    for work in contenders.values():
        work(0)
    timings = interleave(contenders, runs)
    ours, floor = timings
    return {
        "question": f"Wall time of whole processes, {runs} of each.",
        "timings": timings,
        "ratios": {
            f"{ours} / {floor}": ratio(timings, ours, floor, goal="below 2", most=2.0)
        },
    }


def _process(*command: str) -> Contender:
    def run() -> None:
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)

    return lambda seed: {"seconds": timed(run)}
