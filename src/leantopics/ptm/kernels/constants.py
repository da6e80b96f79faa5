"""Numbers that kernels share with their callers."""

GAP = 1e-6
"""Proportions are solved until they are within this many nats of their optimum."""

MIN_GAIN = 1e-6
"""A switch is flipped only if this lowers BIC by more than this many nats."""

SCREENED, REJECTED, SOLVED, ACCEPTED = range(4)
"""Indices of the tallies: trials screened out, given up early, solved; flips made."""
