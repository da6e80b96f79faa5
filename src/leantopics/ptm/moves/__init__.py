"""Moves from one number of topics to another: their costs, and how to make them."""
