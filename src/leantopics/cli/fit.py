"""``leantopics fit``: fit a model to a corpus and save it."""

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from leantopics._words import counted
from leantopics.cli import options
from leantopics.cli.fitting import (
    check_cluster,
    check_target,
    fit_and_save,
    is_finished,
    on_cluster,
    open_checkpoint,
    saved_in,
    stopped_by_signals,
)
from leantopics.cli.guide import tell_costs
from leantopics.cli.messages import tell
from leantopics.cli.reading import read_documents
from leantopics.cli.show import level, number, waiting

if TYPE_CHECKING:
    from leantopics import Corpus, ParsimoniousTopicModel


_EXAMPLES = """\b
Examples:
  leantopics fit texts.jsonl -o model
  leantopics fit table.csv -o model --text-field body --where split=train
  cat *.txt | leantopics fit - -o model --topics 20
"""


@click.command("fit", epilog=_EXAMPLES)
@options.corpus_argument
@options.output_option(
    "MODEL", "Folder to save the model in; a single file if it ends with .zip."
)
@options.together("settings", options.MODEL_OPTIONS)
@click.option(
    "--no-themes",
    is_flag=True,
    help="Find the finer topics alone; the same as --evidence words.",
)
@options.together("text", options.TEXT_OPTIONS)
@options.together("reading", options.READING_OPTIONS)
@click.option(
    "--keep-text",
    is_flag=True,
    help="Save the texts with the model, for its report; anyone with the model can "
    "read them.",
)
@options.path_option(
    "--guide",
    metavar="FILE",
    help="Known topics: JSON or YAML with words, not_words and documents by topic, "
    "labels, together, apart, trust and bound; see docs/guide.md.",
)
@options.together("run", options.RUN_OPTIONS)
def command(
    corpus: str,
    output: Path,
    settings: dict[str, Any],
    no_themes: bool,
    text: dict[str, Any],
    reading: dict[str, Any],
    keep_text: bool,
    guide: Path | None,
    run: dict[str, Any],
) -> None:
    """Fit a model to CORPUS and save it.

    CORPUS is a file of JSON lines, CSV, TSV, one document per line, lda-c, UCI docword
    or Matrix Market, plain or compressed; a folder of text files; a saved corpus; or -
    for standard input. You need neither a stop list nor stemming: words that all topics
    use alike go to the shared vocabulary.
    """
    _check_topics(settings)
    if no_themes:
        if settings.get("evidence") == "bursts":
            raise click.UsageError(
                "Give only one of --evidence bursts and --no-themes."
            )
        settings["evidence"] = "words"
    check_cluster(run)
    begin = perf_counter()
    with waiting("reading"):
        from leantopics import Guide

        replaced = check_target(output)
        known = None if guide is None else Guide.read(guide)
        checkpoint = open_checkpoint(output, run)
        documents = read_documents(corpus, text, reading)
        begun = checkpoint.path.exists()
        may_be = run["resume"] and not begun and known is None
        finished = may_be and is_finished(output, documents, settings)
    if finished:
        tell(f"{output} is already finished.")
        return
    if keep_text:
        _check_texts(corpus, documents)
    with stopped_by_signals(checkpoint), on_cluster(run):
        model = fit_and_save(
            documents,
            output,
            keep_text=keep_text,
            verbose=run["verbose"],
            checkpoint=checkpoint,
            guide=known,
            **settings,
        )
    _summarise(model, documents, perf_counter() - begin, saved_in(output, replaced))
    if known is not None:
        tell_costs(model)


def _check_topics(settings: dict[str, Any]) -> None:
    """Refuse options of a search where the number of topics is given."""
    if settings.get("n_topics", "auto") == "auto":
        return
    for name in ("max_topics", "min_topics", "step"):
        if name in settings:
            option = options.first_option([name])
            raise click.UsageError(f"{option} can be used only with --topics auto.")


def _check_texts(name: str, documents: "Corpus") -> None:
    """Refuse a corpus without texts that a report could show."""
    if documents.texts is None:
        raise ValueError(f"{name} holds counts, so --keep-text has no texts to keep.")
    if documents.analyser is None:
        raise ValueError(
            f"{name} does not record how its texts were counted, so the report could "
            "not use what --keep-text keeps; convert the texts again."
        )


def _summarise(
    model: "ParsimoniousTopicModel", documents: "Corpus", seconds: float, saved: str
) -> None:
    from leantopics.analysis.topics import chosen_row

    chosen = chosen_row(model)
    salient = counted(round(chosen["salient_per_topic"]), "salient word")
    tell(
        f"{counted(documents.n_docs, 'document')}, {documents.n_words:,} different "
        f"words, {documents.n_tokens:,.0f} in all"
    )
    tell(
        f"{number(model)}, {chosen['topics_per_document']:.2f} {level(model)}s per "
        f"document, {salient} per {level(model)}"
    )
    tell(f"{seconds:.1f} seconds, {saved}")
