"""Options shared by several commands, and the types of their values."""

import functools
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from leantopics.text.words import Tokenizer

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FORMATS = ("jsonl", "csv", "tsv", "lines", "folder", "ldac", "uci", "mtx")
"""As in `leantopics.io`, which is too slow to import for a help text."""
DATASETS = (
    "20newsgroups", "20newsgroups-headers", "acl", "imdb", "labelme", "ohsumed",
    "reuters", "reuters-r52",
)  # fmt: skip
"""As in `leantopics.datasets`."""

# Shells complete arguments by their types.
corpus_argument = click.argument(
    "corpus", type=click.Path(allow_dash=True, readable=False)
)
model_argument = click.argument("model", type=click.Path(path_type=Path))


def complete_dataset(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str]:
    """Return the named corpora that start with the text typed so far."""
    return [name for name in DATASETS if name.startswith(incomplete)]


folder_option = click.option(
    "--folder",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Folder with the file of the corpus, instead of LEANTOPICS_DATA.",
)


def together(name: str, options: Mapping[str, Decorator]) -> Decorator:
    """Add options to a command, which gets their values as one dictionary.

    Parameters
    ----------
    name : str
        The parameter of the command that gets the dictionary.
    options : mapping of str to decorator
        The options by the names of their values. Options without a default that the
        user did not give are not in the dictionary.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def gathering(**values: Any) -> Any:
            own = {key: values.pop(key) for key in options}
            given = {key: value for key, value in own.items() if value is not None}
            return command(**values, **{name: given})

        decorated: Callable[..., Any] = gathering
        for option in reversed(list(options.values())):
            decorated = option(decorated)
        return decorated

    return decorate


def _order(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> str | int | None:
    """Return a number of topics, or "auto"."""
    if value is None or value == "auto":
        return value
    if not (value.isdecimal() and int(value) > 0):
        raise click.BadParameter(f"{value!r} is neither auto nor a number from 1 up.")
    return int(value)


def _frequency(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> float | None:
    """Return a whole number as a number of documents, any other as a share."""
    if value is None:
        return None
    try:
        return int(value) if value.isdecimal() else float(value)
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is neither a number of documents, such as 5, nor a share of "
            "them, such as 0.5."
        ) from None


def _ngrams(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """Return the smallest and the largest number of words in a term."""
    if value is None:
        return None
    least, _, greatest = value.partition("-")
    whole = least.isdecimal() and greatest.isdecimal()
    if not (whole and 1 <= int(least) <= int(greatest)):
        raise click.BadParameter(f"{value!r} is not a range of lengths, such as 1-2.")
    return int(least), int(greatest)


def _jobs(ctx: click.Context, param: click.Parameter, value: int | None) -> int | None:
    """Return a number of threads."""
    if value == 0:
        raise click.BadParameter(
            "must be a number of threads from 1 up, or -1 for all processors."
        )
    return value


def _tokenizer(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> "Tokenizer | None":
    """Return the function with a name, which may be in the working folder."""
    if value is None:
        return None
    from leantopics.text.words import find_tokenizer

    if os.getcwd() not in sys.path:  # last, so that it hides no installed module
        sys.path.append(os.getcwd())
    try:
        return find_tokenizer(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _conditions(
    ctx: click.Context, param: click.Parameter, values: Iterable[str]
) -> dict[str, str] | None:
    """Turn ``FIELD=VALUE`` into a dictionary, or None if there are none."""
    conditions: dict[str, str] = {}
    for value in values:
        field, equals, wanted = value.partition("=")
        if not (field and equals):
            raise click.BadParameter(f"{value!r} is not of the form FIELD=VALUE.")
        if field in conditions:
            raise click.BadParameter(
                f"the field {field!r} must be given once, but is given twice."
            )
        conditions[field] = wanted
    return conditions or None


MODEL_OPTIONS: dict[str, Decorator] = {
    "n_topics": click.option(
        "--topics",
        "n_topics",
        metavar="auto|M",
        callback=_order,
        help="Number of topics; auto, the default, lets the model choose.",
    ),
    "max_topics": click.option(
        "--max-topics",
        type=click.IntRange(min=1),
        metavar="M",
        help="Roughly the most topics to expect; auto begins with more (100).",
    ),
    "min_topics": click.option(
        "--min-topics",
        type=click.IntRange(min=1),
        metavar="M",
        help="Fewest topics that auto tries (2).",
    ),
    "step": click.option(
        "--step",
        type=click.IntRange(min=1),
        metavar="S",
        help="Sweep as in the paper, from the most topics down, removing S at a time; "
        "by default auto uses a faster search, which finds a lower BIC.",
    ),
    "n_init": click.option(
        "--starts",
        "n_init",
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of starts; the one with the lowest BIC is kept (1).",
    ),
    "random_state": click.option(
        "--seed",
        "random_state",
        type=click.IntRange(0, 2**32 - 1),
        default=0,
        metavar="S",
        help="The same seed gives the same model (0).",
    ),
    "procedure": click.option(
        "--procedure",
        type=click.Choice(["paper", "published"]),
        help="Follow the paper, or what its authors' program does (paper).",
    ),
    "shared": click.option(
        "--shared",
        type=click.Choice(["frequency", "learned"]),
        help="Shared vocabulary: frequencies of words, as in the paper, or learned, "
        "for a lower BIC and fewer salient words (frequency).",
    ),
    "max_iter": click.option(
        "--max-iter",
        type=click.IntRange(min=1),
        metavar="N",
        help="Most iterations for one number of topics (100).",
    ),
    "n_jobs": click.option(
        "--jobs",
        "n_jobs",
        type=int,
        default=-1,
        metavar="N",
        callback=_jobs,
        help="Threads; -1 uses all processors (-1). The result does not depend on it.",
    ),
}
"""Parameters of the estimator."""

INFERENCE_OPTIONS: dict[str, Decorator] = {
    "inference": click.option(
        "--inference",
        type=click.Choice(["sparse", "all"]),
        help="Infer few topics per document, or all, which predicts better (sparse).",
    ),
    "prediction": click.option(
        "--prediction",
        type=click.Choice(["shrunk", "switched"]),
        help="Word probabilities: the counts of the fit shrunk towards the shared "
        "vocabulary, which predict better, or the switches alone, as in the paper "
        "(shrunk).",
    ),
    "n_jobs": MODEL_OPTIONS["n_jobs"],
}
"""Parameters of the estimator that apply to new documents."""

TEXT_OPTIONS: dict[str, Decorator] = {
    "stop_words": click.option(
        "--stop-words", metavar="LANG", help="Leave out the stop words of a language."
    ),
    "stem": click.option(
        "--stem", metavar="LANG", help="Count words with the same Snowball stem as one."
    ),
    "min_df": click.option(
        "--min-df",
        metavar="N",
        callback=_frequency,
        help="Leave out words in fewer documents than N, a number, or a share such as "
        "0.01.",
    ),
    "max_df": click.option(
        "--max-df",
        metavar="N",
        callback=_frequency,
        help="Leave out words in more documents than N, a number, or a share such as "
        "0.5.",
    ),
    "ngrams": click.option(
        "--ngrams",
        metavar="A-B",
        callback=_ngrams,
        help="Count sequences of A to B words, for example 1-2.",
    ),
    "pattern": click.option(
        "--pattern", metavar="REGEX", help="Regular expression that matches a word."
    ),
}
"""Parameters of the vectorizer."""

codebook_option = click.option(
    "--codebook",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Codebook that `leantopics convert --images` wrote beside a corpus.",
)

PICTURE_OPTIONS: dict[str, Decorator] = {
    "codebook": codebook_option,
    "n_words": click.option(
        "--codewords",
        "n_words",
        type=click.IntRange(min=1),
        metavar="N",
        help="Clusters of patches, before close ones are merged and rare ones removed "
        "(240).",
    ),
    "random_state": click.option(
        "--seed",
        "random_state",
        type=click.IntRange(0, 2**32 - 1),
        metavar="S",
        help="The same seed gives the same codebook (0).",
    ),
    "n_jobs": click.option(
        "--jobs",
        "n_jobs",
        type=int,
        metavar="N",
        callback=_jobs,
        help="Number of threads that read pictures; -1 uses all processors (-1).",
    ),
}
"""Parameters of visual words."""

TOKENIZER_OPTION: dict[str, Decorator] = {
    "tokenizer": click.option(
        "--tokenizer",
        metavar="NAME",
        callback=_tokenizer,
        help="Function that splits a text into words, such as jieba.lcut. A model "
        "keeps only its name, so it must be available wherever the model is used.",
    ),
}

READING_OPTIONS: dict[str, Decorator] = {
    "where": click.option(
        "--where",
        multiple=True,
        metavar="FIELD=VALUE",
        callback=_conditions,
        help="Read only documents with this value; may be repeated.",
    ),
    "format": click.option(
        "--format",
        type=click.Choice(FORMATS),
        help="Format of the corpus, if its name does not show it.",
    ),
    "encoding": click.option(
        "--encoding", metavar="NAME", help="Encoding of the corpus (utf-8)."
    ),
    "text_field": click.option(
        "--text-field", metavar="FIELD", help="Field or column with the text."
    ),
    "id_field": click.option(
        "--id-field", metavar="FIELD", help="Field or column with the id."
    ),
    "label_field": click.option(
        "--label-field", metavar="FIELD", help="Field or column with the labels."
    ),
    "vocabulary": click.option(
        "--vocabulary",
        metavar="FILE",
        help="For counts: file with the words, one per line.",
    ),
    **TOKENIZER_OPTION,
}
"""Parameters of `read_corpus`, and the tokenizer."""
