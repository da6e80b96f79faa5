"""The search for the number of topics, one file for each strategy."""
