"""The paper's study: fit methods to corpora and write results, tables and figures."""

from leantopics.study.run import compare, reproduce

__all__ = ["compare", "reproduce"]
