"""Plots of a model with matplotlib: themes, words, tree, map, BIC, groups and dates."""

from leantopics.plot.curves import bic
from leantopics.plot.layout import map
from leantopics.plot.shares import groups, over_time
from leantopics.plot.sizes import themes, topics
from leantopics.plot.trees import tree

__all__ = ["bic", "groups", "map", "over_time", "themes", "topics", "tree"]
