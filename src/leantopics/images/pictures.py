"""Turn an image file of any kind into a square picture, or say why it cannot be."""

import os
from io import BytesIO
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps, UnidentifiedImageError

Bytes = npt.NDArray[np.uint8]

SIDE = 256
"""Side in pixels of the square in which words are counted."""
LEAST_SIDE = 16
"""Least side of a picture in pixels: that of one patch."""
MOST_PIXELS = 80_000_000
"""Larger pictures are refused before memory is allocated for them."""
SUFFIXES = frozenset(
    ".bmp .gif .jpeg .jpg .pgm .png .pnm .ppm .tif .tiff .webp".split()
)
# Other formats, such as EPS, would start programs.
_FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")
_SIXTEEN_BIT = ("I", "I;16", "I;16B", "I;16L", "I;16N")


class Picture(NamedTuple):
    """A picture, ready for counting words."""

    square: Image.Image
    """The picture, `SIDE` by `SIDE` pixels, in grey ("L") or colour ("RGB")."""
    remark: str
    """What is odd about the file and what was done about it; empty if nothing is."""

    @property
    def grey(self) -> Bytes:
        """Brightness, shape (SIDE, SIDE)."""
        return np.array(self.square.convert("L"))


def read_picture(path: str | os.PathLike[str]) -> Picture:
    """Read an image file: its largest central square, scaled to 256 by 256 pixels.

    Of an animation, the first frame is used; of 16 bits, the upper 8. Transparent parts
    are laid on white, and pictures are rotated as the camera noted. What is not a BMP,
    GIF, JPEG, PNG, PNM, TIFF or WebP file, is damaged, or is too small or too large is
    refused; the message says why.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Image.new("RGBA", (300, 400)).save(folder + "/glass.png")
    ...     picture = read_picture(folder + "/glass.png")
    >>> picture.grey.shape, picture.remark
    ((256, 256), 'it is transparent, so it was laid on white')
    """
    if not os.path.isfile(path):
        raise ValueError("it is not a file")
    if not os.path.getsize(path):
        raise ValueError("it is empty (0 bytes)")
    try:
        with Image.open(path, formats=_FORMATS) as image:
            _check_size(image.size)
            return _square(image)
    except MemoryError:
        raise
    except UnidentifiedImageError:
        raise ValueError("it is not an image of a known format") from None
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
    has = f"it has {width} by {height} pixels"
    if width * height > MOST_PIXELS:
        raise ValueError(f"{has}, more than {MOST_PIXELS:,} in all")
    if min(size) < LEAST_SIDE:
        raise ValueError(f"{has}, but needs at least {LEAST_SIDE} by {LEAST_SIDE}")


def _square(image: Image.Image) -> Picture:
    remarks = []
    if getattr(image, "n_frames", 1) > 1 and image.format != "MPO":
        remarks.append("it has several frames, so only the first is used")
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
        return Image.fromarray(upper), "it has 16 bits, so only the upper 8 are used"
    if image.mode == "F":
        raise ValueError(
            "its pixels are numbers without a known range; save it with 8 or 16 bits"
        )
    if image.has_transparency_data:
        glass = image.convert("RGBA")
        white = Image.new("RGBA", glass.size, "white")
        return (
            Image.alpha_composite(white, glass).convert("RGB"),
            "it is transparent, so it was laid on white",
        )
    if image.mode in ("1", "L"):
        return image.convert("L"), ""
    remark = "it is CMYK, so it was turned into RGB" if image.mode == "CMYK" else ""
    return image.convert("RGB"), remark
