"""The package as others get it: built twice, installed alone, with old dependencies.

Everything here makes environments of its own and asks the package index.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
OLDEST_PYTHON = "python3.11"
FOCUSED = (
    "tests/corpus/test_corpus.py",
    "tests/datasets/test_fetch.py",
    "tests/io",
    "tests/storage",
    "tests/cli/test_fit.py",
    "tests/cli/test_infer.py",
    "tests/model/test_results.py",
    "tests/model/test_states.py",
)
"""Tests that between them use every dependency."""


def run(*command, **options):
    """Run a command without anything of this environment; return what it printed."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environment = inherited | options.pop("env", {})
    done = subprocess.run(
        [str(part) for part in command],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **options,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def copy_of_sources(folder, second):
    """The files under version control, all changed at one second."""
    listed = run("git", "-C", ROOT, "ls-files", "-z").split("\0")
    for name in filter(None, listed):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
        os.utime(target, (second, second))
    return folder


def build(folder, second):
    sources = copy_of_sources(folder / "sources", second)
    run(
        sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet",
        "--wheel-dir", folder / "wheels", sources,
    )  # fmt: skip
    (wheel,) = (folder / "wheels").glob("*.whl")
    return wheel


def environment(folder, python, *wanted):
    """The commands of a new environment with these things installed."""
    run(python, "-m", "venv", folder)
    run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", *wanted)
    return folder / "bin"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(tmp_path_factory.mktemp("built"), 1_700_000_000)


@pytest.fixture(scope="module")
def alone(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone")
    return environment(folder / "venv", sys.executable, f"{wheel}[serve]")


def test_two_builds_are_the_same_file(wheel, tmp_path):
    other = build(tmp_path / "somewhere" / "else", 1_000_000_000)
    assert other.name == wheel.name
    ours, theirs = (
        hashlib.sha256(file.read_bytes()).hexdigest() for file in (wheel, other)
    )
    assert ours == theirs


def test_the_wheel_runs_without_the_repository(alone, tmp_path):
    place = run(
        alone / "python", "-c", "import leantopics; print(leantopics.__file__)",
        cwd=tmp_path,
    )  # fmt: skip
    assert Path(place.strip()).is_relative_to(alone.parent)
    run(
        alone / "leantopics", "demo", "--output", "demo",
        cwd=tmp_path, env={"PATH": str(alone)},  # where there is no compiler
    )  # fmt: skip
    (page,) = (tmp_path / "demo").rglob("*.html")
    assert page.stat().st_size > 10_000


def lowest_versions():
    """The least version that pyproject.toml allows of each dependency."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["serve"]
    for requirement in wanted:
        assert re.fullmatch(r"[\w-]+>=[\d.]+", requirement), requirement
    return [requirement.replace(">=", "==") for requirement in wanted]


def test_the_lowest_versions_will_do(wheel, tmp_path):
    python = shutil.which(OLDEST_PYTHON)
    if python is None:
        pytest.skip(f"NOT RUN: there is no {OLDEST_PYTHON} here")
    (tmp_path / "lowest.txt").write_text("\n".join(lowest_versions()))
    commands = environment(
        tmp_path / "venv", python, "--constraint", tmp_path / "lowest.txt",
        f"{wheel}[serve]", "pytest", "hypothesis",
    )  # fmt: skip
    said = run(
        commands / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider",
        "-m", "not slow", *FOCUSED, cwd=ROOT,
    )  # fmt: skip
    assert " passed" in said


def test_no_dependency_has_a_known_hole(alone, tmp_path):
    commands = environment(tmp_path / "venv", sys.executable, "pip-audit")
    (packages,) = alone.parent.glob("lib/python*/site-packages")
    done = subprocess.run(
        [commands / "pip-audit", "--path", packages, "--format", "json"],
        capture_output=True,
        text=True,
    )
    if not done.stdout.strip():
        assert re.search("ConnectionError|ServiceError|HTTPError", done.stderr)
        pytest.skip("NOT RUN: the advisory service does not answer")
    found = json.loads(done.stdout)["dependencies"]
    # Packages that the service does not know are passed over, with success at the end.
    unknown = {one["name"] for one in found if "skip_reason" in one} - {"leantopics"}
    if unknown:
        pytest.skip(f"NOT RUN: the advisory service knows nothing of {len(unknown)}")
    assert [one for one in found if one.get("vulns")] == []
