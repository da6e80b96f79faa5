"""All limits on the size of an input; those of requests are in `server.limits`.

An environment variable raises each of `DEFAULTS`; the error message names it. Limits
keep a damaged or hostile file from filling the memory; ordinary files stay far below.
"""

import os

DEFAULTS = {
    "line": 1 << 26,
    "word": 1000,
    "words": 1 << 20,
    "documents": 10_000,
    "expansion": 100,
    "pattern": 10,
}
"""line: bytes of a line, of a row of a table, or of a file in a folder (64 MiB).
word: characters of a word; longer words are left out.
words: size of a vocabulary that is given only as a number, without names.
documents: empty documents that a header may declare, in addition to one per byte.
expansion: how many times its size a compressed file may grow to, beyond 64 MiB.
pattern: seconds that a user's own pattern may take to cut a text into words, plus one
for every 100,000 characters; the default pattern needs a thousandth of that."""
PACE = 1e5
"""Characters for which a pattern gets one more second."""
ALWAYS = 1 << 26
"""A compressed file may always grow to this many bytes, whatever its size: 64 MiB."""
XZ_MEMORY = 1 << 28
"""Most bytes of memory for decompressing xz; xz -9 needs a quarter of that."""
MOST_INDEX = 2**31 - 1
"""Most documents and most words of a matrix: its indices have 32 bits."""
MOST_COUNT = 2.0**53 - 1
"""Greatest count read from a file: beyond it, whole numbers are not exact."""
SUMS = 1e-9, 1e100
"""Range of the sum of counts of new documents: outside it, arithmetic gives NaN."""
FITTED_SUMS = 1.0, 1e16
"""Range of the sum of counts of a fit: from one word to the precision of numbers."""
LONG, TOO_LONG = 1e6, 1e9
"""Words of the median document. From the first on, small differences look like topics,
and a warning says so; above the second, the number of topics cannot be searched."""
SPAN = 1e16
"""How many times the smallest count the sum may be: the precision of numbers."""


def variable(name: str) -> str:
    """Return the name of the environment variable that sets a limit.

    Examples
    --------
    >>> variable("line")
    'LEANTOPICS_MAX_LINE'
    """
    return f"LEANTOPICS_MAX_{name.upper()}"


def limit(name: str) -> int:
    """Return a limit: the value of its environment variable, or the default.

    Examples
    --------
    >>> limit("word")
    1000
    """
    text = os.environ.get(variable(name), "").strip()
    if not text:
        return DEFAULTS[name]
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 19 and int(text)):
        raise ValueError(
            f"{variable(name)} must be a whole number from 1 up, got {text[:40]!r}."
        )
    most = MOST_INDEX if name in ("words", "documents") else int(text)
    return min(int(text), most)


def way_out(name: str) -> str:
    """Return the end of an error message: what to do if the input is intended.

    Examples
    --------
    >>> way_out("line")
    'if this is intended, set LEANTOPICS_MAX_LINE higher'
    """
    return f"if this is intended, set {variable(name)} higher"
