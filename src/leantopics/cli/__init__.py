"""The command ``leantopics``: one small file for each of its commands.

Commands import the models when they run, so that help and version come at once.
"""

import click

from leantopics import __version__
from leantopics.cli.messages import EXIT_CODES, Commands

__all__ = ["main"]


_LINES = {
    "fit": "Fit a model to CORPUS and save it.",
    "topics": "Show the topics of MODEL, by falling share of all words.",
    "name": "Give topics of MODEL names, which its report and tables then show.",
    "edit": "Change the topics of MODEL by hand and let BIC settle the rest.",
    "stability": "Fit again and see which topics of MODEL come again.",
    "infer": "Print the topics of the documents of CORPUS under MODEL.",
    "serve": "Answer questions about documents over HTTP with MODEL.",
    "report": "Write one HTML page about MODEL.",
    "groups": "Print how much of each topic there is in each group of documents.",
    "evaluate": "Measure MODEL on the documents of CORPUS.",
    "inspect": "Tell what is in PATH, a corpus or a model.",
    "convert": "Write CORPUS in another format.",
    "datasets": "List the named corpora, or save the one called NAME.",
    "compare": "Compare the methods of the paper on CORPUS.",
    "reproduce": "Repeat the paper's study of DATASET.",
    "demo": "Fit a model to the docs of numpy, scipy and scikit-learn.",
    "completion": "Print the script that makes SHELL complete this command.",
}
_BEGIN = """\b
Begin with:
  leantopics demo
  leantopics fit texts.jsonl -o model
  leantopics topics model
"""


@click.group(
    cls=Commands,
    package=__name__,
    lines=_LINES,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"{_BEGIN}\n{EXIT_CODES}",
)
@click.version_option(__version__, prog_name="leantopics")
def main() -> None:
    """Topic models that choose their own number of topics.

    Each document gets a few topics, each topic a few salient words; all other words
    belong to a vocabulary that the topics share.
    """
