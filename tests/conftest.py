"""No test is about time: examples take as long as a busy machine needs."""

import os

# Before NumPy is there, for processes that tests start, too: where tests use all
# processors, small products take BLAS with threads a hundred times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import gc
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from hypothesis import settings

import leantopics

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_sessionstart():
    """Do not test kernels that are older than their sources."""
    for types in Path(leantopics.__file__).parent.rglob("*.pxd"):
        source = types.with_suffix(".py")
        changed = max(file.stat().st_mtime for file in (types, source))
        compiled = [types.with_suffix(suffix) for suffix in EXTENSION_SUFFIXES]
        made = [file.stat().st_mtime for file in compiled if file.exists()]
        if not made or max(made) < changed:
            pytest.exit(
                f"Compile the kernels first, {source} among them: `make kernels`, or "
                "`python setup.py build_ext --inplace` in an environment with Cython."
            )


def pytest_collection_finish():
    """Leave modules and thousands of items out of each search for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def quick():
    """Leave flushing to the disk out, of which thousands of saves take minutes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield
