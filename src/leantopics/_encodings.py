"""Encodings of texts: decoded as named, or as guessed from the bytes."""

import codecs
from collections.abc import Iterable

AUTO = "auto"
"""The encoding that is guessed, document by document."""
_USUAL = (
    "utf_16", "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256",
    "cp1257", "cp1258", "cp874", "koi8_r", "cp932", "euc_jp", "gb18030", "big5",
    "cp949",
)  # fmt: skip
"""What files are in that are not in UTF-8. There are more, but they mislead."""
_MOST_USUAL = "cp1252"
_CLOSE = 0.05
"""How much less likely than the best the most usual encoding may be."""
_ENOUGH = 1 << 16
"""Bytes of lines beyond ASCII from which an encoding is guessed."""


def decoded(raw: bytes, encoding: str) -> str:
    """Return bytes as text, in the encoding named, or guessed if it is "auto".

    Examples
    --------
    >>> decoded("café, déjà vu".encode("cp1252"), "auto")
    'café, déjà vu'
    """
    return raw.decode(guess(raw) if encoding == AUTO else encoding)


def guess(raw: bytes) -> str:
    """Return the encoding that bytes are most likely in: UTF-8 if they are valid.

    Raises
    ------
    ValueError
        If none is likely, or if most of the bytes are UTF-8 but not all.

    Examples
    --------
    >>> guess("Straße".encode()), guess("Большая Москва".encode("cp1251"))
    ('utf-8', 'cp1251')
    """
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        text = raw.decode("utf-8", "replace")
        wrong = text.count("\ufffd")
        if sum(char > "\x7f" for char in text) > 10 * wrong:
            raise ValueError(
                f"byte {raw[error.start]:#04x} is not valid utf-8, though the rest is"
            ) from None
    else:
        return "utf-8"
    from charset_normalizer import from_bytes

    found = {
        each.encoding: each.chaos for each in from_bytes(raw, cp_isolation=[*_USUAL])
    }
    if not found:
        raise ValueError("no encoding of text fits it")
    best, chaos = next(iter(found.items()))
    usual = found.get(_MOST_USUAL, 1.0) <= chaos + _CLOSE
    return _MOST_USUAL if usual else best


def guess_lines(pieces: Iterable[bytes]) -> str:
    r"""Return the encoding of a file that is read in pieces, as `guess` does.

    Examples
    --------
    >>> guess_lines(["Prices rose by £5m.\n".encode("cp1252"), b"ascii\n"])
    'cp1252'
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    sample, valid = bytearray(), True
    for piece in pieces:
        if valid:
            try:
                decoder.decode(piece)
            except UnicodeDecodeError:
                valid = False
        for line in piece.splitlines(keepends=True) if not piece.isascii() else ():
            if len(sample) < _ENOUGH and not line.isascii():
                sample += line[:_ENOUGH]
        if not valid and len(sample) >= _ENOUGH:
            break
    return "utf-8" if valid else guess(bytes(sample))
