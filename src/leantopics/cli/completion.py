"""``leantopics completion``: scripts by which shells complete the command."""

import click
from click.shell_completion import get_completion_class

_EXAMPLES = """\b
To install it, in the file that the shell reads first:
  bash  eval "$(leantopics completion bash)"           in ~/.bashrc
  zsh   eval "$(leantopics completion zsh)"            in ~/.zshrc
  fish  leantopics completion fish | source            in ~/.config/fish/config.fish
"""


@click.command("completion", epilog=_EXAMPLES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="SHELL")
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete this command.

    SHELL is bash, zsh or fish. Commands, options and their choices, paths and named
    corpora are completed.
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    root = ctx.find_root()
    script = kind(root.command, {}, "leantopics", "_LEANTOPICS_COMPLETE").source()
    click.echo(script)
