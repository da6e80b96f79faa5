"""``leantopics groups``: topics by date or by another field of the documents."""

import click

from leantopics._words import counted
from leantopics.cli import options, show
from leantopics.cli.messages import tell
from leantopics.cli.output import Column, print_rows, printing
from leantopics.cli.reading import Asked, of_model_and_corpus

_COLUMNS = (
    Column("group", style="bold"),
    Column("documents", shown=","),
    Column("topic"),
    Column("share", piped=".4f", shown=".1%"),
    Column("low", piped=".4f", shown=".1%"),
    Column("high", piped=".4f", shown=".1%"),
    Column("name", style="cyan"),
)
_EXAMPLES = """\b
Examples:
  leantopics groups model texts.jsonl --by date --period month
  leantopics groups model texts.csv --by country --topic 3 --topic 5
  leantopics groups model texts.jsonl --by labels --csv > groups.csv
"""


@click.command("groups", epilog=_EXAMPLES)
@click.option(
    "--by",
    required=True,
    metavar="FIELD",
    help="Field or column with the group of each document, or labels.",
)
@options.period_option
@click.option(
    "--topic",
    "topics",
    type=click.IntRange(min=0),
    multiple=True,
    metavar="TOPIC",
    help="Only this topic; may be repeated.",
)
@options.confidence_option
@of_model_and_corpus
@printing("Print one JSON document.")
def command(
    asked: Asked,
    by: str,
    period: str | None,
    topics: tuple[int, ...],
    confidence: float,
    form: str,
) -> None:
    """Print the share of each topic in each group of documents.

    A group is the documents of CORPUS with the same value of a field. Prints the share
    of each topic among the words of each group, and the low and high end of its
    confidence interval: the range that similar documents might have given. Documents
    without the field are left out, and their number goes to standard error.

    If CORPUS holds exactly the documents that MODEL was fitted to, their topics are
    those of the fit, as in the report, unless --inference or --prediction is given.
    Topics of other documents are inferred.
    """
    with show.waiting("reading"):
        from leantopics.analysis.tables import topics_by_group
        from leantopics.analysis.topics import names_of

        model = asked.load()
        for topic in topics:
            model.check_topic(topic)
        documents = asked.documents(model)
        shares = asked.topics(model, documents)
        found = topics_by_group(shares, documents, by, period, level=confidence)
    names = names_of(model)
    rows = [
        {**row._asdict(), "name": names[row.topic]}
        for row in found.shares
        if not topics or row.topic in topics
    ]
    print_rows(form, _COLUMNS, rows)
    if found.without:
        tell(f"Left out: {counted(found.without, 'document')} without {by}.")
