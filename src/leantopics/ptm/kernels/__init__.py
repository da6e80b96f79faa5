"""Numba kernels: serial, ``nogil``, on plain arrays; threads only choose shards."""
