"""Interrupted fits go on from where they were, and end with the same bits.

A search is a sequence of fits. Each is computed from the previous ones, with no
randomness but the seed. A checkpoint keeps the result of every finished fit and the
state of the current one. A resumed search runs from its beginning, takes the kept
results, and computes the rest.
"""

import hashlib
import hmac
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from leantopics._arrays import Floats, Longs
from leantopics._validation import SUMS, are_shares, check, is_numbers, is_pattern
from leantopics.engine.threads import Engine
from leantopics.models.persistence import settings_of
from leantopics.ptm import em
from leantopics.ptm.group_tasks import fetched, kept
from leantopics.ptm.kernels.arrays import Salient
from leantopics.ptm.objective import BicTerms
from leantopics.ptm.state import Data, Parameters, end_to_end, given_topics
from leantopics.storage import load_folder, save_folder
from leantopics.storage.durable import only_one, saved_path

KIND = "checkpoint"
_ABOUT, _NOW = "about", "now"
_NOT_ASKED = ("n_jobs", "verbose", "callback", "inference", "prediction", "refine")
"""Parameters that do not affect a fit, or only its end."""

_PART = re.compile(r"\.?(about|now|fit-\d+)(\.[0-9a-f]+\.old)?")
"""Names of the kept parts, including those that a killed process moved aside."""
_SENSELESS = (
    FileNotFoundError,
    KeyError,
    TypeError,
    ValueError,
    IndexError,
    AttributeError,
)
"""Errors from reading a part that is not whole."""

Content = dict[str, Any]
Arrays = dict[str, npt.NDArray[Any]]
Part = TypeVar("Part")


class _OtherFitError(ValueError):
    """The checkpoint belongs to another fit."""


class FitInterruptedError(Exception):
    """The fit was asked to stop, and its checkpoint has been written."""


class Checkpoint:
    """A folder from which an interrupted fit can go on.

    Parameters
    ----------
    path : path
        The folder; its parent must exist. If it holds a checkpoint, the fit goes on
        from it.
    every : float
        Seconds between writes. A fit that takes less time leaves nothing.

    Examples
    --------
    >>> import tempfile
    >>> from leantopics import ParsimoniousTopicModel, make_corpus
    >>> corpus, _ = make_corpus(60, 80, 3)
    >>> model = ParsimoniousTopicModel(max_topics=5, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = model.fit(corpus, checkpoint=Checkpoint(folder + "/c")).bic_
    ...     again = model.fit(corpus, checkpoint=Checkpoint(folder + "/c")).bic_
    >>> first == again
    True
    """

    def __init__(self, path: str | os.PathLike[str], every: float = 600.0) -> None:
        self.path = Path(path)
        self.every = every
        self.stop = False
        """Set it to True, from a signal handler or another thread, to end with
        `FitInterruptedError` after the current iteration."""
        self._calls = 0
        self._written = time.monotonic()
        self._about: dict[str, Any] = {}
        self._key = b""
        self._done: dict[int, em.Fit] = {}
        """Results that are not on disk yet."""

    @contextmanager
    def opened(
        self, model: Any, fingerprint: str, versions: Mapping[str, str]
    ) -> Iterator[None]:
        """Open it for a fit; refuse other documents or settings, and two fits at once.

        Raises
        ------
        ValueError
            If it belongs to another fit, or the fit is not reproducible.
        BlockingIOError
            If another process uses it.
        """
        with only_one(self.path.with_name(f".{self.path.name}.fit"), str(self.path)):
            self._check(model, fingerprint, versions)
            yield

    def _check(self, model: Any, fingerprint: str, versions: Mapping[str, str]) -> None:
        if not isinstance(model.random_state, int | np.integer):
            raise ValueError(
                "random_state must be a whole number for a fit with a checkpoint. "
                f"Got {model.random_state!r} instead."
            )
        settings = {k: v for k, v in settings_of(model).items() if k not in _NOT_ASKED}
        self._key = fingerprint.encode()
        self._about = {
            "documents": hashlib.sha256(self._key).hexdigest(),
            "settings": settings,
            "versions": dict(versions),
        }
        self._calls, self._written, self._done = 0, time.monotonic(), {}
        names = os.listdir(self.path) if self.path.is_dir() else []
        if any(_PART.fullmatch(name) for name in names):
            self._restored(_ABOUT, lambda content, arrays: None)

    def _is_kept(self, name: str) -> bool:
        return saved_path(self.path / name).exists()

    def _restored(self, name: str, unpack: Callable[[Content, Arrays], Part]) -> Part:
        """Read a part, if it is whole and belongs to this fit."""
        try:
            content, arrays, _ = load_folder(self.path / name, kind=KIND)
            self._check_about(content["about"])
            if content.pop("seal") != self._seal(name, content, arrays):
                raise ValueError("the seal, which only this fit can make")
            return unpack(content, arrays)
        except _OtherFitError:
            raise
        except _SENSELESS as error:
            raise ValueError(
                f"{self.path} must be a whole checkpoint, but its part {name!r} lacks "
                f"or has wrong data ({error!s:.300}): delete it to start again."
            ) from error

    def _check_about(self, kept: Mapping[str, Any]) -> None:
        for what, own in self._about.items():
            if kept[what] == own:
                continue
            found = f"other {what}"
            if what != "documents":
                key = next(k for k in own if kept[what].get(k) != own[k])
                found = f"{key} {kept[what].get(key)!r}, not {own[key]!r}"
            raise _OtherFitError(
                f"{self.path} is the checkpoint of a fit with {found}: fit as before "
                "to go on, or delete it to start again."
            )

    def _seal(self, name: str, content: Mapping[str, Any], arrays: Arrays) -> str:
        """Checksum of a part that depends on the documents of the fit.

        So a part that was changed together with its other checksums is refused.
        """
        seal = hmac.new(self._key, name.encode(), "sha256")
        seal.update(json.dumps(content, sort_keys=True).encode())
        for key in sorted(arrays):
            array = np.ascontiguousarray(arrays[key])
            seal.update(f"{key} {array.dtype.str} {array.shape}".encode())
            seal.update(array.data)
        return seal.hexdigest()

    def fit(
        self,
        work: Callable[..., em.Fit],
        data: Data,
        start: em.Start,
        hooks: em.Hooks,
        workers: Engine,
    ) -> em.Fit:
        """Return the next fit of the sequence, either kept or computed.

        ``work`` takes a start and hooks. Kept iterations of the fit, except those of
        its earlier fits, are reported again.
        """
        number, self._calls = self._calls, self._calls + 1

        def unpack_fit(content: Content, arrays: Arrays) -> em.Fit:
            return _unpack_fit(data, content, arrays, workers)

        def unpack_state(content: Content, arrays: Arrays) -> em.State | None:
            if content["number"] != number:
                return None
            return _unpack_state(data, content, arrays, workers)

        def keep(state: em.State) -> None:
            self._keep(number, state, data, workers)

        def report_kept(history: Sequence[em.Iteration]) -> None:
            for step in history[len(start.earlier) :]:
                hooks.report(step)

        done = f"fit-{number}"
        if self._is_kept(done):
            fitted = self._restored(done, unpack_fit)
            report_kept(fitted.history)
            return fitted
        state = self._restored(_NOW, unpack_state) if self._is_kept(_NOW) else None
        if state is not None:
            report_kept(state.history)
        fitted = work(start._replace(state=state), hooks._replace(keep=keep))
        if fitted.stop_reason != "callback":
            self._done[number] = fitted
        return fitted

    def _keep(self, number: int, state: em.State, data: Data, workers: Engine) -> None:
        """Write finished fits and the state of the current one, if it is time."""
        if not self.stop and time.monotonic() - self._written < self.every:
            return
        self.path.mkdir(exist_ok=True)
        if not self._is_kept(_ABOUT):
            self._save(_ABOUT, {}, {})
        for done, fitted in self._done.items():
            self._save(f"fit-{done}", *_pack_fit(fitted, workers))
        content, arrays = _pack_state(state, data, workers)
        self._save(_NOW, {**content, "number": number}, arrays)
        self._written, self._done = time.monotonic(), {}
        if self.stop:
            raise FitInterruptedError(f"The fit can go on from {self.path}.")

    def _save(self, name: str, content: Content, arrays: Arrays) -> None:
        whole = {**content, "about": self._about}
        whole["seal"] = self._seal(name, whole, arrays)
        place = self.path / name
        save_folder(place, kind=KIND, content=whole, arrays=arrays, strings={})

    def delete(self) -> None:
        """Remove the folder; call it once the model is saved."""
        shutil.rmtree(self.path, ignore_errors=True)


def _packed(
    parameters: Parameters,
    history: list[em.Iteration],
    tallies: Longs,
    data: Data,
    workers: Engine,
) -> tuple[Content, Arrays]:
    """What a fit and a state have in common, with documents end to end."""
    known = fetched(data, parameters.topics, workers)
    mixes = end_to_end(mix for part in known for mix in part.mixes)
    arrays = {
        **{f"salient_{k}": v for k, v in parameters.salient._asdict().items()},
        "size": np.diff(mixes.indptr),
        "topic": mixes.topic,
        "alpha": mixes.alpha,
        "gain": np.concatenate([gain for part in known for gain in part.gain]),
        "quiet": np.concatenate([quiet for part in known for quiet in part.quiet]),
        "tallies": tallies,
    }
    return {"history": [step._asdict() for step in history]}, arrays


def _unpacked(
    content: Content, arrays: Arrays, data: Data, workers: Engine
) -> tuple[Parameters, list[em.Iteration]]:
    _check_documents(data, arrays)

    def by_shard(name: str) -> Iterator[list[Floats]]:
        own = data.by_group(arrays[name])
        for values, sizes in zip(own, data.sizes, strict=True):
            yield [part.copy() for part in np.split(values, np.cumsum(sizes)[:-1])]

    indptr = np.concatenate(([0], np.cumsum(arrays["size"])))
    topics = given_topics(data, indptr, arrays["topic"], arrays["alpha"])
    known = [
        part._replace(gain=gain, quiet=quiet)
        for part, gain, quiet in zip(
            topics, by_shard("gain"), by_shard("quiet"), strict=True
        )
    ]
    salient = Salient(*(arrays[f"salient_{name}"] for name in Salient._fields))
    history = [em.Iteration(**step) for step in content["history"]]
    if not all(isinstance(value, int | float) for step in history for value in step):
        raise ValueError("the history")
    return Parameters(salient, kept(data, known, workers)), history


def _check_documents(data: Data, arrays: Arrays) -> None:
    """Refuse arrays that do not fit these documents: kernels do not check them."""
    indptr, word, excess = (arrays[f"salient_{name}"] for name in Salient._fields)
    n_topics, n_docs, size = len(indptr) - 1, data.n_docs, arrays["size"]
    check("salient_word", is_pattern(indptr, word, n_topics, data.n_words))
    check("salient_indptr", n_topics > 0 and (np.diff(indptr) > 0).all())
    check("salient_excess", is_numbers(excess, len(word), least=-1.0 - SUMS))
    check("size", size.shape == (n_docs,) and size.dtype == np.int64)
    check("size", ((size > 0) & (size <= n_topics)).all())
    rows, topic, quiet = np.append(0, np.cumsum(size)), arrays["topic"], arrays["quiet"]
    check("topic", is_pattern(rows, topic, n_docs, n_topics))
    check("alpha", are_shares(rows, arrays["alpha"]))
    check("gain", is_numbers(arrays["gain"], n_docs))
    check("quiet", quiet.shape == (n_docs,) and quiet.dtype == np.float64)
    check("quiet", not np.isnan(quiet).any())
    tallies = arrays["tallies"]
    check("tallies", tallies.shape == (4,) and tallies.dtype == np.int64)
    kinds = word.dtype == topic.dtype == np.int32 and indptr.dtype == np.int64
    check("topic", kinds)


def _pack_fit(fitted: em.Fit, workers: Engine) -> tuple[Content, Arrays]:
    content, arrays = _packed(
        fitted.parameters, fitted.history, fitted.tallies, fitted.data, workers
    )
    content |= {
        "terms": fitted.terms._asdict(),
        "converged": fitted.converged,
        "stop_reason": fitted.stop_reason,
    }
    return content, {**arrays, "mu": fitted.mu}


def _unpack_fit(
    data: Data, content: Content, arrays: Arrays, workers: Engine
) -> em.Fit:
    parameters, history = _unpacked(content, arrays, data, workers)
    check("mu", is_numbers(arrays["mu"], parameters.n_topics, least=0.0))
    terms = BicTerms(**content["terms"])
    if not all(isinstance(term, float) for term in terms):
        raise ValueError("the terms of BIC")
    converged, stop_reason = content["converged"], content["stop_reason"]
    if type(converged) is not bool or type(stop_reason) is not str:
        raise ValueError("the reason to stop")
    mu, tallies = arrays["mu"], arrays["tallies"]
    return em.Fit(data, parameters, mu, terms, history, converged, stop_reason, tallies)


def _pack_state(state: em.State, data: Data, workers: Engine) -> tuple[Content, Arrays]:
    parameters = Parameters(state.salient, state.topics)
    content, arrays = _packed(parameters, state.history, state.tallies, data, workers)
    content |= {
        "fell": bool(state.stalled),
        "topic_flips": int(state.topic_flips),
        "thorough": bool(state.thorough),
    }
    return content, arrays


def _unpack_state(
    data: Data, content: Content, arrays: Arrays, workers: Engine
) -> em.State:
    kinds = {"fell": bool, "topic_flips": int, "thorough": bool}
    for name, kind in kinds.items():
        if type(content[name]) is not kind:
            raise ValueError(f"{name!r}")
    (salient, topics), history = _unpacked(content, arrays, data, workers)
    rest = (content[name] for name in kinds)
    return em.State(salient, topics, history, arrays["tallies"], *rest)
