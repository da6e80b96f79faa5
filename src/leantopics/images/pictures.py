"""One image file of any kind to one square picture, or to a sentence why not."""

import os
from io import BytesIO
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps, UnidentifiedImageError

Bytes = npt.NDArray[np.uint8]

SIDE = 256
"""Pixels of a side of the square that words are counted in."""
LEAST_SIDE = 16
"""A picture that is smaller than one patch says nothing."""
MOST_PIXELS = 80_000_000
"""Larger pictures are refused before memory is taken for them."""
SUFFIXES = frozenset(
    ".bmp .gif .jpeg .jpg .pgm .png .pnm .ppm .tif .tiff .webp".split()
)
# Others, such as EPS, would start programs.
_FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")
_SIXTEEN_BIT = ("I", "I;16", "I;16B", "I;16L", "I;16N")


class Picture(NamedTuple):
    """A picture as words see it."""

    square: Image.Image
    """Of `SIDE` by `SIDE` pixels, in grey ("L") or colour ("RGB")."""
    remark: str
    """What is odd about the file and what was done about it; empty if nothing is."""

    @property
    def grey(self) -> Bytes:
        """Brightness, shape (SIDE, SIDE)."""
        return np.array(self.square.convert("L"))


def read_picture(path: str | os.PathLike[str]) -> Picture:
    """Read an image file: its largest square in the middle, 256 by 256 pixels.

    Of an animation it is the first frame; of 16 bits the upper 8; what is transparent
    lies on white; a camera's note which way is up is heeded.

    Parameters
    ----------
    path : path
        A file of BMP, GIF, JPEG, PNG, PNM, TIFF or WebP.

    Raises
    ------
    ValueError
        If it is no such file, is damaged, or is too small or too large; the sentence
        says which.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Image.new("RGBA", (300, 400)).save(folder + "/glass.png")
    ...     picture = read_picture(folder + "/glass.png")
    >>> picture.grey.shape, picture.remark
    ((256, 256), 'transparent, so laid on white')
    """
    if not os.path.isfile(path):
        raise ValueError("it is no file")
    if not os.path.getsize(path):
        raise ValueError("it is empty (0 bytes)")
    try:
        with Image.open(path, formats=_FORMATS) as image:
            _check_size(image.size)
            return _square(image)
    except MemoryError:
        raise
    except UnidentifiedImageError:
        raise ValueError("it is no image of a known format") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise ValueError(f"it has more than {MOST_PIXELS:,} pixels") from None
    except Exception as error:  # decoders of damaged files raise whatever they like
        raise ValueError(" ".join(str(error).split()) or "it is damaged") from None


def thumbnail(picture: Picture, side: int = 96) -> bytes:
    r"""Return a small JPEG of a picture.

    Examples
    --------
    >>> thumbnail(Picture(Image.new("L", (256, 256)), ""))[:2]
    b'\xff\xd8'
    """
    out = BytesIO()
    picture.square.resize((side, side)).save(out, "JPEG", quality=70, optimize=True)
    return out.getvalue()


def png(pixels: Bytes) -> bytes:
    """Return grey pixels as a small PNG.

    Examples
    --------
    >>> png(np.zeros((16, 16), np.uint8))[1:4]
    b'PNG'
    """
    out = BytesIO()
    Image.fromarray(pixels).save(out, "PNG", optimize=True)
    return out.getvalue()


def _check_size(size: tuple[int, int]) -> None:
    width, height = size
    if width * height > MOST_PIXELS:
        raise ValueError(
            f"it has {width} by {height} pixels, more than {MOST_PIXELS:,} in all"
        )
    if min(size) < LEAST_SIDE:
        raise ValueError(
            f"it has {width} by {height} pixels, and {LEAST_SIDE} by {LEAST_SIDE} is "
            "the least"
        )


def _square(image: Image.Image) -> Picture:
    remarks = []
    if getattr(image, "n_frames", 1) > 1 and image.format != "MPO":
        remarks.append("of several frames, of which the first is taken")
    # A JPEG is decoded at a smaller scale; two pixels are left for each of ours.
    image.draft(None, (2 * SIDE, 2 * SIDE))
    image.load()
    plain, remark = _plain(ImageOps.exif_transpose(image))
    if remark:
        remarks.append(remark)
    width, height = plain.size
    side = min(width, height)
    left, top = (width - side) // 2, (height - side) // 2
    box = (left, top, left + side, top + side)
    square = plain.resize((SIDE, SIDE), Image.Resampling.BICUBIC, box, reducing_gap=3.0)
    return Picture(square, "; ".join(remarks))


def _plain(image: Image.Image) -> tuple[Image.Image, str]:
    """Return the image in 8 bits of grey or colour, and what is odd about it."""
    if image.mode in _SIXTEEN_BIT:
        pixels = np.asarray(image)
        if pixels.min() < 0 or pixels.max() >= 1 << 16:
            raise ValueError("its pixels have more than 16 bits; save it with 8 or 16")
        upper = (pixels >> 8).astype(np.uint8)
        return Image.fromarray(upper), "of 16 bits, of which the upper 8 are taken"
    if image.mode == "F":
        raise ValueError(
            "its pixels are numbers without a known range; save it with 8 or 16 bits"
        )
    if image.has_transparency_data:
        glass = image.convert("RGBA")
        white = Image.new("RGBA", glass.size, "white")
        return (
            Image.alpha_composite(white, glass).convert("RGB"),
            "transparent, so laid on white",
        )
    if image.mode in ("1", "L"):
        return image.convert("L"), ""
    remark = "CMYK, so turned into RGB" if image.mode == "CMYK" else ""
    return image.convert("RGB"), remark
