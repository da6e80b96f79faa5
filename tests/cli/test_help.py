import subprocess
import sys

import pytest
from tests.cli.runner import run

from leantopics import ParsimoniousTopicModel, __version__
from leantopics.cli import main
from leantopics.cli.options import FORMATS
from leantopics.io import FORMATS as READABLE


def test_version():
    assert run("--version").stdout == f"leantopics, version {__version__}\n"


def test_python_m_leantopics_is_the_command():
    words = [sys.executable, "-m", "leantopics", "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == run("--version").stdout


def test_help_lists_the_commands():
    result = run("--help")
    assert result.exit_code == 0
    assert "\nUse a model:\n  infer       Print the topics" in result.stdout
    listed = " ".join(result.stdout.split())
    for name in main.list_commands():
        command = main.get_command(None, name)
        assert f"{name} {command.get_short_help_str(200)}" in listed


@pytest.mark.parametrize("command", main.list_commands())
def test_every_option_has_help(command):
    result = run(command, "--help")
    assert result.stdout.startswith(f"Usage: leantopics {command} [OPTIONS]")
    for parameter in main.get_command(None, command).params:
        assert parameter.param_type_name == "argument" or parameter.help


@pytest.mark.parametrize("argument", ["--help", "--version", "convert --help"])
def test_help_loads_nothing_heavy(argument):
    code = (
        "import sys\n"
        "from leantopics.cli import main\n"
        f"main({argument.split()}, standalone_mode=False)\n"
        "heavy = {'numpy', 'rich', 'scipy'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_help_agrees_with_the_library():
    assert FORMATS == READABLE
    defaults = ParsimoniousTopicModel().get_params()
    text = " ".join(run("fit", "--help").stdout.split())
    for told, name in [
        ("auto starts with more ({})", "max_topics"),
        ("Fewest topics that auto tries ({})", "min_topics"),
        ("for one number of topics ({})", "max_iter"),
        ("authors' program does ({})", "procedure"),
    ]:
        assert told.format(defaults[name]) in text
