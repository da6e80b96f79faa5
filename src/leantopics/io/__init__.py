"""Readers of corpora, one small module for each format.

Every reader is a generator of `Record`; `open_records` finds the right one.
"""

from leantopics.io.kinds import FORMATS
from leantopics.io.record import Place, Record
from leantopics.io.select import Where
from leantopics.io.source import Records, open_records

__all__ = ["FORMATS", "Place", "Record", "Records", "Where", "open_records"]
