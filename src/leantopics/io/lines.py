"""Lines of text, decoded, with their places in the file."""

import codecs
import io
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from leantopics._encodings import AUTO, guess_lines
from leantopics._limits import limit, way_out
from leantopics.io.notes import Notes
from leantopics.io.record import fault
from leantopics.io.streams import STDIN, display_name, is_special, open_bytes

_MAGIC = {
    b"\x1f\x8b": "compressed with gzip: add .gz to its name",
    b"\xfd7zXZ\x00": "compressed with xz: add .xz to its name",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: add .zst to its name",
    b"BZh": "compressed with bzip2: compress it with gzip, xz or zstd instead",
    b"PK\x03\x04": "a zip file: unpack it first",
    b"%PDF-": "a PDF: convert it to text first, for example with pdftotext",
}
_BLOCK = 1 << 20
"""Bytes of lines that are read at once."""


class Line(NamedTuple):
    """One line of a file, with its line end."""

    number: int
    offset: int
    """Offset of its first byte in the uncompressed file."""
    length: int
    """Length in bytes, without the line end."""
    text: str


def read_lines(
    source: str, encoding: str, notes: Notes | None = None
) -> Iterator[Line]:
    """Yield the lines of a source, decoded one by one, without a byte-order mark.

    Lines end at a line feed; a carriage return before it belongs to the line end.
    Lines in another encoding are errors, unless the notes say that they are left out.
    """
    codec = check_encoding(encoding_of(source, encoding))
    notes = notes or Notes()
    name = display_name(source)
    longest = limit("line")
    with open_bytes(source) as stream:
        offset = 0
        lines = iter(lambda: stream.readline(longest + 1), b"")
        for number, raw in enumerate(lines, start=1):
            if len(raw) > longest:
                raise fault(name, number, too_long("line", longest))
            if number == 1:
                check_start(raw, name)
            following = offset + len(raw)
            if number == 1 and codec == "utf-8" and raw.startswith(codecs.BOM_UTF8):
                raw = raw[len(codecs.BOM_UTF8) :]
                offset += len(codecs.BOM_UTF8)
            try:
                text = decode(raw, codec, name, number)
            except ValueError as error:
                notes.bad(error)
            else:
                yield Line(number, offset, len(raw.rstrip(b"\r\n")), text)
            offset = following


def read_blocks(source: str, encoding: str, after: int) -> Iterator[tuple[int, str]]:
    """Yield whole lines of a file, many at once, with the number of the first of them.

    The first ``after`` lines, which `read_lines` has read, are skipped.
    """
    codec, name, longest = check_encoding(encoding), display_name(source), limit("line")
    with open_bytes(source) as stream:
        for _ in range(after):
            stream.readline(longest + 1)
        number = after + 1
        while raw := stream.read(_BLOCK):
            raw += stream.readline(longest + 1)
            if len(raw) > longest:
                for place, line in enumerate(io.BytesIO(raw)):
                    if len(line) > longest:
                        raise fault(name, number + place, too_long("line", longest))
            yield number, decode(raw, codec, name, number)
            number += raw.count(b"\n")


def encoding_of(source: str, encoding: str, notes: Notes | None = None) -> str:
    """Return the encoding of a file, guessed from all of it if it is "auto"."""
    if encoding != AUTO:
        return encoding
    name = display_name(source)
    if source == STDIN or is_special(source):
        raise ValueError(
            f"The encoding of {name} cannot be guessed, because it is read only once: "
            "name it, for example --encoding latin-1, or write it to a file."
        )
    with open_bytes(source) as stream:
        pieces = iter(lambda: stream.readline(_BLOCK), b"")
        return guessed(lambda: guess_lines(pieces), name, notes)


def guessed(find: Callable[[], str], name: str, notes: Notes | None) -> str:
    """Return the encoding that was found for a file, and note it."""
    try:
        found = find()
    except ValueError as error:
        message = (
            f"its encoding cannot be guessed: {error}; name it, for example --encoding "
            "latin-1, or leave out what cannot be read (--skip-bad)."
        )
        raise fault(name, 1, message) from None
    if notes is not None and found != "utf-8":
        notes.guessed(found, name)
    return found


def check_encoding(encoding: str) -> str:
    """Return the standard name of an encoding whose lines end with one byte.

    Examples
    --------
    >>> check_encoding("Latin1")
    'iso8859-1'
    """
    try:
        codec = codecs.lookup(encoding).name.removesuffix("-sig")
        single = "\n".encode(codec) == b"\n"
    except (LookupError, ValueError, TypeError):
        raise ValueError(
            f"The encoding {encoding!r} is not known; try utf-8 or latin-1."
        ) from None
    if not single:
        raise ValueError(
            f"Files in {encoding} cannot be read line by line; convert them first, "
            f"for example with: iconv -f {encoding} -t utf-8."
        )
    return codec


def decode(raw: bytes, codec: str, name: str, first_line: int) -> str:
    """Decode bytes; an error names the file and line that are wrong."""
    try:
        return raw.decode(codec)
    except UnicodeDecodeError as error:
        line = first_line + raw.count(b"\n", 0, error.start)
        raise fault(
            name,
            line,
            f"byte {raw[error.start]:#04x} is not valid {codec}; give the encoding of "
            "the file, for example --encoding latin-1, let it be guessed (--encoding "
            "auto), or leave out what cannot be read (--skip-bad).",
        ) from None
    except UnicodeError as error:  # from codecs that do not say where
        raise fault(
            name,
            first_line,
            f"this is not valid {codec} ({error}); give another "
            "encoding, for example --encoding latin-1.",
        ) from None


def check_packed(raw: bytes, name: str) -> None:
    """Refuse a file that is compressed, whatever its name says."""
    for magic, what in _MAGIC.items():
        if raw.startswith(magic):
            raise fault(name, 1, f"this is {what}.")


def check_start(raw: bytes, name: str) -> None:
    """Refuse a file whose first line is not text in an encoding like UTF-8."""
    check_packed(raw, name)
    wide = raw[:64]
    if wide.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or (
        len(wide) >= 4 and (not any(wide[1::2]) or not any(wide[::2]))
    ):
        message = (
            "this is UTF-16 (or UTF-32), which cannot be read line by line; convert "
            "it first, for example with: iconv -f utf-16 -t utf-8."
        )
        raise fault(name, 1, message)


def too_long(what: str, longest: int) -> str:
    """Return the message for a line, row or file beyond the limit."""
    return f"this {what} is longer than {longest} bytes; {way_out('line')}."


def read_words(path: str | os.PathLike[str], encoding: str) -> list[str]:
    """Return the lines of a vocabulary or label file, without blank ones at its end."""
    words = [line.text.rstrip("\r\n") for line in read_lines(os.fspath(path), encoding)]
    while words and not words[-1].strip():
        words.pop()
    return words
