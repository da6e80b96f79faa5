"""Plots of a model with matplotlib: themes, words, tree, map, BIC, groups, dates."""

from leantopics.plot.curves import bic
from leantopics.plot.differences import effects
from leantopics.plot.layout import map
from leantopics.plot.shares import groups, over_time
from leantopics.plot.sizes import themes, topics
from leantopics.plot.trees import tree

__all__ = ["bic", "effects", "groups", "map", "over_time", "themes", "topics", "tree"]
