"""``leantopics reproduce``: the paper's study of a named corpus."""

from pathlib import Path
from typing import Any

import click

from leantopics._extras import check_extra
from leantopics.cli.messages import tell
from leantopics.cli.options import (
    Decorator,
    complete_dataset,
    folder_option,
    together,
)
from leantopics.cli.output import Column, print_rows, printing


def _names(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[str, ...] | None:
    """Return names separated by commas."""
    if value is None:
        return None
    return tuple(name.strip() for name in value.split(",") if name.strip())


def _jobs(ctx: click.Context, param: click.Parameter, value: int) -> int:
    """Return a number of processes."""
    if value == 0:
        raise click.BadParameter("there must be at least one process, or -1 for all.")
    return value


STUDY_OPTIONS: dict[str, Decorator] = {
    "methods": click.option(
        "--methods",
        metavar="A,B",
        callback=_names,
        help="Methods, of ptm, ptm-published, ptm-up, lda, lda-background and stc "
        "(all but ptm-up).",
    ),
    "seeds": click.option(
        "--seeds",
        type=click.IntRange(min=1),
        metavar="N",
        help="Fit every method with this many seeds.",
    ),
    "step": click.option(
        "--step",
        type=click.IntRange(min=1),
        metavar="S",
        help="Topics removed at a time, by all methods.",
    ),
    "n_jobs": click.option(
        "-j",
        "--jobs",
        "n_jobs",
        type=int,
        default=-1,
        metavar="N",
        callback=_jobs,
        help="Sweeps at a time, each in a process of one thread; -1 is as many as "
        "processors (-1). The result does not depend on it.",
    ),
}
"""Parameters of `leantopics.study.reproduce` and `leantopics.study.compare`."""

output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="FOLDER",
    help="Folder for table, figures and what is needed to go on.",
)


JSON_HELP = "Print the rows of the table of results as JSON."
_EXAMPLES = """\b
Examples:
  leantopics reproduce labelme -o out
  leantopics reproduce reuters -o out --long --seeds 3 --csv > results.csv
"""


@click.command("reproduce", epilog=_EXAMPLES)
@click.argument("dataset", shell_complete=complete_dataset)
@output_option
@click.option(
    "--quick",
    "profile",
    flag_value="quick",
    default=True,
    help="A few orders and seeds in minutes; this is the default.",
)
@click.option(
    "--long",
    "profile",
    flag_value="long",
    help="The paper's orders and seeds for our model, fewer for the others.",
)
@click.option(
    "--full", "profile", flag_value="full", help="The paper's orders, 10 seeds for all."
)
@together("settings", STUDY_OPTIONS)
@folder_option
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
    ohsumed, reuters and reuters-r52. All methods are fitted at many numbers of topics;
    the results are one table, figures, and tables with the published numbers beside
    ours. What was interrupted goes on where it stopped.
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
    """Print the tables, or the rows as data, and say where everything is."""
    if form == "text":
        click.echo((output / "tables.md").read_text(encoding="utf-8"), nl=False)
    else:
        print_rows(form, [Column(name) for name in rows[0]], rows)
    tell(f"Table of results, tables, topics and figures are in {output}.")
