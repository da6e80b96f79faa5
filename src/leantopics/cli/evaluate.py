"""``leantopics evaluate``: what a model is worth on documents."""

from pathlib import Path
from typing import Any

import click

from leantopics.cli.options import (
    INFERENCE_OPTIONS,
    READING_OPTIONS,
    corpus_argument,
    model_argument,
    together,
)
from leantopics.cli.output import print_facts, printing
from leantopics.cli.reading import load_with, read_for_model
from leantopics.cli.show import waiting

_EPILOG = """\b
Measures:
  held_out_per_word,         log-likelihood of held-out words, when the topics
  perplexity                 are found from the other words
  score                      the model's own, mostly log-likelihood of a word
  npmi, coh, diversity       coherence on these documents (coh is the paper's),
                             share of top words that differ
  label_accuracy, label_auc  labels of one half of the documents, told from
                             topics by the other half
  nmi                        normalised mutual information of main topic and
                             label
  topics_per_document and    few topics a document, few words a topic
  the rest

\b
Examples:
  leantopics evaluate model test.jsonl
  leantopics evaluate model texts.jsonl --where split=test --json
"""


@click.command("evaluate", epilog=_EPILOG)
@model_argument
@corpus_argument
@together("settings", INFERENCE_OPTIONS)
@together("reading", READING_OPTIONS)
@printing("Print one JSON object.")
def command(
    model: Path,
    corpus: str,
    settings: dict[str, Any],
    reading: dict[str, Any],
    form: str,
) -> None:
    """Measure MODEL on the documents of CORPUS.

    CORPUS is best one that the model was not fitted to; its text is cut into words as
    when the model was fitted. Prints a line for each measure that makes sense for the
    model and the documents.
    """
    with waiting("reading"):
        from leantopics.analysis.scoring import evaluate

        loaded = load_with(model, settings)
        documents = read_for_model(loaded, model, corpus, reading)
    with waiting("measuring"):
        facts = evaluate(loaded, documents)
    print_facts(form, "measure", facts)
