"""Moves from one number of topics to another: what each costs, and doing it."""
