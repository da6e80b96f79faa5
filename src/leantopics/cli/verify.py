"""``leantopics verify``: compute what a model states again, from the files alone."""

from pathlib import Path
from typing import Any

import click

from leantopics.cli import options, show
from leantopics.cli.messages import tell
from leantopics.cli.output import Column, print_rows, printing
from leantopics.cli.reading import load_with, read_for_model

_COLUMNS = (
    Column("check", style="bold"),
    Column("holds"),
    Column("stated", piped=".12g", shown=",.6f"),
    Column("found", piped=".12g", shown=",.6f"),
    Column("note"),
)
_EXAMPLES = """\b
Exit codes:
  0  everything holds
  1  something does not hold; a sentence on standard error says what

\b
Examples:
  leantopics verify model texts.jsonl
  leantopics verify model corpus --json > audit.json
"""


@click.command("verify", epilog=_EXAMPLES)
@options.model_argument
@options.corpus_argument
@options.together("reading", options.READING_OPTIONS)
@printing("Print one JSON document.")
def command(model: Path, corpus: str, reading: dict[str, Any], form: str) -> None:
    """Recompute what MODEL states about CORPUS, and report what holds.

    CORPUS must hold the documents of the fit. The likelihood, every term of BIC, all
    sums and the certificate, that no switch of a word or topic pays, are computed in
    plain NumPy, without the code of the fit. Finer topics are verified, too. This takes
    about as long as a fit.
    """
    with show.waiting("reading"):
        from leantopics.analysis.verify import summary, verify

        loaded = load_with(model, {})
        documents = read_for_model(loaded, model, corpus, reading)
    with show.waiting("verifying"):
        checks = verify(loaded, documents)
    rows = [
        {**check._asdict(), "holds": "yes" if check.holds else "NO"} for check in checks
    ]
    print_rows(form, _COLUMNS, rows, [check._asdict() for check in checks])
    if not all(check.holds for check in checks):
        raise click.ClickException(summary(checks))
    tell(summary(checks))
