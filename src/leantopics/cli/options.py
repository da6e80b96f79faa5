"""Options that several commands share, and the types of their values."""

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
"""Those of `leantopics.io`, which is too heavy to import for a help text."""
DATASETS = (
    "20newsgroups", "20newsgroups-headers", "acl", "imdb", "labelme", "ohsumed",
    "reuters", "reuters-r52",
)  # fmt: skip
"""Those of `leantopics.datasets`."""

# Types of arguments are also what a shell completes them by.
corpus_argument = click.argument(
    "corpus", type=click.Path(allow_dash=True, readable=False)
)
model_argument = click.argument("model", type=click.Path(path_type=Path))


def complete_dataset(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str]:
    """Return the named corpora that begin with what was typed."""
    return [name for name in DATASETS if name.startswith(incomplete)]


folder_option = click.option(
    "--folder",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Folder with the file of the corpus, if not LEANTOPICS_DATA.",
)


def together(name: str, options: Mapping[str, Decorator]) -> Decorator:
    """Give options to a command, which gets their values as one dictionary.

    Parameters
    ----------
    name : str
        The command's parameter for that dictionary.
    options : mapping of str to decorator
        The options by the names of their values. Options that the user did not give,
        and that have no default, are not in the dictionary.
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
    """Return a number of documents if whole, a share of them with a point."""
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
    """Return the least and the greatest number of words in a term."""
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
        raise click.BadParameter("there must be at least one thread, or -1 for all.")
    return value


def _tokenizer(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> "Tokenizer | None":
    """Return the function of a name; modules of the working folder have names too."""
    if value is None:
        return None
    from leantopics.text.words import find_tokenizer

    if os.getcwd() not in sys.path:  # last, so that it hides nothing that is installed
        sys.path.append(os.getcwd())
    try:
        return find_tokenizer(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _conditions(
    ctx: click.Context, param: click.Parameter, values: Iterable[str]
) -> dict[str, str] | None:
    """Turn ``FIELD=VALUE`` into a dictionary, None if there are none."""
    conditions: dict[str, str] = {}
    for value in values:
        field, equals, wanted = value.partition("=")
        if not (field and equals):
            raise click.BadParameter(f"{value!r} is not of the form FIELD=VALUE.")
        if field in conditions:
            raise click.BadParameter(f"the field {field!r} can be given only once.")
        conditions[field] = wanted
    return conditions or None


MODEL_OPTIONS: dict[str, Decorator] = {
    "n_topics": click.option(
        "--topics",
        "n_topics",
        metavar="auto|M",
        callback=_order,
        help="Number of topics; auto, the default, chooses it.",
    ),
    "max_topics": click.option(
        "--max-topics",
        type=click.IntRange(min=1),
        metavar="M",
        help="About the most topics to expect; auto begins with more (100).",
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
        help="Sweep as in the paper, from the most topics down, S removed at a time; "
        "by default auto finds its way quicker and to a lower BIC.",
    ),
    "n_init": click.option(
        "--starts",
        "n_init",
        type=click.IntRange(min=1),
        metavar="N",
        help="Starts, of which the one with the least BIC is kept (1).",
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
        help="The equations of the paper, or what its authors' program does (paper).",
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
        help="Threads; -1 is all processors (-1). The result does not depend on it.",
    ),
}
"""Parameters of the estimator."""

INFERENCE_OPTIONS: dict[str, Decorator] = {
    "inference": click.option(
        "--inference",
        type=click.Choice(["sparse", "all"]),
        help="Few topics a document, or all, which predicts better (sparse).",
    ),
    "prediction": click.option(
        "--prediction",
        type=click.Choice(["shrunk", "switched"]),
        help="Words by the counts of the fit shrunk towards the shared vocabulary, the "
        "better predictor, or by the switches alone, as in the paper (shrunk).",
    ),
    "n_jobs": MODEL_OPTIONS["n_jobs"],
}
"""Parameters of the estimator that count for new documents."""

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
        help="Leave out words in fewer documents: a number, or a share such as 0.01.",
    ),
    "max_df": click.option(
        "--max-df",
        metavar="N",
        callback=_frequency,
        help="Leave out words in more documents: a number, or a share such as 0.5.",
    ),
    "ngrams": click.option(
        "--ngrams",
        metavar="A-B",
        callback=_ngrams,
        help="Count sequences of A to B words, such as 1-2.",
    ),
    "pattern": click.option(
        "--pattern", metavar="REGEX", help="What is a word, as a regular expression."
    ),
}
"""Parameters of the vectorizer."""

codebook_option = click.option(
    "--codebook",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="What `leantopics convert --images` wrote beside a corpus.",
)

PICTURE_OPTIONS: dict[str, Decorator] = {
    "codebook": codebook_option,
    "n_words": click.option(
        "--codewords",
        "n_words",
        type=click.IntRange(min=1),
        metavar="N",
        help="Clusters of patches before the close are merged and the rare pruned "
        "(240).",
    ),
    "random_state": click.option(
        "--seed",
        "random_state",
        type=click.IntRange(0, 2**32 - 1),
        metavar="S",
        help="Of the codebook: the same seed gives the same one (0).",
    ),
    "n_jobs": click.option(
        "--jobs",
        "n_jobs",
        type=int,
        metavar="N",
        callback=_jobs,
        help="Threads that read pictures; -1 is all processors (-1).",
    ),
}
"""Parameters of visual words."""

TOKENIZER_OPTION: dict[str, Decorator] = {
    "tokenizer": click.option(
        "--tokenizer",
        metavar="NAME",
        callback=_tokenizer,
        help="Function that cuts a text into words, such as jieba.lcut; also for each "
        "later use of the model, which keeps the name alone.",
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
        help="Format of the corpus, if its name does not tell.",
    ),
    "encoding": click.option(
        "--encoding", metavar="NAME", help="Encoding of the corpus (utf-8)."
    ),
    "text_field": click.option(
        "--text-field", metavar="FIELD", help="Field or column of the text."
    ),
    "id_field": click.option(
        "--id-field", metavar="FIELD", help="Field or column of the name."
    ),
    "label_field": click.option(
        "--label-field", metavar="FIELD", help="Field or column of the labels."
    ),
    "vocabulary": click.option(
        "--vocabulary", metavar="FILE", help="For counts: the words, one a line."
    ),
    **TOKENIZER_OPTION,
}
"""Parameters of `read_corpus`, and what cuts texts into words."""
