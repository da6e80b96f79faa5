"""How much is taken from an input before it is refused: all limits, in one place.

Each can be raised by an environment variable, which the refusal names. They keep a
damaged or hostile file from filling the memory; sound files are far from them.
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
word: letters of a word; longer ones are no words and are left out.
words: size of a vocabulary that is told by a number alone, without any names.
documents: empty documents that a header may tell of, beyond one for each byte.
expansion: how many times its size a compressed file may become, beyond 64 MiB.
pattern: seconds in which a user's own pattern must cut a text into words, beyond one
for every 100,000 characters; that of the package needs a thousandth of it."""
PACE = 1e5
"""Characters for which a pattern gets a second more."""
ALWAYS = 1 << 26
"""A compressed file may become so many bytes, whatever its size: 64 MiB."""
XZ_MEMORY = 1 << 28
"""Most bytes of memory that uncompressing xz may need; xz -9 needs a quarter."""
MOST_INDEX = 2**31 - 1
"""Most documents and most words of a matrix, which has indices of 32 bits."""
MOST_COUNT = 2.0**53 - 1
"""Greatest count read from a file: beyond it, whole numbers are not exact."""
SUMS = 1e-9, 1e100
"""Range of the sum of counts of new documents: beyond it, arithmetic ends in NaN."""
FITTED_SUMS = 1.0, 1e16
"""Range of the sum of counts of a fit: one word, and what numbers can tell apart."""
LONG, TOO_LONG = 1e6, 1e9
"""Words of a usual document from which on every difference counts as a topic, which is
warned of, and for which no number of topics is searched."""
SPAN = 1e16
"""How many times the least count the sum may be: more than numbers can tell apart."""


def variable(name: str) -> str:
    """Return the environment variable of a limit.

    Examples
    --------
    >>> variable("line")
    'LEANTOPICS_MAX_LINE'
    """
    return f"LEANTOPICS_MAX_{name.upper()}"


def limit(name: str) -> int:
    """Return a limit: what its environment variable says, or the default.

    Examples
    --------
    >>> limit("word")
    1000
    """
    told = os.environ.get(variable(name), "").strip()
    if not told:
        return DEFAULTS[name]
    if not (told.isascii() and told.isdigit() and 0 < len(told) < 19 and int(told)):
        raise ValueError(
            f"{variable(name)} must be a whole number from 1 up, got {told[:40]!r}."
        )
    most = MOST_INDEX if name in ("words", "documents") else int(told)
    return min(int(told), most)


def way_out(name: str) -> str:
    """Return the end of a refusal: how to go on if the input is meant.

    Examples
    --------
    >>> way_out("line")
    'if it is meant to be, set LEANTOPICS_MAX_LINE higher'
    """
    return f"if it is meant to be, set {variable(name)} higher"
