"""Inference over HTTP: an application, and the server that runs it."""
