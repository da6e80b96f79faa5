"""``leantopics datasets``: list the named corpora, or save one of them."""

from pathlib import Path

import click

from leantopics._words import counted
from leantopics.cli import options
from leantopics.cli.fitting import check_target, saved_in
from leantopics.cli.messages import tell
from leantopics.cli.output import Column, print_rows, printing
from leantopics.cli.show import waiting

_COLUMNS = (
    Column("name", style="bold"),
    Column("about"),
    Column("train", shown=","),
    Column("test", shown=","),
    Column("words", shown=","),
    Column("classes"),
    Column("megabytes", title="MB to download"),
    Column("place", style="cyan"),
)
_EXAMPLES = """\b
Examples:
  leantopics datasets
  leantopics datasets reuters -o reuters
  leantopics datasets reuters -o reuters-test --split test
"""


@click.command("datasets", epilog=_EXAMPLES)
@click.argument("name", required=False, shell_complete=options.complete_dataset)
@options.output_option(
    "CORPUS",
    "Folder to save the corpus NAME in, with its counts and labels; a single file if "
    "it ends with .zip.",
    required=False,
)
@click.option(
    "--split",
    type=click.Choice(["train", "test", "all"]),
    help="Documents to save (train). The vocabulary of test is that of train; all has "
    "its own.",
)
@options.folder_option
@printing("Print a JSON list.")
def command(
    name: str | None,
    output: Path | None,
    split: str | None,
    folder: Path | None,
    form: str,
) -> None:
    """List the named corpora, or save the one called NAME.

    The list shows how many documents, words and classes each corpus has, where it is on
    this machine, and about how much must be downloaded if it is not. With -o, NAME is
    read from the folder LEANTOPICS_DATA or from the cache, or downloaded. Its words are
    counted as in the paper's study.
    """
    if output is None:
        if split is not None:
            raise click.UsageError("--split can be used only with -o.")
        _list(name, folder, form)
    elif name is None:
        raise click.UsageError("-o needs the NAME of a corpus.")
    elif form != "text":
        raise click.UsageError(
            f"-o saves a corpus and prints none, so --{form} cannot be used."
        )
    else:
        _save(name, split or "train", output, folder)


def _list(name: str | None, folder: Path | None, form: str) -> None:
    from leantopics.datasets import catalogue, has_split

    if name is not None:
        has_split(name)  # refuses an unknown name
    entries = [e._asdict() for e in catalogue(folder=folder) if name in (None, e.name)]
    for entry in entries:
        entry["place"] = entry["place"] and str(entry["place"])
    print_rows(form, _COLUMNS, entries)


def _save(name: str, split: str, output: Path, folder: Path | None) -> None:
    with waiting(f"reading {name}"):
        from leantopics.datasets import load

        replaced = check_target(output, "corpus")
    corpus = load(name, split, folder=folder)
    corpus.save(output)
    tell(
        f"{counted(corpus.n_docs, 'document')}, {corpus.n_words:,} different words, "
        f"{saved_in(output, replaced, 'corpus')}"
    )
