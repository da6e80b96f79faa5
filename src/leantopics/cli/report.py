"""``leantopics report``: one HTML page about a model."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics._extras import check_extra
from leantopics.cli import options
from leantopics.cli.messages import tell
from leantopics.cli.reading import read_for_model
from leantopics.cli.show import waiting

if TYPE_CHECKING:
    from leantopics import Corpus, ParsimoniousTopicModel

_EXAMPLES = """\b
Examples:
  leantopics report model -o report.html
  leantopics report model texts.jsonl -o report.html --title "Our texts"
  leantopics report model photos --codebook photos.codebook
  leantopics report model texts.jsonl --with seed1 --with lda --figures out/
"""


@click.command("report", epilog=_EXAMPLES)
@options.model_argument
@click.argument("corpus", required=False, type=options.source)
@options.output_option("FILE", "The page to write (report.html).", default=None)
@click.option("--title", metavar="TEXT", help="Title of the page.")
@options.path_option(
    "--with",
    "others",
    multiple=True,
    metavar="MODEL",
    help="Compare with another model that has the same vocabulary; may be repeated. "
    "Models that differ only in their seed show how certain the number of topics is.",
)
@click.option(
    "--documents",
    type=click.IntRange(min=0),
    default=500,
    metavar="N",
    help="Most documents on the page (500).",
)
@click.option(
    "--by",
    metavar="FIELD",
    help="Also show topics by a field of the documents, such as a date, or by label.",
)
@options.period_option
@options.path_option(
    "--figures",
    metavar="FOLDER",
    help="Also draw figures for a paper, as SVG and PNG.",
)
@options.path_option(
    "--export",
    "tables",
    metavar="FOLDER",
    help="Also write the topics, words and documents as CSV, and the whole report as "
    "JSON and Markdown.",
)
@click.option(
    "--csv-safe",
    is_flag=True,
    help="Make the CSV of --export safe for spreadsheets: put ' before text that looks "
    "like a formula.",
)
@options.codebook_option
@options.together("reading", options.READING_OPTIONS)
def command(
    model: Path,
    corpus: str | None,
    output: Path | None,
    title: str | None,
    others: tuple[Path, ...],
    documents: int,
    by: str | None,
    period: str | None,
    figures: Path | None,
    tables: Path | None,
    csv_safe: bool,
    codebook: Path | None,
    reading: dict[str, Any],
) -> None:
    """Write one HTML page about MODEL.

    The page is a single file and needs no network. CORPUS is anything that
    `leantopics fit` takes: the documents of the fit, or others, whose topics are then
    inferred. Without it the page shows no texts, unless the model was fitted with
    --keep-text, and does not replace a report.html that does unless -o names it. With
    --codebook it shows words and documents as pictures.
    """
    if period is not None and by is None:
        raise click.UsageError("--period needs --by.")
    if csv_safe and tables is None:
        raise click.UsageError("--csv-safe needs --export.")
    if figures is not None:
        check_extra("report")
    with waiting("reading"):
        from leantopics import ParsimoniousTopicModel
        from leantopics.models import load_model
        from leantopics.report import render, summarise
        from leantopics.report.export import export
        from leantopics.report.figures import write_figures
        from leantopics.storage import atomic_file

        words = None
        if codebook is not None:  # needs packages that other reports do not
            from leantopics.images import VisualWords

            words = VisualWords.load(codebook)
        loaded = ParsimoniousTopicModel.load(model)
        found = _documents(loaded, model, corpus, reading)
        page = output or _default_page(found)
        beside = {path.name: load_model(path) for path in others}
    with waiting("writing"):
        summary = summarise(
            loaded,
            found,
            title=title or f"Topics of {Path(corpus or model).name}",
            others=beside,
            n_documents=documents,
            by=by,
            period=period,
            codebook=words,
        )
        with atomic_file(page) as file:
            file.write(render(summary).encode("utf-8", errors="replace"))
        if figures is not None:
            write_figures(summary, figures)
        if tables is not None:
            export(loaded, summary, tables, found, safe=csv_safe)
    tell(f"The report is in {page}.")


def _default_page(found: "Corpus | None") -> Path:
    """Return the page to write if none is named; refuse to lose the texts of one."""
    page = Path("report.html")
    shows_texts = page.is_file() and b'"kind":"text"' in page.read_bytes()
    if shows_texts and (found is None or found.texts is None):
        raise FileExistsError(
            f"{page} shows the texts of documents, but a page made now would not: give "
            "the CORPUS with its texts, or name a page with -o."
        )
    return page


def _documents(
    model: "ParsimoniousTopicModel",
    path: Path,
    corpus: str | None,
    reading: dict[str, Any],
) -> "Corpus | None":
    """Return the given documents, or those saved with the model, if any."""
    from leantopics.ptm.attached_texts import kept_corpus

    if corpus is None:
        if "tokenizer" in reading:
            model.use_tokenizer(reading["tokenizer"])
        return kept_corpus(model)
    return read_for_model(model, path, corpus, reading)
