"""The studies whose results docs/reproduction.md shows."""
