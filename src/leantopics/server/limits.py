"""Limits of one request, and of all requests together."""

from typing import NamedTuple

HEADERS = 16 * 1024
"""Bytes of the headers of a request."""
AHEAD = 64 * 1024
"""Bytes that a client may send ahead, after the request that is being answered."""


class Limits(NamedTuple):
    """Limits of one request, and of all requests together."""

    jobs: int = 1
    """Requests that are worked on at once, each by one thread."""
    queue: int = 16
    """Requests that may wait for a thread; more are refused."""
    seconds: float = 30.0
    """Time for a request to arrive, again for its answer, and again for reading it."""
    body: int = 8 * 2**20
    """Bytes of a request."""
    documents: int = 1000
    """Documents of a request."""
    characters: int = 1_000_000
    """Characters of a document."""
    connections: int = 1000
    """Connections at once."""

    @property
    def held(self) -> int:
        """Bytes in memory at once of the bodies of all requests."""
        return 8 * self.body

    @property
    def marks(self) -> int:
        """Commas, colons and brackets in the counts of a request, which bound its size.

        Each stands for an object in memory, which is much larger than a byte.
        """
        return self.body // 8
