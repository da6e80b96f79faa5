"""Numba kernels of the baselines: plain arrays in, plain arrays out."""
