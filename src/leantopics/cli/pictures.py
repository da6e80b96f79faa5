"""Pictures in commands: requirements, options and the codebook."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics._words import counted
from leantopics.cli.fitting import check_target
from leantopics.cli.messages import tell

if TYPE_CHECKING:
    from leantopics import Corpus
    from leantopics.images import VisualWords

_OPTIONS = {"n_words": "codewords", "random_state": "seed", "n_jobs": "jobs"}


def load_codebook(path: Path) -> "VisualWords":
    """Load the codebook that `convert_pictures` wrote next to a corpus."""
    from leantopics.images import VisualWords

    return VisualWords.load(path)


def check_pictures(
    images: bool, to_texts: bool, pictures: dict[str, Any], others: dict[str, Any]
) -> None:
    """Refuse options of text with pictures, and options of pictures without them.

    Parameters
    ----------
    images : bool
        Whether the corpus is a folder of pictures.
    to_texts : bool
        Whether the output is a file of texts.
    pictures, others : dict
        Options of pictures and of texts that the user gave.
    """
    if not images and pictures:
        raise click.UsageError(f"{_option(pictures)} can be used only with --images.")
    if images and others:
        raise click.UsageError(f"{_option(others)} cannot be used with --images.")
    if images and to_texts:
        raise click.UsageError(
            "Pictures become counts, not texts: give a folder or file of counts."
        )
    if "codebook" in pictures:
        learning = {
            k: v for k, v in pictures.items() if k in ("n_words", "random_state")
        }
        if learning:
            raise click.UsageError(
                f"{_option(learning)} is for learning a new codebook, so it cannot be "
                "used with --codebook."
            )


def convert_pictures(folder: str, output: str, pictures: dict[str, Any]) -> "Corpus":
    """Read pictures, showing progress on a terminal, and write a new codebook.

    Parameters
    ----------
    folder : str
        The folder of pictures.
    output : str
        Path of the corpus; a new codebook is written beside it.
    pictures : dict
        Options that the user gave.
    """
    from leantopics.images import VisualWords, read_images

    shown = {"n_jobs": pictures.get("n_jobs", -1), "verbose": int(sys.stderr.isatty())}
    if "codebook" in pictures:
        words = VisualWords.load(pictures["codebook"]).set_params(**shown)
        return read_images(folder, words=words)
    beside = Path(output).with_suffix(".codebook")
    check_target(beside, "codebook")
    words = VisualWords(**{"random_state": 0, **pictures, **shown})
    documents = read_images(folder, words=words)
    words.save(beside)
    tell(f"{counted(len(words.codewords_), 'codeword')} written to {beside}")
    return documents


def _option(values: dict[str, Any]) -> str:
    first = next(iter(values))
    return f"--{_OPTIONS.get(first, first).replace('_', '-')}"
