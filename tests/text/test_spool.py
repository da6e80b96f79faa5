"""What an interrupted conversion left, changed by a bad disk or a bad neighbour."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.text import spool_changes

ROOT = Path(__file__).parents[2]
BATCH = 250
COUNTED = {"array words", "array values", "array sizes", "lines forms"}
"""What the source does not tell without cutting its texts into words again."""


def outcomes(folder, total):
    """Change and go on, many times; a process that dies counts as one crash."""
    spool_changes.prepare(folder)
    found, first = [], 0
    while first < total:
        last = min(total, first + BATCH)
        arguments = ["tests/text/spool_changes.py", folder, first, last]
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        found += lines
        first += len(lines)
        if done.returncode:
            found.append({"found": f"crash {done.returncode}: {done.stderr[-300:]}"})
            first += 1
    return found


@pytest.mark.parametrize(
    "total", [60, pytest.param(2000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_changes_are_refused_or_do_no_harm(tmp_path, total):
    found = outcomes(tmp_path, total)
    assert len(found) == total
    assert [each for each in found if each["found"].startswith("crash")] == []
    others = [each for each in found if each["found"] == "other"]
    for each in others:
        assert (each["name"], each["knows"]) == ("texts.jsonl", "source"), each
        assert set(each["changed"].split(" and ")) & COUNTED, each
    tally = Counter(each["found"] for each in found)
    assert tally["refused"] > total / 2
    assert tally["same"] > 0
    print(Counter((each.get("knows"), each["found"]) for each in found))
