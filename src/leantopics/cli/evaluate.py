"""``leantopics evaluate``: measure a model on documents."""

import click

from leantopics.cli.output import print_facts, printing
from leantopics.cli.reading import Asked, of_model_and_corpus
from leantopics.cli.show import waiting

_EPILOG = """\b
Measures:
  held_out_per_word,         log-likelihood of held-out words, with topics
  perplexity                 inferred from the other words
  score                      the model's own score, usually the mean
                             log-likelihood of a word
  npmi, coh, diversity       coherence on these documents (coh is the paper's,
                             of ten words a topic), share of distinct words among
                             the top words
  coh_own, coh_own_words     coh with the paper's number of words for each topic,
                             and the mean of that number
  words_by                   the ranking of these words: salience or probability
  label_accuracy, label_auc  labels of half of the documents, predicted from
                             their topics after learning from the other half
  nmi                        normalised mutual information of main topic and
                             label
  topics_per_document and    how sparse the topics of documents and the words
  the rest                   of topics are

\b
Examples:
  leantopics evaluate model test.jsonl
  leantopics evaluate model texts.jsonl --where split=test --json
"""


@click.command("evaluate", epilog=_EPILOG)
@of_model_and_corpus
@printing("Print one JSON object.")
def command(asked: Asked, form: str) -> None:
    """Measure MODEL on the documents of CORPUS.

    CORPUS should hold documents that the model was not fitted to. Text is split into
    words as it was for the fit. Prints a line for each measure that applies to the
    model and the documents.
    """
    with waiting("reading"):
        from leantopics.analysis.scoring import evaluate

        model = asked.load()
        documents = asked.documents(model)
    with waiting("measuring"):
        facts = evaluate(model, documents)
    print_facts(form, "measure", facts)
