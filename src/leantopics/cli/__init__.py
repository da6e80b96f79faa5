"""The command ``leantopics``: one small file for each of its commands.

Commands import the models when they run, so that help and version come at once.
"""

import click

from leantopics import __version__
from leantopics.cli import (
    compare,
    completion,
    convert,
    datasets,
    demo,
    evaluate,
    fit,
    infer,
    inspect,
    report,
    reproduce,
    topics,
)
from leantopics.cli.messages import EXIT_CODES, Commands

__all__ = ["main"]


_BEGIN = """\b
Begin with:
  leantopics demo
  leantopics fit texts.jsonl -o model
  leantopics topics model
"""


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"{_BEGIN}\n{EXIT_CODES}",
)
@click.version_option(__version__, prog_name="leantopics")
def main() -> None:
    """Topic models that choose their own number of topics.

    Each document gets a few topics, each topic a few salient words; all other words
    belong to a vocabulary that the topics share.
    """


for module in (
    fit,
    topics,
    infer,
    report,
    evaluate,
    inspect,
    convert,
    datasets,
    compare,
    reproduce,
    demo,
    completion,
):
    main.add_command(module.command)
