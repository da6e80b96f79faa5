"""``leantopics completion``: completion scripts for shells."""

import click
from click.shell_completion import get_completion_class

_EXAMPLES = """\b
To enable it, add this line to the shell's startup file:
  bash  eval "$(leantopics completion bash)"           in ~/.bashrc
  zsh   eval "$(leantopics completion zsh)"            in ~/.zshrc
  fish  leantopics completion fish | source            in ~/.config/fish/config.fish
"""


@click.command("completion", epilog=_EXAMPLES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="SHELL")
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that enables completion in SHELL.

    SHELL is bash, zsh or fish. It then completes commands, options and their choices,
    paths and named corpora.
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    root = ctx.find_root()
    script = kind(root.command, {}, "leantopics", "_LEANTOPICS_COMPLETE").source()
    click.echo(script)
