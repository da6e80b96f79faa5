"""The report of a model: one HTML file that opens anywhere, and exports."""

from leantopics.report.render import render, to_html
from leantopics.report.summarise import summarise

__all__ = ["render", "summarise", "to_html"]
