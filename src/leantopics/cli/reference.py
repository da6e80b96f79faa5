"""The page docs/cli.md, made from the commands themselves.

``python -m leantopics.cli.reference > docs/cli.md`` writes it anew.
"""

import click

from leantopics.cli import main

_BEGIN = """\
# Commands

This page is made from the commands by `python -m leantopics.cli.reference`; a test
keeps it current. `leantopics COMMAND --help` prints the same.

All commands work in pipes. `-` reads a corpus from standard input. Standard output has
nothing but data: a table on a terminal, tab-separated lines in a pipe, or what `--json`
and `--csv` ask for, in which numbers have all their digits. Progress and messages go to
standard error. Colours are for terminals only, and `NO_COLOR=1` does without them.

A shell completes commands, options, paths and the names of corpora once the file that
it reads first has this line:

- bash, `~/.bashrc`: `eval "$(leantopics completion bash)"`
- zsh, `~/.zshrc`: `eval "$(leantopics completion zsh)"`
- fish, `~/.config/fish/config.fish`: `leantopics completion fish | source`
"""
_WIDTH = 80


def reference() -> str:
    """Return the page: what all commands share, and the help of each."""
    root = main.make_context(
        "leantopics", [], resilient_parsing=True, terminal_width=_WIDTH
    )
    parts = [_BEGIN, _section("leantopics", root)]
    for name in main.list_commands(root):
        command = main.get_command(root, name)
        assert command is not None
        ctx = command.make_context(name, [], parent=root, resilient_parsing=True)
        parts.append(_section(f"leantopics {name}", ctx))
    return "\n".join(parts)


def _section(title: str, ctx: click.Context) -> str:
    return f"## {title}\n\n```text\n{ctx.get_help()}\n```\n"


if __name__ == "__main__":
    click.echo(reference(), nl=False)
