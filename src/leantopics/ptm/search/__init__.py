"""The search for the number of topics: one file for each strategy, one that chooses.

Documents are *mixed* if more than a tenth of a sample takes three topics or more in the
first parameters: the search then goes up from few topics (`from_below`). All others are
searched down from many topics (`from_above`). They are *blended* if more than a fifth
of them has three topics or more after the first rough fit: all steps are fine then. The
paper's sweep, which the baselines have too, is in `leantopics.models.sweep`.
"""
