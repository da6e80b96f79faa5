"""The command ``leantopics``, with one file for each subcommand.

Subcommands import the models only when they run, so help and version print at once.
"""

import click

from leantopics import __version__
from leantopics.cli.messages import EXIT_CODES, Commands

__all__ = ["main"]


_SECTIONS = {
    "Fit": {
        "fit": "Fit a model to CORPUS and save it.",
        "demo": "Fit a model to the docs of numpy, scipy and scikit-learn.",
    },
    "Look at topics": {
        "topics": "Show the topics of MODEL, largest first.",
        "tree": "Show how the topics of MODEL join into groups, the last join first.",
        "report": "Write one HTML page about MODEL.",
        "groups": "Print the share of each topic in each group of documents.",
        "effects": "Show which topics of MODEL differ by a field of the documents.",
        "stability": "Fit again and see which topics of MODEL recur.",
    },
    "Change topics": {
        "name": "Name topics of MODEL; its report and tables show the names.",
        "edit": "Merge, drop or pin topics of MODEL and fit it again.",
        "guide": "Print what each belief in the guide of MODEL costs, highest first.",
    },
    "Use a model": {
        "infer": "Print the topics that MODEL finds in the documents of CORPUS.",
        "serve": "Infer topics with MODEL over HTTP.",
        "evaluate": "Measure MODEL on the documents of CORPUS.",
    },
    "Keep up to date": {
        "refresh": "Fit MODEL to CORPUS, from the topics it has.",
        "watch": "Find documents of CORPUS that share a topic MODEL does not have.",
        "verify": "Recompute what MODEL states about CORPUS, and report what holds.",
    },
    "Data": {
        "inspect": "Describe PATH, a corpus or a model.",
        "convert": "Write CORPUS in another format.",
        "datasets": "List the named corpora, or save the one called NAME.",
    },
    "Studies": {
        "compare": "Compare the methods of the paper on CORPUS.",
        "reproduce": "Repeat the paper's study of DATASET.",
    },
    "Shell": {
        "completion": "Print the script that enables completion in SHELL.",
    },
}
_BEGIN = """\b
Start with:
  leantopics demo
  leantopics fit texts.jsonl -o model
  leantopics topics model
"""


@click.group(
    cls=Commands,
    sections=_SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"{_BEGIN}\n{EXIT_CODES}",
)
@click.version_option(__version__, prog_name="leantopics")
def main() -> None:
    """Topic models that choose their own number of topics.

    Each document has a few topics, and each topic has a few salient words. All other
    words belong to a vocabulary that the topics share.
    """
