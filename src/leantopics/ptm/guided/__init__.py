"""Fits with known topics: what a guide says, where its documents go, what it costs."""
