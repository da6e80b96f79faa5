"""Inference over HTTP."""
