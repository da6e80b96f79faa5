"""``leantopics reproduce``: repeat the paper's study of a named corpus."""

from pathlib import Path
from typing import Any

import click

from leantopics._extras import check_extra
from leantopics.cli import options, values
from leantopics.cli.messages import tell
from leantopics.cli.output import Column, print_rows, printing

STUDY_OPTIONS: dict[str, options.Decorator] = {
    "methods": click.option(
        "--methods",
        metavar="A,B",
        type=values.names,
        help="Methods to compare: any of ptm, ptm-published, ptm-up, lda, "
        "lda-c-like, lda-background and stc (all but ptm-up, and "
        "lda-c-like only with --long or --full).",
    ),
    "seeds": options.positive("--seeds", help="Number of seeds for each method."),
    "step": options.positive(
        "--step",
        metavar="S",
        help="Number of topics that every method removes at a time.",
    ),
    "n_jobs": options.jobs_option(
        "Sweeps to run at once, each in its own process; -1 uses all processors (-1). "
        "The result does not depend on it.",
        "-j",
        default=-1,
    ),
}
"""Parameters of `leantopics.study.reproduce` and `leantopics.study.compare`."""

study_output_option = options.output_option(
    "FOLDER",
    "Folder for the tables and figures, and for resuming an interrupted run.",
    type=click.Path(path_type=Path, file_okay=False),
)

JSON_HELP = "Print the rows of the results as JSON."
_EXAMPLES = """\b
Examples:
  leantopics reproduce labelme -o out
  leantopics reproduce reuters -o out --long --seeds 3 --csv > results.csv
"""


@click.command("reproduce", epilog=_EXAMPLES)
@click.argument("dataset", shell_complete=options.complete_dataset)
@study_output_option
@click.option(
    "--quick",
    "profile",
    flag_value="quick",
    default=True,
    help="A few numbers of topics and seeds, in minutes (the default).",
)
@click.option(
    "--long",
    "profile",
    flag_value="long",
    help="The paper's numbers of topics for every method, 10 seeds for our model and 3 "
    "for the others; takes hours.",
)
@click.option(
    "--full",
    "profile",
    flag_value="full",
    help="The paper's numbers of topics and 10 seeds for every method.",
)
@options.together("settings", STUDY_OPTIONS)
@options.folder_option
@printing(JSON_HELP)
def command(
    dataset: str,
    output: Path,
    profile: str,
    settings: dict[str, Any],
    folder: Path | None,
    form: str,
) -> None:
    """Repeat the paper's study of DATASET.

    DATASET is one of 20newsgroups, 20newsgroups-headers, acl, imdb, labelme,
    ohsumed, reuters and reuters-r52. Fits all methods at many numbers of topics, and
    writes figures, a table of all results, and tables that compare them with the
    published numbers. To resume an interrupted run, repeat the command.
    """
    from leantopics.datasets import size_table
    from leantopics.study import reproduce

    check_extra("study")
    tell(size_table([dataset], folder=folder))
    rows = reproduce(
        dataset, output, profile=profile, folder=folder, show=True, **settings
    )
    summarise(output, rows, form)


def summarise(output: Path, rows: list[dict[str, Any]], form: str) -> None:
    """Print the tables, or the rows as data, and where everything is saved."""
    if form == "text":
        click.echo((output / "tables.md").read_text(encoding="utf-8"), nl=False)
    else:
        print_rows(form, [Column(name) for name in rows[0]], rows)
    tell(f"The results, tables, sample topics and figures are in {output}.")
