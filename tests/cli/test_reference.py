"""The page of the commands is current, and has the whole help of each."""

import shlex
from pathlib import Path

import pytest
from tests.cli.runner import run

from leantopics.cli import main
from leantopics.cli.reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_page_is_current():
    written = PAGE.read_text(encoding="utf-8")
    again = "Write it again: python -m leantopics.cli.reference > docs/cli.md"
    assert written == reference(), again


@pytest.mark.parametrize("command", ["", *main.list_commands()])
def test_help_is_what_the_page_has(command):
    result = run(*command.split(), "--help")
    assert (result.exit_code, result.stderr) == (0, "")
    title = f"leantopics {command}".strip()
    assert f"## {title}\n\n```text\n{result.stdout}```\n" in reference()
    assert run(*command.split(), "-h").stdout == result.stdout


@pytest.mark.parametrize("command", main.list_commands())
def test_every_command_has_an_example_that_it_understands(command):
    """All options of the examples are known, and all arguments are there."""
    lines = main.get_command(None, command).epilog.splitlines()
    examples = [line for line in lines if f"leantopics {command}" in line]
    assert examples
    for line in examples:
        _, _, words = line.partition(f"leantopics {command}")
        words = words.partition("|")[0].partition(">")[0].partition(")")[0]
        main.get_command(None, command).make_context(command, shlex.split(words))
