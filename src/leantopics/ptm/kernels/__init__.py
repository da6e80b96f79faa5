"""Numba kernels: serial, ``nogil``, on plain arrays; each thread takes whole shards."""
