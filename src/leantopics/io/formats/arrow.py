"""Parquet and Arrow files: one row per document."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from leantopics import _frames
from leantopics._extras import check_extra
from leantopics.io.fields import Reading, check_found
from leantopics.io.formats.jsonl import record_of
from leantopics.io.notes import Notes
from leantopics.io.record import Record, at, fault
from leantopics.io.streams import open_bytes

_ROWS = 1024
"""Rows that are in memory at once."""


def read_arrow(
    source: str, format: str, reading: Reading, notes: Notes
) -> Iterator[Record]:
    """Yield one record per row; columns but text, id and labels are its metadata.

    Columns of bytes, or of vectors of fractions, are left out. The format is "parquet"
    or "arrow"; Feather is Arrow.
    """
    check_extra("arrow")
    number, names = 0, []
    with open_bytes(source) as stream:
        for batch in _batches(stream, source, format):
            names = batch.schema.names
            for row in batch.select(_kept(batch.schema)).to_pylist():
                cells = {name: _plain(value) for name, value in row.items()}
                try:
                    record, text = record_of(cells, reading, number)
                except ValueError as error:
                    notes.bad(fault(source, number + 1, str(error)))
                    continue
                if text != reading.text_field:  # the first row decides
                    reading = reading._replace(text_field=text)
                yield record
                number += 1
    if number:
        with at(source, number):
            check_found(reading, names)


def _batches(stream: BinaryIO, source: str, format: str) -> Iterator[Any]:
    import pyarrow
    from pyarrow import ipc, parquet

    try:
        if format == "parquet":
            yield from parquet.ParquetFile(stream).iter_batches(_ROWS)
            return
        try:
            file = ipc.open_file(stream)
        except pyarrow.ArrowInvalid:
            stream.seek(0)
            yield from ipc.open_stream(stream)
            return
        for n in range(file.num_record_batches):
            yield file.get_batch(n)
    except pyarrow.ArrowException as error:
        kind = {"parquet": "Parquet", "arrow": "Arrow"}[format]
        raise ValueError(f"{source} is not a sound {kind} file: {error}.") from None


def _kept(schema: Any) -> list[str]:
    """Names of the columns that can be text or metadata."""
    from pyarrow import types

    def fits(kind: Any) -> bool:
        if types.is_list(kind) or types.is_large_list(kind):
            return fits(kind.value_type) and not types.is_floating(kind.value_type)
        fixed = types.is_fixed_size_list(kind) or types.is_fixed_size_binary(kind)
        return not (fixed or types.is_binary(kind) or types.is_large_binary(kind))

    return [field.name for field in schema if fits(field.type)]


def _plain(value: Any) -> Any:
    try:
        return _frames.plain(value)
    except TypeError:
        return str(value)
