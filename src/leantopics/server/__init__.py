"""Inference over HTTP: a WSGI application, and the server that runs it."""
