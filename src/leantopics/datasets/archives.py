"""The files in an archive, read into memory: nothing is ever extracted."""

import lzma
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

_BROKEN = (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, OSError)


def read_members(archive: Path) -> Iterator[tuple[list[str], bytes]]:
    """Yield the path of each regular file of a tar archive, in parts, and its bytes.

    Paths are not used: no file is written.

    Raises
    ------
    ValueError
        If the archive is damaged.

    Examples
    --------
    >>> import io, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "toy.tar.gz")
    ...     with tarfile.open(file, "w:gz") as tar:
    ...         member = tarfile.TarInfo("../pets/1")
    ...         member.size = 5
    ...         tar.addfile(member, io.BytesIO(b"a cat"))
    ...     list(read_members(file))
    [(['..', 'pets', '1'], b'a cat')]
    """
    try:
        with tarfile.open(archive, "r:*") as tar:
            for member in tar:
                stream = tar.extractfile(member) if member.isfile() else None
                if stream is not None:
                    yield member.name.split("/"), stream.read()
            # Read to the end, where the checksum of the compressed bytes is.
            while tar.fileobj is not None and tar.fileobj.read(1 << 20):
                pass
    except _BROKEN as error:
        raise ValueError(
            f"{archive.name} cannot be unpacked: it is damaged or not an archive "
            f"({error})."
        ) from None
