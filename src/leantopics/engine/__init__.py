"""Ordered work on groups of documents, by threads or on a Dask cluster."""

from leantopics.engine.threads import Engine, Group, Inline, Threads, engine, use, used

__all__ = ["Engine", "Group", "Inline", "Threads", "engine", "use", "used"]
