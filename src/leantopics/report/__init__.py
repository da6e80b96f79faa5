"""The report of a model, as one self-contained HTML file or as exported tables."""

from leantopics.report.render import render, to_html
from leantopics.report.summarise import summarise
from leantopics.report.watched import watched_to_html

__all__ = ["render", "summarise", "to_html", "watched_to_html"]
