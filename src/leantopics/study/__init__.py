"""The paper's study: methods on corpora, one table of results, figures and tables."""

from leantopics.study.run import compare, reproduce

__all__ = ["compare", "reproduce"]
