"""What is missing is said before the work: nothing is read, computed or written."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.cli.runner import run

from leantopics import _extras as extras
from leantopics._extras import MissingExtraError
from leantopics.report.figures import write_figures
from leantopics.study import compare, reproduce

ROOT = Path(__file__).parents[1]
STUDY = "A study needs matplotlib: pip install 'leantopics[study]'."
REPORT = "Figures of a report need matplotlib: pip install 'leantopics[report]'."


@pytest.fixture
def without(monkeypatch):
    def forget(name):
        for module in list(sys.modules):
            if module.split(".")[0] == name or module.startswith("leantopics.images"):
                monkeypatch.delitem(sys.modules, module)
        monkeypatch.setitem(sys.modules, name, None)

    return forget


@pytest.mark.parametrize(
    ("module", "command", "sentence"),
    [
        ("matplotlib", "reproduce labelme -o {out}", STUDY),
        ("matplotlib", "compare {none} -o {out}", STUDY),
        ("matplotlib", "report {none} -o {out} --figures {out}", REPORT),
        (
            "distributed",
            "fit {none} -o {out} --dask local:1",
            "A fit on a cluster needs Dask: pip install 'leantopics[dask]'.",
        ),
        (
            "cv2",
            "convert {none} -o {out} --images",
            "Pictures need OpenCV: pip install 'leantopics[images]'.",
        ),
        (
            "PIL",
            "report {none} -o {out} --codebook {none}",
            "Pictures need Pillow: pip install 'leantopics[images]'.",
        ),
        (
            "yaml",
            "fit {none} -o {out} --guide guide.yaml",
            "A guide in YAML needs PyYAML: pip install 'leantopics[yaml]'.",
        ),
        (
            "uvicorn",
            "serve {none}",
            "Serving needs uvicorn: pip install 'leantopics[serve]'.",
        ),
    ],
)
def test_a_command_asks_first(tmp_path, without, module, command, sentence):
    """There is nothing at the place it would read, which it would say otherwise."""
    filled = command.format(none=tmp_path / "none", out=tmp_path / "out").split()
    without(module)
    result = run(*filled)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: {sentence}\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("work", "sentence"),
    [
        (lambda folder: reproduce("labelme", folder), STUDY),
        (lambda folder: compare(None, folder), STUDY),
        (lambda folder: write_figures({}, folder), REPORT),
    ],
)
def test_a_function_asks_first(tmp_path, without, work, sentence):
    without("matplotlib")
    with pytest.raises(MissingExtraError, match=re.escape(sentence)):
        work(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_report_without_figures_needs_no_extra(tmp_path, without):
    without("matplotlib")
    result = run("report", tmp_path / "none", "-o", tmp_path / "out")
    assert "matplotlib" not in result.stderr


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make")
@pytest.mark.parametrize(("verb", "tools"), [("demo", False), ("check", True)])
def test_make_demo_installs_the_package_alone(verb, tools):
    """From nothing, as in a new clone; nothing is run."""
    command = ["make", "--dry-run", "--always-make", verb]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert " --editable .\n" in told.stdout
    assert (".[test]" in told.stdout) == tools


def test_each_extra_is_one_that_can_be_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    declared = project["project"]["optional-dependencies"]
    for name, (_, packages) in extras._EXTRAS.items():
        assert len(packages) == len(declared[name]), name
