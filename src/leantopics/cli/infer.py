"""``leantopics infer``: the few topics of other documents."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics.cli import show
from leantopics.cli.messages import number, tell
from leantopics.cli.options import MODEL_OPTIONS, READING_OPTIONS, together

if TYPE_CHECKING:
    from leantopics import Corpus, ParsimoniousTopicModel

_LEAST = 0.00005
"""Smaller proportions are printed as zero, hence not at all."""


@click.command("infer")
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("corpus")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON line a document.")
@together("settings", {"n_jobs": MODEL_OPTIONS["n_jobs"]})
@together("reading", READING_OPTIONS)
def command(
    model: Path,
    corpus: str,
    as_json: bool,
    settings: dict[str, Any],
    reading: dict[str, Any],
) -> None:
    """Print the topics of the documents of CORPUS under MODEL.

    Text is cut into words as when the model was fitted. Prints a line for each topic
    of each document: the document, the topic, its proportion, its name, separated by
    tabs. A document without any word that the model knows has one line, without topic.
    """
    with show.waiting("reading"):
        from leantopics import ParsimoniousTopicModel

        loaded = ParsimoniousTopicModel.load(model)
        loaded.set_params(sparse_output=True, **settings)
        documents = _read(loaded, model, corpus, reading)
        proportions = loaded.transform(documents)
    known = (documents.counts @ (loaded.shared_word_prob_ > 0.0)) > 0.0
    names = show.names(loaded)
    if not as_json:
        click.echo("document\ttopic\tproportion\tname")
    for d, name in enumerate(documents.ids):
        row = proportions[[d]]
        pairs = zip(row.indices.tolist(), row.data.tolist(), strict=True)
        ranked = sorted(pairs, key=lambda pair: -pair[1]) if known[d] else []
        found = [pair for pair in ranked if pair[1] >= _LEAST]
        if as_json:
            click.echo(json.dumps({"id": name, "topics": found}))
            continue
        lines = [f"{j}\t{share:.4f}\t{show.plain(names[j])}" for j, share in found]
        for line in lines or ["\t\t"]:
            click.echo(f"{show.plain(name)}\t{line}")
    if not known.all():
        lost = number(int((~known).sum()), "document")
        tell(f"Without any word that the model knows: {lost}.")


def _read(
    model: "ParsimoniousTopicModel", path: Path, corpus: str, reading: dict[str, Any]
) -> "Corpus":
    """Read documents over the vocabulary of the model."""
    from leantopics import TextVectorizer, read_corpus

    if model.analyser_ is not None:
        vectorizer = TextVectorizer.from_dict(model.analyser_)
        return read_corpus(corpus, vectorizer=vectorizer, **reading)
    vectorizer = TextVectorizer()
    documents = read_corpus(corpus, vectorizer=vectorizer, **reading)
    if hasattr(vectorizer, "vocabulary_"):
        raise ValueError(
            f"{corpus} holds text, but {path} was fitted to counts and does not know "
            "how to cut text into words; give counts over the same vocabulary."
        )
    return documents.align(model.vocabulary_)
