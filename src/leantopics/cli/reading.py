"""Reading models and documents for commands."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from leantopics.cli import options

if TYPE_CHECKING:
    from leantopics import Corpus
    from leantopics.models.base import TopicModel


class Asked(NamedTuple):
    """A model and documents, as the user named them."""

    model: Path
    corpus: str
    level: str | int | None
    settings: dict[str, Any]
    """Parameters of the model for inference."""
    reading: dict[str, Any]
    """Parameters of `read_corpus`."""

    def load(self) -> "TopicModel":
        """Load the model of the level."""
        return at_level(load_with(self.model, self.settings), self.level)

    def documents(self, model: "TopicModel") -> "Corpus":
        """Read the documents for the model."""
        return read_for_model(model, self.model, self.corpus, self.reading)

    def stream(self, model: "TopicModel") -> "Iterator[Corpus]":
        """Read the documents for the model in batches."""
        return stream_for_model(model, self.model, self.corpus, self.reading)

    def topics(self, model: "TopicModel", documents: "Corpus") -> Any:
        """Return topics of documents: those of the fit, or else as the settings say."""
        if {"inference", "prediction"} & set(self.settings):
            return model.transform(documents)
        return model.document_topics(documents)


def of_model_and_corpus(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add MODEL, CORPUS and the options of both to a command, which gets an `Asked`."""

    @options.model_argument
    @options.corpus_argument
    @options.level_option
    @options.together("settings", options.INFERENCE_OPTIONS)
    @options.together("reading", options.READING_OPTIONS)
    @functools.wraps(command)
    def gathering(
        model: Path,
        corpus: str,
        level: str | int | None,
        settings: dict[str, Any],
        reading: dict[str, Any],
        **more: Any,
    ) -> Any:
        return command(asked=Asked(model, corpus, level, settings, reading), **more)

    return gathering


def read_documents(
    corpus: str, text: dict[str, Any], reading: dict[str, Any]
) -> "Corpus":
    """Read a corpus with parameters of `TextVectorizer` and of `read_corpus`."""
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
    """Move the tokenizer from the parameters of the reader to those of the text."""
    rest = {name: value for name, value in reading.items() if name != "tokenizer"}
    if "tokenizer" in reading:
        text = {**text, "tokenizer": reading["tokenizer"]}
    return text, rest


def check_no_text(corpus: str, text: dict[str, Any]) -> None:
    """Refuse parameters of `TextVectorizer` for a source that holds counts."""
    if text:
        option = options.first_option(text)
        raise ValueError(f"{corpus} holds counts, not text, so {option} cannot apply.")


def load_with(path: Path, settings: dict[str, Any]) -> "TopicModel":
    """Load a model for inference, and refuse settings that it does not have."""
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


def at_level(model: "TopicModel", level: str | int | None) -> "TopicModel":
    """Return the model of a level: "themes", "topics" or a number of groups."""
    from leantopics.models.levels import model_at

    found = model_at(model, level)
    if found is not model:
        same = {"sparse_output", "inference", "n_jobs"} & set(model.get_params())
        found.set_params(**{name: model.get_params()[name] for name in same})
    return found


def read_for_model(
    model: "TopicModel", path: Path, corpus: str, reading: dict[str, Any]
) -> "Corpus":
    """Read documents over the vocabulary of a model, split into words as in its fit.

    What the user does not say about a source is taken from how that of the fit was
    read: its format, encoding and fields.
    """
    return next(stream_for_model(model, path, corpus, {**reading, "size": None}))


def read_like_fit(
    model: "TopicModel", path: Path, corpus: str, reading: dict[str, Any]
) -> "Corpus":
    """Read as `read_for_model` does, but with all words that the documents have."""
    from sklearn.base import clone

    from leantopics.text import TextVectorizer, read_batches

    reading = _give_tokenizer(model, reading)
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


def stream_for_model(
    model: "TopicModel", path: Path, corpus: str, reading: dict[str, Any]
) -> "Iterator[Corpus]":
    """Read as `read_for_model` does, with parameters of `read_batches`, in batches."""
    from leantopics.text import TextVectorizer, read_batches

    reading = _give_tokenizer(model, reading)
    known = model.analyser_
    vectorizer = TextVectorizer() if known is None else TextVectorizer.from_dict(known)
    again = (known or {}).get("reading")
    for documents in read_batches(
        corpus, vectorizer=vectorizer, again=again, **reading
    ):
        if known is None and hasattr(vectorizer, "vocabulary_"):
            raise ValueError(_no_words_of_text(corpus, path))
        yield documents if known else documents.align(model.vocabulary_)


def _give_tokenizer(model: "TopicModel", reading: dict[str, Any]) -> dict[str, Any]:
    """Let a model use the tokenizer that the user gave; return the other parameters."""
    own, rest = of_text({}, reading)
    if own:
        model.use_tokenizer(**own)
    return rest


def _no_words_of_text(corpus: str, path: Path) -> str:
    return (
        f"{corpus} holds text, but {path} was fitted to counts and does not know how "
        "to split text into words; give counts over the same vocabulary."
    )
