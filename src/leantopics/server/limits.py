"""What one request, and all of them at once, may ask for."""

from typing import NamedTuple

GREATEST_COUNT = 2**53
"""Of one word in one document; the next whole number is no float64."""


class Limits(NamedTuple):
    """What one request, and all of them at once, may ask for."""

    jobs: int = 1
    """Requests that are worked on at once, each by one thread."""
    queue: int = 16
    """Requests that may wait for that; more are told to come again."""
    seconds: float = 30.0
    """For a request to arrive, and as many again for its answer."""
    body: int = 8 * 2**20
    """Bytes of a request."""
    documents: int = 1000
    """Documents of a request."""
    characters: int = 1_000_000
    """Characters of a document."""
