"""Pictures in commands: what they need, their options, and their codebook."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics.cli.fitting import check_target
from leantopics.cli.messages import tell
from leantopics.names import counted

if TYPE_CHECKING:
    from leantopics import Corpus
    from leantopics.images import VisualWords

_OPTIONS = {"n_words": "codewords", "random_state": "seed", "n_jobs": "jobs"}


def load_codebook(path: Path) -> "VisualWords":
    """Load what `convert_pictures` wrote beside a corpus."""
    from leantopics.images import VisualWords

    return VisualWords.load(path)


def check_pictures(
    images: bool, to_texts: bool, pictures: dict[str, Any], others: dict[str, Any]
) -> None:
    """Refuse options of text for pictures, and the other way round.

    Parameters
    ----------
    images : bool
        Whether the user has pictures.
    to_texts : bool
        Whether texts are to be written.
    pictures, others : dict
        Options of pictures, and of texts, that the user gave.
    """
    if not images and pictures:
        raise click.UsageError(f"{_option(pictures)} goes with --images only.")
    if images and others:
        raise click.UsageError(f"{_option(others)} does not go with --images.")
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
                f"{_option(learning)} is for a new codebook, so it does not go with "
                "--codebook."
            )


def convert_pictures(folder: str, output: str, pictures: dict[str, Any]) -> "Corpus":
    """Read pictures with progress on a terminal; write the codebook if it is new.

    Parameters
    ----------
    folder : str
        The pictures.
    output : str
        Where the corpus is to be written; the codebook is written beside it.
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
