"""The package with its kernels as plain Python, where every index is checked."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import leantopics

SHARED = "_cyutility"
"""What compiled kernels share; it stays, because it tells that kernels are compiled."""


def run_plain(folder, program, *arguments):
    """Run a program with a copy of the package without compiled kernels."""
    source, target = Path(leantopics.__file__).parent, folder / "plain" / "leantopics"

    def left_out(_, names):
        compiled = (name for name in names if name.endswith((".so", ".pyd")))
        return {"__pycache__", *(n for n in compiled if not n.startswith(SHARED))}

    if not target.exists():
        shutil.copytree(source, target, ignore=left_out)
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(target.parent)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
