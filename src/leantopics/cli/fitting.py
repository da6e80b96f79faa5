"""Functions shared by the commands that fit a model."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leantopics.cli.messages import tell

if TYPE_CHECKING:
    from leantopics import Corpus, Guide, ParsimoniousTopicModel
    from leantopics.ptm.checkpoint import Checkpoint


def check_target(path: str | Path, kind: str = "model") -> None:
    """Refuse a path where a model or corpus cannot be saved, before hours of work."""
    from leantopics.storage import check_target as check_saved

    target = Path(os.path.realpath(path))
    check_saved(target, kind)
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(f"The folder {target.parent} is not writable.")


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
    from leantopics.ptm.attached_texts import keep_texts

    shown = 2 if verbose else int(sys.stderr.isatty())
    model = ParsimoniousTopicModel(**settings, verbose=shown)
    model.fit(corpus, checkpoint=checkpoint, guide=guide)
    model.set_params(verbose=0)
    if keep_text:
        keep_texts(model, corpus)
    model.save(path)
    if checkpoint is not None:
        checkpoint.delete()
    return model


def open_checkpoint(path: Path, minutes: float, resume: bool) -> "Checkpoint":
    """Return the checkpoint of a model; unless it is resumed, none may exist."""
    from leantopics.ptm.checkpoint import Checkpoint

    checkpoint = Checkpoint(path.with_name(f"{path.name}.checkpoint"), 60.0 * minutes)
    if checkpoint.path.exists() and not resume:
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


@contextmanager
def on_cluster(address: str | None, scratch: str | None) -> Iterator[None]:
    """Run a fit on a Dask cluster, if an address is given.

    It is that of a scheduler, or "local:" and a number of processes. All workers can
    access the folder ``scratch``.
    """
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
        stack.enter_context(use(client, scratch))
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
