"""How commands read documents."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leantopics import Corpus
    from leantopics.models.base import TopicModel


def read_documents(
    corpus: str, text: dict[str, Any], reading: dict[str, Any]
) -> "Corpus":
    """Read a corpus.

    Parameters
    ----------
    corpus : str
        The source.
    text, reading : dict
        Parameters of `TextVectorizer` and of `read_corpus` that the user gave; the
        tokenizer is among the latter.
    """
    from leantopics import TextVectorizer, read_corpus

    text, reading = of_text(text, reading)
    vectorizer = TextVectorizer(**text)
    documents = read_corpus(corpus, vectorizer=vectorizer, **reading)
    if not hasattr(vectorizer, "vocabulary_"):
        check_no_text(corpus, text)
    return documents


def of_text(
    text: dict[str, Any], reading: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of the vectorizer and of the reader; the tokenizer is the former's.

    Parameters
    ----------
    text, reading : dict
        As the options have them.
    """
    own = {"tokenizer"} & set(reading)
    return (
        {**text, **{name: reading[name] for name in own}},
        {name: value for name, value in reading.items() if name not in own},
    )


def check_no_text(corpus: str, text: dict[str, Any]) -> None:
    """Refuse parameters of text for a source of counts.

    Parameters
    ----------
    corpus : str
        The source.
    text : dict
        Parameters of `TextVectorizer` that the user gave.
    """
    if text:
        option = f"--{next(iter(text)).replace('_', '-')}"
        raise ValueError(f"{corpus} holds counts, not text, so {option} cannot apply.")


def load_with(path: Path, settings: dict[str, Any]) -> "TopicModel":
    """Load a model to infer with; parameters of ours alone cannot go to others.

    Parameters
    ----------
    path : path
        Where it is.
    settings : dict
        Parameters that the user gave.
    """
    from leantopics.models import load_model

    model = load_model(path)
    for name in settings:
        if name not in model.get_params():
            kind = type(model).__name__
            raise ValueError(
                f"{path} is a model of class {kind}, so --{name} cannot apply."
            )
    if "sparse_output" in model.get_params():
        model.set_params(sparse_output=True)
    model.set_params(**settings)
    return model


def read_for_model(
    model: "TopicModel", path: Path, corpus: str, reading: dict[str, Any]
) -> "Corpus":
    """Read documents over the vocabulary of a model, cut into words as for its fit.

    Parameters
    ----------
    model : Model
        The model.
    path : path
        Where it was, for messages.
    corpus : str
        The source.
    reading : dict
        Parameters of `read_corpus` that the user gave.
    """
    return next(stream_for_model(model, path, corpus, {**reading, "size": None}))


def stream_for_model(
    model: "TopicModel", path: Path, corpus: str, reading: dict[str, Any]
) -> "Iterator[Corpus]":
    """Read as `read_for_model` does, some documents at a time.

    Parameters
    ----------
    model, path, corpus
        As there.
    reading : dict
        Parameters of `read_batches`.
    """
    from leantopics.text import TextVectorizer, read_batches

    reading = dict(reading)
    if "tokenizer" in reading:
        model.use_tokenizer(reading.pop("tokenizer"))
    known = model.analyser_
    vectorizer = TextVectorizer() if known is None else TextVectorizer.from_dict(known)
    for documents in read_batches(corpus, vectorizer=vectorizer, **reading):
        if known is None and hasattr(vectorizer, "vocabulary_"):
            raise ValueError(
                f"{corpus} holds text, but {path} was fitted to counts and does not "
                "know how to cut text into words; give counts over the same vocabulary."
            )
        yield documents if known else documents.align(model.vocabulary_)
