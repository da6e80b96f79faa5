"""Compiled kernels of the baselines: plain arrays in, plain arrays out."""

from leantopics import _compiled

_compiled.require()
