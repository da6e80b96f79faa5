import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete
from tests.cli.runner import run

from leantopics.cli import main

VARIABLE = "_LEANTOPICS_COMPLETE"


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("bash", "complete -o nosort -F _leantopics_completion leantopics"),
        ("zsh", "#compdef leantopics"),
        ("fish", "complete --no-files --command leantopics"),
    ],
)
def test_the_script_of_each_shell(shell, line):
    result = run("completion", shell)
    assert line in result.stdout
    assert f"{VARIABLE}={shell}_complete" in result.stdout
    assert result.exit_code == 0


def complete(*words):
    """Completions of the last word, with their types."""
    *given, incomplete = words
    shell = ShellComplete(main, {}, "leantopics", VARIABLE)
    found = shell.get_completions(list(given), incomplete)
    return [(item.type, item.value) for item in found]


def test_commands_options_and_choices():
    assert complete("co") == [
        ("plain", "convert"), ("plain", "compare"), ("plain", "completion"),
    ]  # fmt: skip
    assert complete("topics", "--j") == [("plain", "--json")]
    assert complete("topics", "m", "--by", "s") == [("plain", "salience")]
    assert complete("fit", "--format", "l") == [("plain", "lines"), ("plain", "ldac")]
    assert complete("convert", "x", "--to", "u") == [("plain", "uci")]
    assert complete("reproduce", "reu") == complete("datasets", "reu")
    assert complete("datasets", "reu") == [
        ("plain", "reuters"), ("plain", "reuters-r52"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "command",
    ["fit", "compare", "convert", "inspect", "topics", "infer", "infer m",
     "evaluate m", "fit -o", "convert x -o", "reproduce x --folder"],
)  # fmt: skip
def test_paths(command):
    """The shell itself completes what is of the type file or dir."""
    assert complete(*command.split(), "x")[0][0] in ("file", "dir")


def test_the_shell_asks_without_loading_anything_heavy():
    code = (
        "import sys\n"
        "from leantopics.cli import main\n"
        "try:\n"
        "    main(prog_name='leantopics')\n"
        "finally:\n"
        "    assert not {'numpy', 'rich'} & set(sys.modules)\n"
    )
    environment = {
        VARIABLE: "bash_complete", "COMP_WORDS": "leantopics ev", "COMP_CWORD": "1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.stdout == "plain,evaluate\n"
