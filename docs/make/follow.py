"""Follow a page: run its blocks of bash and Python one after the other, here.

``python follow.py PAGE`` uses the environment of that Python, and stops at what fails.
"""

import os
import re
import subprocess
import sys
from pathlib import Path


def follow(page: str) -> None:
    """Run each block in a process of its own."""
    here = Path(sys.executable).parent
    env = os.environ | {"PATH": f"{here}{os.pathsep}{os.environ['PATH']}"}
    text = Path(page).read_text(encoding="utf-8")
    for shell, block in re.findall(r"^```(bash|python)\n(.*?)^```$", text, re.M | re.S):
        print(f"\n{block}", flush=True)
        options = ["-eo", "pipefail"] if shell == "bash" else []
        subprocess.run([shell, *options, "-c", block], check=True, env=env)


if __name__ == "__main__":
    follow(*sys.argv[1:])
