"""Options that several commands share."""

import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from leantopics.cli import values

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FORMATS = (
    "jsonl", "csv", "tsv", "lines", "folder", "parquet", "arrow", "ldac", "uci", "mtx",
)  # fmt: skip
"""As in `leantopics.io`, which is too slow to import for a help text."""
DATASETS = (
    "20newsgroups", "20newsgroups-headers", "acl", "imdb", "labelme", "ohsumed",
    "reuters", "reuters-r52",
)  # fmt: skip
"""As in `leantopics.datasets`."""


_NAMES = {"n_words": "codewords", "random_state": "seed", "n_jobs": "jobs"}


def first_option(parameters: Iterable[str]) -> str:
    """Return the option of the first of some parameters, for messages."""
    first = next(iter(parameters))
    return f"--{_NAMES.get(first, first).replace('_', '-')}"


def positive(*names: str, metavar: str = "N", **more: Any) -> Decorator:
    """Return an option whose value is a whole number from 1 up."""
    return click.option(*names, type=click.IntRange(min=1), metavar=metavar, **more)


def path_option(*names: str, metavar: str, **more: Any) -> Decorator:
    """Return an option whose value is a path."""
    kind = click.Path(path_type=Path)
    return click.option(*names, **{"type": kind, "metavar": metavar, **more})


def output_option(metavar: str, help: str, **more: Any) -> Decorator:
    """Return the option -o, which is required if nothing else is said."""
    more = {"required": "default" not in more, **more}
    return path_option("-o", "--output", metavar=metavar, help=help, **more)


def seed_option(help: str, **more: Any) -> Decorator:
    """Return the option --seed."""
    numbers = click.IntRange(0, 2**32 - 1)
    names = "--seed", "random_state"
    return click.option(*names, type=numbers, metavar="S", help=help, **more)


def jobs_option(help: str, *names: str, **more: Any) -> Decorator:
    """Return the option --jobs."""
    names = (*names, "--jobs", "n_jobs")
    return click.option(
        *names, type=int, metavar="N", callback=values.jobs, help=help, **more
    )


# Shells complete arguments by their types.
source = click.Path(allow_dash=True, readable=False)
corpus_argument = click.argument("corpus", type=source)
model_argument = click.argument("model", type=click.Path(path_type=Path))


def complete_dataset(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str]:
    """Return the named corpora that start with the text typed so far."""
    return [name for name in DATASETS if name.startswith(incomplete)]


period_option = click.option(
    "--period",
    type=click.Choice(["year", "month", "day"]),
    help="Part of a date such as 2026-11-16 to group by.",
)
confidence_option = click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    metavar="SHARE",
    help="Confidence of the intervals (0.95).",
)
folder_option = path_option(
    "--folder",
    metavar="PATH",
    help="Folder with the file of the corpus, instead of LEANTOPICS_DATA.",
)
level_option = click.option(
    "--level",
    metavar="themes|topics|N",
    type=values.level,
    help="Themes, the finer topics below them, or that many groups of these (themes, "
    "or topics if the model has no themes).",
)


def together(name: str, options: Mapping[str, Decorator]) -> Decorator:
    """Add options to a command, which gets their values by name as one dictionary.

    Options without a default that the user did not give are not in the dictionary.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def gathering(**every: Any) -> Any:
            own = {key: every.pop(key) for key in options}
            given = {key: value for key, value in own.items() if value is not None}
            return command(**every, **{name: given})

        decorated: Callable[..., Any] = gathering
        for option in reversed(list(options.values())):
            decorated = option(decorated)
        return decorated

    return decorate


MODEL_OPTIONS: dict[str, Decorator] = {
    "n_topics": click.option(
        "--topics",
        "n_topics",
        metavar="auto|M",
        type=values.number_of_topics,
        help="Number of topics; auto, the default, lets the model choose.",
    ),
    "evidence": click.option(
        "--evidence",
        type=click.Choice(["bursts", "words"]),
        help="What counts as evidence for topics: bursts of words, which give few, "
        "broad themes with finer topics below them; or every word, as in the paper, "
        "which gives the finer topics alone (bursts).",
    ),
    "max_topics": positive(
        "--max-topics",
        metavar="M",
        help="Roughly the largest number of topics to expect; auto starts with more "
        "(100).",
    ),
    "min_topics": positive(
        "--min-topics",
        metavar="M",
        help="Fewest topics that auto tries (2).",
    ),
    "step": positive(
        "--step",
        metavar="S",
        help="Sweep as in the paper, from the most topics down, removing S at a time; "
        "by default auto uses a faster search, which finds a lower BIC.",
    ),
    "n_init": positive(
        "--starts",
        "n_init",
        help="Number of starts; the one with the lowest BIC is kept (1).",
    ),
    "random_state": seed_option("The same seed gives the same model (0).", default=0),
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
    "max_iter": positive(
        "--max-iter",
        help="Most iterations for one number of topics (100).",
    ),
    "n_jobs": jobs_option(
        "Threads; -1 uses all processors (-1). The result does not depend on it.",
        default=-1,
    ),
}
"""Parameters of the estimator."""

RUN_OPTIONS: dict[str, Decorator] = {
    "minutes": click.option(
        "--checkpoint-every",
        "minutes",
        type=click.FloatRange(min=0),
        default=10.0,
        metavar="MINUTES",
        help="Minutes between saves of the progress, for --resume (10).",
    ),
    "resume": click.option(
        "--resume",
        is_flag=True,
        help="Continue an interrupted fit; start one if there is none.",
    ),
    "cluster": click.option(
        "--dask",
        "cluster",
        metavar="ADDRESS",
        help="Fit on a Dask cluster: the address of its scheduler, or local:2 for two "
        "processes on this machine. The model is the same.",
    ),
    "scratch": click.option(
        "--scratch",
        type=click.Path(file_okay=False, exists=True),
        metavar="FOLDER",
        help="With --dask: a folder that all workers can access.",
    ),
    "verbose": click.option(
        "-v", "--verbose", is_flag=True, help="Print every iteration."
    ),
}
"""How a long fit is run: interrupted and resumed, on a cluster, with what output."""

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
        type=values.frequency,
        help="Leave out words in fewer documents than N, a number, or a share such as "
        "0.01.",
    ),
    "max_df": click.option(
        "--max-df",
        metavar="N",
        type=values.frequency,
        help="Leave out words in more documents than N, a number, or a share such as "
        "0.5.",
    ),
    "ngrams": click.option(
        "--ngrams",
        metavar="A-B",
        type=values.ngrams,
        help="Count sequences of A to B words, for example 1-2.",
    ),
    "pattern": click.option(
        "--pattern", metavar="REGEX", help="Regular expression that matches a word."
    ),
}
"""Parameters of the vectorizer."""

codebook_option = path_option(
    "--codebook",
    metavar="PATH",
    help="Codebook that `leantopics convert --images` wrote next to a corpus.",
)

PICTURE_OPTIONS: dict[str, Decorator] = {
    "codebook": codebook_option,
    "n_words": positive(
        "--codewords",
        "n_words",
        help="Clusters of patches, before close ones are merged and rare ones removed "
        "(240).",
    ),
    "random_state": seed_option("The same seed gives the same codebook (0)."),
    "n_jobs": jobs_option(
        "Number of threads that read pictures; -1 uses all processors (-1)."
    ),
}
"""Parameters of visual words."""

tokenizer_option = click.option(
    "--tokenizer",
    metavar="NAME",
    type=values.tokenizer,
    help="Function that splits a text into words, such as jieba.lcut. A model keeps "
    "only its name, so it must be available wherever the model is used.",
)

READING_OPTIONS: dict[str, Decorator] = {
    "where": click.option(
        "--where",
        multiple=True,
        metavar="FIELD=VALUE",
        callback=values.conditions,
        help="Read only documents with this value; may be repeated.",
    ),
    "format": click.option(
        "--format",
        type=click.Choice(FORMATS),
        help="Format of the corpus, if its name does not show it.",
    ),
    "encoding": click.option(
        "--encoding",
        metavar="NAME|auto",
        help="Encoding of the corpus; auto guesses it, file by file (utf-8).",
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
    "columns": click.option(
        "--columns",
        metavar="NAMES",
        type=values.names,
        help="Names of the columns of CSV or TSV without a header, such as "
        "text,split,label.",
    ),
    "skip_bad": click.option(
        "--skip-bad",
        is_flag=True,
        default=None,
        help="Leave out files, lines and rows that cannot be read; their number and "
        "names are printed.",
    ),
    "vocabulary": click.option(
        "--vocabulary",
        metavar="FILE",
        help="For counts: file with the words, one per line.",
    ),
    "tokenizer": tokenizer_option,
}
"""Parameters of `read_corpus`, and the tokenizer."""
