"""Reading documents for commands."""

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
        Parameters of `TextVectorizer` and of `read_corpus` that the user gave. The
        tokenizer is in ``reading``.
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
    """Return parameters of the vectorizer, with the tokenizer, and of the reader.

    Parameters
    ----------
    text, reading : dict
        As in the options.
    """
    own = {"tokenizer"} & set(reading)
    return (
        {**text, **{name: reading[name] for name in own}},
        {name: value for name, value in reading.items() if name not in own},
    )


def check_no_text(corpus: str, text: dict[str, Any]) -> None:
    """Refuse parameters of text if the source holds counts.

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
    """Load a model for inference, and refuse parameters that it does not have.

    Parameters
    ----------
    path : path
        The model.
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
    """Read documents over the vocabulary of a model, split into words as in its fit.

    What the user does not say about a source is taken from how that of the fit was
    read: its format, encoding and fields.

    Parameters
    ----------
    model : Model
        The model.
    path : path
        Its path, for messages.
    corpus : str
        The source.
    reading : dict
        Parameters of `read_corpus` that the user gave.
    """
    return next(stream_for_model(model, path, corpus, {**reading, "size": None}))


def read_like_fit(
    model: "TopicModel", path: Path, corpus: str, reading: dict[str, Any]
) -> "Corpus":
    """Read as `read_for_model` does, but with all words that the documents have.

    Parameters
    ----------
    model, path, corpus, reading
        See `read_for_model`.
    """
    from sklearn.base import clone

    from leantopics.text import TextVectorizer, read_batches

    reading = dict(reading)
    if "tokenizer" in reading:
        model.use_tokenizer(reading.pop("tokenizer"))
    known, vectorizer = model.analyser_, TextVectorizer()
    if known is not None:
        vectorizer = clone(TextVectorizer.from_dict(known))
    again = (known or {}).get("reading")
    documents = next(
        read_batches(corpus, None, vectorizer=vectorizer, again=again, **reading)
    )
    if known is None and hasattr(vectorizer, "vocabulary_"):
        raise ValueError(_no_words_of_text(corpus, path))
    return documents


def _no_words_of_text(corpus: str, path: Path) -> str:
    return (
        f"{corpus} holds text, but {path} was fitted to counts and does not know how "
        "to split text into words; give counts over the same vocabulary."
    )


def stream_for_model(
    model: "TopicModel", path: Path, corpus: str, reading: dict[str, Any]
) -> "Iterator[Corpus]":
    """Read as `read_for_model` does, in batches.

    Parameters
    ----------
    model, path, corpus
        See `read_for_model`.
    reading : dict
        Parameters of `read_batches`.
    """
    from leantopics.text import TextVectorizer, read_batches

    reading = dict(reading)
    if "tokenizer" in reading:
        model.use_tokenizer(reading.pop("tokenizer"))
    known = model.analyser_
    vectorizer = TextVectorizer() if known is None else TextVectorizer.from_dict(known)
    again = (known or {}).get("reading")
    for documents in read_batches(
        corpus, vectorizer=vectorizer, again=again, **reading
    ):
        if known is None and hasattr(vectorizer, "vocabulary_"):
            raise ValueError(_no_words_of_text(corpus, path))
        yield documents if known else documents.align(model.vocabulary_)
