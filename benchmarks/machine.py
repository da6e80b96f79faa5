"""Where and with what a result was made."""

import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    "leantopics",
    "numpy",
    "scipy",
    "scikit-learn",
    "gensim",
    "tomotopy",
    "pyrmallet",
    "click",
    "rich",
)


def version(package: str) -> str | None:
    """Installed version of a package, None if there is none."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def status(field: str, file: str = "/proc/self/status") -> int | None:
    """A field in bytes of a status file of Linux, None elsewhere."""
    path = Path(file)
    lines = path.read_text().splitlines() if path.is_file() else []
    found = [line.split()[1] for line in lines if line.startswith(f"{field}:")]
    return 1024 * int(found[0]) if found else None


def watched(command: Sequence[str]) -> dict[str, Any]:
    """Run a command: its time, and its anonymous memory at 20 moments a second.

    "samples" are the greatest of each second, with the seconds since the start.
    """
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    peaks: dict[int, int] = {}
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            second = int(time.perf_counter() - begin)
            now = status("RssAnon", f"/proc/{process.pid}/status") or 0
            peaks[second] = max(now, peaks.get(second, 0))
            time.sleep(0.05)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": time.perf_counter() - begin,
        "cpu_seconds": after.ru_utime
        + after.ru_stime
        - before.ru_utime
        - before.ru_stime,
        "peak": max(peaks.values()),
        "samples": list(peaks.items()),
    }


def elsewhere(module: str, *arguments: object) -> dict[str, Any]:
    """What a module of the benchmarks prints, as JSON, in a process of its own."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def describe() -> dict[str, Any]:
    """Processor, cores, memory, system and versions."""
    return {
        "machine": {
            "cpu": _cpu(),
            "cores": os.cpu_count(),
            "memory_bytes": status("MemTotal", "/proc/meminfo"),
            "system": f"{platform.system()} {platform.machine()}",
        },
        "python": platform.python_version(),
        "versions": {name: version(name) or "not installed" for name in PACKAGES},
    }


def now() -> str:
    """Date and time, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def load() -> list[float]:
    """Load averages over 1, 5 and 15 minutes."""
    return [round(value, 2) for value in os.getloadavg()]


def commit() -> str:
    """Commit of the sources, marked if they were changed since."""
    head = _git("rev-parse", "HEAD")
    if head is None:
        return "unknown"
    changed = _git("status", "--porcelain", "--", "src")
    return f"{head} with changes" if changed else head


def _git(*arguments: str) -> str | None:
    command = ["git", "-C", str(ROOT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    models = [line.split(":", 1)[1] for line in lines if line.startswith("model name")]
    return models[0].strip() if models else platform.processor() or "unknown"
