"""Work of hours in cells: each is worked out once, kept, and can be asked for again."""

import ast
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import leantopics
from benchmarks.timing import Run, Settings
from leantopics.study import grid
from leantopics.study.grid import Task

RECIPE = 1  # raised when the code of the benchmarks must give other cells
JOBS = 2
"""Cells at a time, each in a process of one thread."""
MODEL = ("ptm/**/*.py",)
LIKELIHOOD = ("evaluation/likelihood.py", "evaluation/mixture.py")


def runs(tasks: Sequence[Task], settings: Settings) -> list[list[Run]]:
    """Rows of each cell; none of one that is missing and not to be worked out."""
    if not settings.kept:
        n_jobs = settings.size(JOBS, 1)
        return [cell.rows for cell in grid.run(tasks, settings.cells, n_jobs=n_jobs)]
    out = []
    for task in tasks:
        there = [task] if (settings.cells / task.place).exists() else []
        cells = grid.run(there, settings.cells, show=False)
        out.append([row for cell in cells for row in cell.rows])
    return out


@cache
def code(*patterns: str) -> str:
    """Checksum of code in files of leantopics, whatever their layout and comments."""
    root = Path(leantopics.__file__).parent
    files = sorted(file for pattern in patterns for file in root.glob(pattern))
    trees = [ast.dump(ast.parse(file.read_text())) for file in files]
    return hashlib.sha256(repr((RECIPE, trees)).encode()).hexdigest()
