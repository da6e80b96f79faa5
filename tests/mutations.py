"""Saved things are changed, get the checksums that they then must have, and are used.

As a program (python tests/mutations.py KIND PATH FIRST LAST) it makes the changes of
some seeds and prints what came of each, a line of JSON; a crash ends it, which the one
who started it sees.
"""

import json
import resource
import shutil
import subprocess
import sys
import warnings
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np

from leantopics import (
    Checkpoint,
    Corpus,
    ParsimoniousTopicModel,
    SparseTopicalCoding,
    load_model,
    make_corpus,
)
from leantopics.ptm.checkpoint import FitInterruptedError
from leantopics.storage import load_folder, save_folder

ROOT = Path(__file__).parents[1]
SAMPLES = Path(__file__).parent / "samples" / "4"
MEMORY = 8 << 30
NUMBERS = [0, 1, -1, 2, 10**8, 10**9, -(10**9), 10**12, 2**31 - 1, 2**63 - 1]
FLOATS = [0.0, -1.0, 1e-300, 1e300, -1e300, np.nan, np.inf, -np.inf, 0.5, 2.0]
LEAVES = [None, True, 0, 1, -1, 3, 2.0, 1e300, 10**12, "", "x", [], {}, [1], ["x"]]


# What is changed


def change_array(draw, array):
    """Change an array in one of the ways in which files go wrong or are made to."""
    changed, size = array.copy(), array.size
    special = FLOATS if array.dtype.kind == "f" else NUMBERS
    place = tuple(int(draw.integers(n)) for n in array.shape) if size else None
    match int(draw.integers(16)):
        case 0 | 1 | 2 | 3 if size:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = np.array(special[draw.integers(len(special))])
                changed[place] = value.astype(array.dtype)
        case 4 if size and array.dtype.kind != "b":
            changed[place] += 1
        case 5 if array.ndim:
            changed = changed[::-1].copy()
        case 6:
            changed = np.roll(changed, 1)
        case 7:
            changed = changed[: len(changed) - 1] if array.ndim else changed
        case 8 if array.ndim:
            changed = np.concatenate((changed, changed[-1:]))
        case 9:
            changed = changed[:0] if array.ndim else changed
        case 10:
            changed = np.zeros_like(changed)
        case 11 if array.dtype.kind != "b":
            changed = -changed if array.dtype.kind in "if" else changed
        case 12 if array.dtype.kind == "f":
            changed = changed * special[draw.integers(len(special))]
        case 13:
            kinds = ["<i4", "<i8", "<f4", "<f8", "|b1", ">f8", ">i4", "|u1"]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                changed = changed.astype(kinds[draw.integers(len(kinds))])
        case 14:
            changed = changed[None]
        case 15 if array.ndim:
            changed = draw.permutation(changed)
    return changed


def change_json(draw, value):
    """Change one leaf of what JSON knows, or drop it, or a branch."""
    if draw.integers(3) and isinstance(value, dict | list) and len(value):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = keys[draw.integers(len(keys))]
        copy = value.copy()
        if draw.integers(5) == 0:
            del copy[key]
        else:
            copy[key] = change_json(draw, value[key])
        return copy
    return LEAVES[draw.integers(len(LEAVES))]


def change_strings(draw, items):
    place = int(draw.integers(len(items))) if items else 0
    kinds = [
        items[1:],
        items + items[:1],
        items[::-1],
        [*items[:place], "\ud800", *items[place + 1 :]],
        [*items[:place], "{]", *items[place + 1 :]],
        [],
    ]
    return kinds[draw.integers(len(kinds))]


def change_folder(draw, source, target, kind, finish=lambda content, arrays: content):
    """Save what is saved elsewhere with something changed, all checksums right."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        content, arrays, strings = load_folder(source, kind=kind)
    what = int(draw.integers(10))
    if what < 7 and arrays:
        name = sorted(arrays)[draw.integers(len(arrays))]
        if draw.integers(30) == 0:
            del arrays[name]
        else:
            arrays[name] = change_array(draw, arrays[name])
        changed = name
    elif what < 9 or not strings:
        content, changed = change_json(draw, content), "content"
    else:
        name = sorted(strings)[draw.integers(len(strings))]
        strings[name], changed = change_strings(draw, strings[name]), name
    content = content if isinstance(content, dict) else {}
    if target.exists():
        shutil.rmtree(target)
    save_folder(
        target,
        kind=kind,
        content=finish(content, arrays),
        arrays=arrays,
        strings=strings,
    )
    return changed


# What is done with it


@cache
def documents():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Corpus.load(SAMPLES / "corpus")


def use_model(path):
    """Load a model and ask it for everything; it must answer with sound numbers."""
    model, corpus = load_model(path), documents()
    shares = np.asarray(model.transform(corpus))
    assert np.all(shares >= 0.0)
    assert np.allclose(shares.sum(axis=1), 1.0, rtol=0, atol=1e-6)
    assert np.isfinite(model.score(corpus))
    rows = model.components_
    assert np.isfinite(rows).all()
    assert np.all(rows >= -1e-6)
    assert np.allclose(rows.sum(axis=1), 1.0, rtol=0, atol=1e-5)
    assert len(model.topic_names) == model.n_topics_
    for j in range(model.n_topics_):
        assert all(np.isfinite(value) for _, value in model.top_words(j))
    if isinstance(model, ParsimoniousTopicModel):
        assert np.isfinite(model.salience_.data).all()
        assert np.isfinite([row["bic"] for row in model.path_]).all()
        list(model.explain(corpus))
    for row in model.path_:
        if not isinstance(model, SparseTopicalCoding):
            model.at(row["n_topics"])
    model.save(path.with_name("again"))
    again = load_model(path.with_name("again"))
    assert np.array_equal(np.asarray(again.transform(corpus)), shares)
    return shares.tobytes()


def use_corpus(path):
    """Load and open a corpus, and fit a model to both."""
    loaded, opened = Corpus.load(path), Corpus.open(path)
    fits = []
    for corpus in (loaded, opened):
        assert len(corpus.vocabulary) == corpus.n_words
        assert len(corpus.ids) == corpus.n_docs
        for values in (corpus.labels, corpus.metadata, corpus.texts):
            assert values is None or len(list(values)) == corpus.n_docs
        corpus.align(corpus.vocabulary[::2])
        assert np.isfinite(corpus.counts.data).all()
        model = ParsimoniousTopicModel(2, max_iter=3, random_state=0).fit(corpus)
        fits.append(model.bic_)
    assert fits[0] == fits[1]
    return loaded.counts.data.tobytes() + loaded.counts.indices.tobytes()


FIT = {"max_topics": 5, "random_state": 0}


@cache
def fitted_to():
    return make_corpus(80, 60, 3, salient_per_topic=12, boost=4, doc_length=40)[0]


def make_checkpoint(path):
    """Begin a fit, and stop it when parts of all kinds are kept."""
    checkpoint, steps = Checkpoint(path, every=0.0), []

    def stop(step):
        steps.append(step)
        checkpoint.stop = len(steps) > 25

    model = ParsimoniousTopicModel(callback=stop, **FIT)
    try:
        model.fit(fitted_to(), checkpoint=checkpoint)
    except FitInterruptedError:
        return
    raise AssertionError("the fit was not interrupted")


def use_checkpoint(path):
    """Go on from a checkpoint."""
    model = ParsimoniousTopicModel(**FIT)
    model.fit(fitted_to(), checkpoint=Checkpoint(path))
    return np.array([model.bic_, *model._snapshot.excess]).tobytes()


def change_checkpoint(draw, source, target, keyed):
    """Change one part; a ``keyed`` one gets the seal that only its fit can make."""
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(source, target)
    parts = sorted(part.name for part in source.iterdir())
    part = parts[draw.integers(len(parts))]
    if draw.integers(20) == 0:
        shutil.rmtree(target / part)
        return f"{part} is missing"

    def seal(content, arrays):
        if not keyed:
            return content
        checkpoint = Checkpoint(target)
        checkpoint._key = key()
        rest = {name: value for name, value in content.items() if name != "seal"}
        return {**rest, "seal": checkpoint._seal(part, rest, arrays)}

    changed = change_folder(draw, source / part, target / part, "checkpoint", seal)
    return f"{part}: {changed}"


@cache
def key():
    from leantopics.models.base import fingerprint

    return fingerprint(fitted_to().counts).encode()


# One after the other


def prepare(kind, path):
    path.mkdir(exist_ok=True)
    if "checkpoint" in kind and not (path / "whole").exists():
        make_checkpoint(path / "whole")


def attempt(kind, path, seed):
    """Make one change and tell what came of it."""
    draw, target = np.random.default_rng(seed), path / "changed"
    if "checkpoint" in kind:
        use, source = use_checkpoint, path / "whole"
        changed = change_checkpoint(draw, source, target, kind == "keyed checkpoint")
    elif kind == "corpus":
        use, source = use_corpus, SAMPLES / "corpus"
        changed = change_folder(draw, source, target, kind)
    else:
        names = ["model", "model", "model", "lda", "lda-smoothed", "stc"]
        use, source = use_model, SAMPLES / names[draw.integers(len(names))]
        changed = change_folder(draw, source, target, "model")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = use(target)
    except (ValueError, OSError) as error:
        if "\n" in str(error) or len(str(error)) > 1000:
            return "raw", changed, repr(error)[:300]
        return "refused", changed, str(error)[-200:]
    except Exception as error:
        return "raw", changed, repr(error)[:300]
    return "same" if found == right(kind, path, source) else "sound", changed, ""


@cache
def right(kind, path, source):
    """What comes of what is not changed."""
    copy = path / "right"
    if copy.exists():
        shutil.rmtree(copy)
    shutil.copytree(source, copy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "checkpoint" in kind:
            return use_checkpoint(copy)
        return use_corpus(copy) if kind == "corpus" else use_model(copy)


def mutate(kind, path, n_changes):
    """Make changes in processes that may die; return the outcome of each."""
    prepare(kind, path)
    found = []
    while len(found) < n_changes:
        seeds = str(len(found)), str(n_changes)
        command = [sys.executable, __file__, kind, path, *seeds]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=3600
        )
        found += [json.loads(line) for line in done.stdout.splitlines()]
        if done.returncode:
            found.append(["crash", "?", f"{done.returncode}: {done.stderr[-500:]}"])
    return found


def table(found):
    return dict(Counter(outcome for outcome, _, _ in found))


if __name__ == "__main__":
    kind, path, first, last = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for seed in range(int(first), int(last)):
        print(json.dumps(attempt(kind, Path(path), seed)), flush=True)
