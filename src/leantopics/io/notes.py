"""What a reader noticed: documents that it left out, and encodings that it guessed."""

import logging
from collections import Counter

from leantopics._words import counted

_log = logging.getLogger("leantopics")
_NAMED = 10
"""Most names in a message."""


class Notes:
    """Collects what is to be reported once, after the last document.

    With ``skip``, documents that cannot be read are left out; if not, they are errors.

    Examples
    --------
    >>> notes = Notes(skip=True)
    >>> notes.bad(ValueError("a.txt:1: byte 0xff is not valid utf-8"))
    >>> notes.left_out()
    'Left out 1 document that cannot be read: a.txt:1 (byte 0xff is not valid utf-8).'
    """

    def __init__(self, skip: bool = False) -> None:
        self._skip = skip
        self._bad: list[str] = []
        self._n_bad = 0
        self._guessed: Counter[str] = Counter()
        self._names: dict[str, list[str]] = {}

    def bad(self, error: ValueError) -> None:
        """Note a document that cannot be read, or raise its error."""
        if not self._skip:
            raise error from None
        self._n_bad += 1
        if len(self._bad) < _NAMED:
            self._bad.append(str(error))

    def guessed(self, encoding: str, name: str) -> None:
        """Note the encoding of a file."""
        self._guessed[encoding] += 1
        names = self._names.setdefault(encoding, [])
        if len(names) < _NAMED:
            names.append(name)

    def left_out(self) -> str:
        """Return the sentence about documents that were left out, if there are any."""
        if not self._n_bad:
            return ""
        parts = [error.partition(": ") for error in self._bad]
        names = ", ".join(name for name, _, _ in parts[1:])
        more = ", ..." if self._n_bad > len(parts) else ""
        place, _, why = parts[0]
        why = why.partition("; ")[0].rstrip(".")
        rest = f", {names}{more}" if names else ""
        return (
            f"Left out {counted(self._n_bad, 'document')} that cannot be read: {place} "
            f"({why}){rest}."
        )

    def encodings(self) -> str:
        """Return the sentence about encodings that were guessed, if any were."""
        parts = []
        for encoding, times in self._guessed.most_common():
            names = ", ".join(self._names[encoding])
            more = ", ..." if times > _NAMED else ""
            parts.append(f"{counted(times, 'file')} as {encoding} ({names}{more})")
        return (
            f"Not in UTF-8, and read by a guess: {'; '.join(parts)}." if parts else ""
        )

    def report(self) -> None:
        """Write both to the log, once."""
        for sentence in (self.encodings(), self.left_out()):
            if sentence:
                _log.warning(sentence)
        self._n_bad = 0
        for kept in (self._bad, self._guessed, self._names):
            kept.clear()
