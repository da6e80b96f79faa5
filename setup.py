"""Compiles the kernels; pyproject.toml has everything else.

Every module with a ``.pxd`` beside it is compiled: ``NAME.py`` is the kernel, in plain
Python, and ``NAME.pxd`` has the C types of its functions.
"""

import os
from pathlib import Path
from typing import Any

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# Files of an archive get one date, so that two builds are the same bytes.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1577836800")

SOURCES = Path("src")
SHARED = "leantopics._cyutility"
"""What the kernels have in common: how arrays are passed."""

# The same bits everywhere: no fused multiply-add, no reordering of sums, and nothing
# that only some processors have.
GCC = (["-O3", "-g0", "-ffp-contract=off"], ["-g0"])
MSVC = (["/O2", "/fp:precise"], [])

DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,  # the types in .pxd count
    "infer_types": True,
    "boundscheck": False,  # arrays are checked before they come to a kernel
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
}


def kernels() -> list[Extension]:
    """All kernels, and what they share."""
    found = []
    for types in sorted(SOURCES.rglob("*.pxd")):
        name = ".".join(types.relative_to(SOURCES).with_suffix("").parts)
        found.append(Extension(name, [types.with_suffix(".py").as_posix()]))
    shared = SOURCES.joinpath(*SHARED.split(".")).with_suffix(".c")
    return [*found, Extension(SHARED, [shared.as_posix()])]


class Build(build_ext):
    """Translates what has changed, and compiles it on all processors."""

    def finalize_options(self) -> None:
        """Translate kernels to C."""
        processors = os.cpu_count() or 1
        self.distribution.ext_modules = cythonize(
            kernels(),
            build_dir="build/cython",
            nthreads=processors,
            quiet=True,
            compiler_directives=DIRECTIVES,
            shared_utility_qualified_name=SHARED,
        )
        super().finalize_options()
        self.parallel = self.parallel or processors

    def build_extension(self, ext: Any) -> None:
        """Compile one module."""
        microsoft = self.compiler.compiler_type == "msvc"
        ext.extra_compile_args, ext.extra_link_args = MSVC if microsoft else GCC
        super().build_extension(ext)


setup(ext_modules=kernels(), cmdclass={"build_ext": Build})
