"""Functions shared by the commands that fit a model."""

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leantopics._extras import check_extra
from leantopics.cli.messages import tell

if TYPE_CHECKING:
    from leantopics import Corpus, Guide, ParsimoniousTopicModel
    from leantopics.ptm.checkpoint import Checkpoint


def check_target(path: str | Path, kind: str = "model") -> bool:
    """Refuse a path where a model or corpus cannot be saved, before hours of work.

    Returns whether a model or corpus is there, which is to be replaced.
    """
    from leantopics.storage import check_target as check_saved

    target = Path(os.path.realpath(path))
    replaced = check_saved(target, kind)
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(f"The folder {target.parent} is not writable.")
    return replaced


def saved_in(path: Path, replaced: bool, kind: str = "model") -> str:
    """Return where a model or corpus was saved, and whether it replaced another."""
    instead = f", in place of the {kind} that was there" if replaced else ""
    return f"saved in {path}{instead}"


def fit_and_save(
    corpus: "Corpus",
    path: Path,
    *,
    keep_text: bool = False,
    verbose: bool = False,
    checkpoint: "Checkpoint | None" = None,
    guide: "Guide | None" = None,
    **settings: Any,
) -> "ParsimoniousTopicModel":
    """Fit a model, showing progress on a terminal, and save it.

    The checkpoint keeps the progress until then. If ``verbose``, every iteration is
    printed.
    """
    from leantopics import ParsimoniousTopicModel

    model = ParsimoniousTopicModel(**settings, verbose=verbosity(verbose))
    model.fit(corpus, checkpoint=checkpoint, guide=guide)
    save_fitted(model, corpus, path, keep_text, checkpoint)
    return model


def verbosity(verbose: bool) -> int:
    """Return what a model shows of its fit: iterations, or a bar on a terminal."""
    return 2 if verbose else int(sys.stderr.isatty())


def save_fitted(
    model: "ParsimoniousTopicModel",
    corpus: "Corpus",
    path: Path,
    keep_text: bool,
    checkpoint: "Checkpoint | None",
) -> None:
    """Save a model whose fit has ended, and remove its checkpoint.

    Parameters
    ----------
    model, corpus, path, keep_text, checkpoint
        See `fit_and_save`.
    """
    from leantopics.ptm.attached_texts import keep_texts

    for level in (model, model.finer_):
        if level is not None:
            level.set_params(verbose=0)
    if keep_text:
        keep_texts(model, corpus)
    model.save(path)
    if checkpoint is not None:
        checkpoint.delete()


def open_checkpoint(path: Path, run: Mapping[str, Any]) -> "Checkpoint":
    """Return the checkpoint of a model; unless the fit is resumed, none may exist."""
    from leantopics.ptm.checkpoint import Checkpoint

    place = path.with_name(f"{path.name}.checkpoint")
    checkpoint = Checkpoint(place, 60.0 * run["minutes"])
    if checkpoint.path.exists() and not run["resume"]:
        raise FileExistsError(
            f"{checkpoint.path} belongs to an interrupted fit: continue it with "
            "--resume, or delete it to start again."
        )
    return checkpoint


@contextmanager
def stopped_by_signals(checkpoint: "Checkpoint") -> Iterator[None]:
    """On Ctrl-C or SIGTERM, end the fit after its iteration; on a second one, at once.

    Exits with the code that shells use for the signal.
    """
    from leantopics.ptm.checkpoint import FitInterruptedError

    received: list[int] = []

    def stop(number: int, frame: object) -> None:
        if received:
            raise KeyboardInterrupt
        received.append(number)
        checkpoint.stop = True
        tell("Stopping after this iteration; a second signal stops at once.")

    before = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except FitInterruptedError:
        tell(
            f"Interrupted. The progress is in {checkpoint.path}: repeat the command "
            "with --resume to continue."
        )
        sys.exit(128 + received[0])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def check_cluster(run: Mapping[str, Any]) -> None:
    """Refuse a scratch folder without a cluster, and a cluster without its packages.

    Parameters
    ----------
    run : mapping
        See `on_cluster`.
    """
    if "cluster" in run:
        check_extra("dask")
    elif "scratch" in run:
        raise click.UsageError("--scratch can be used only with --dask.")


@contextmanager
def on_cluster(run: Mapping[str, Any]) -> Iterator[None]:
    """Run a fit on a Dask cluster, if an address is given.

    The "cluster" is the address of a scheduler, or "local:" and a number of processes.
    All workers can access the folder "scratch". Both may be missing.
    """
    address = run.get("cluster")
    if address is None:
        yield
        return
    distributed: Any = import_module("distributed")
    from leantopics.engine.dask import local
    from leantopics.engine.threads import use

    with ExitStack() as stack:
        place: Any = address
        if address.startswith("local:"):
            number = address.removeprefix("local:")
            if not (number.isdecimal() and int(number)):
                raise ValueError(
                    "--dask takes local: and a number of processes, such as local:2. "
                    f"Got {address} instead."
                )
            place = stack.enter_context(local(int(number)))
        try:
            client = stack.enter_context(distributed.Client(place, timeout=20))
        except OSError as error:
            raise ConnectionError(
                f"No Dask scheduler responds at {address}; start one, or give another "
                "address."
            ) from error
        stack.enter_context(use(client, run.get("scratch")))
        yield


def is_finished(path: Path, corpus: "Corpus", settings: dict[str, Any]) -> bool:
    """Return whether a model of these documents and settings exists; refuse another."""
    from leantopics import ParsimoniousTopicModel

    if not path.exists():
        return False
    model = ParsimoniousTopicModel.load(path)
    wanted = ParsimoniousTopicModel(**settings).get_params()
    for name, value in model.get_params().items():
        if name not in ("n_jobs", "verbose", "callback") and value != wanted[name]:
            raise ValueError(
                f"{path} is a model with {name} {value!r}, not {wanted[name]!r}: use "
                "the same settings, or fit without --resume to replace it."
            )
    if not model.is_fitted_to(corpus.align(model.vocabulary_)):
        raise ValueError(
            f"{path} is a model of other documents; fit without --resume to replace it."
        )
    return True
