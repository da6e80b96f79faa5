"""Compiled kernels: serial, without the interpreter lock; each thread takes shards.

Beside each ``NAME.py`` stands ``NAME.pxd``, with the C types of its functions. A
function that is not in it is a door: it takes the bundles of arrays of the rooms above,
makes `views` of them and all scratch, and enters.
"""

from leantopics import _compiled

_compiled.require()
