"""``leantopics inspect``: describe a corpus or a model."""

from typing import Any

import click

from leantopics.cli import options
from leantopics.cli.output import print_facts, printing
from leantopics.cli.reading import read_documents
from leantopics.cli.show import waiting

_EXAMPLES = """\b
Examples:
  leantopics inspect model
  leantopics inspect texts.jsonl --where split=train
  leantopics inspect model --json | jq .settings
"""


@click.command("inspect", epilog=_EXAMPLES)
@click.argument("path", type=options.source)
@options.positive(
    "-n",
    "--first",
    help="Number of words, labels and ids of a corpus to show (10).",
)
@options.together("reading", options.READING_OPTIONS)
@printing("Print one JSON object.")
def command(path: str, first: int | None, reading: dict[str, Any], form: str) -> None:
    """Describe PATH, a corpus or a model.

    For a corpus, prints its sizes, most frequent words and labels, and first ids. For a
    saved model, prints its class and sizes, how well it fits, how it was made, what was
    changed by hand, and whether its stability was measured.
    """
    with waiting("reading"):
        from leantopics.analysis.inspection import describe_corpus, describe_model
        from leantopics.storage import is_saved

        if not is_saved(path, "model"):
            facts = describe_corpus(read_documents(path, {}, reading), first or 10)
        elif reading or first:
            option = options.first_option([*reading, "first"])
            raise ValueError(f"{path} is a model, not a corpus: {option} cannot apply.")
        else:
            facts = describe_model(path)
    print_facts(form, "fact", facts)
