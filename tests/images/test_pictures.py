"""Files of every kind: what is odd is put right and told, what is broken refused."""

import os
import struct
import zlib

import numpy as np
import pytest
from PIL import Image
from tests.images.textures import texture

from leantopics.images import image_files
from leantopics.images.pictures import MOST_PIXELS, SIDE, SUFFIXES, read_picture


@pytest.fixture(scope="module")
def pixels():
    return texture("bricks", np.random.default_rng(3))


def near(found, wanted, most):
    return np.abs(found.astype(int) - wanted).mean() <= most


@pytest.mark.parametrize("name", sorted(SUFFIXES))
def test_every_format_is_read(tmp_path, pixels, name):
    file = tmp_path / f"x{name}"
    Image.fromarray(pixels).save(file, quality=95)
    found = read_picture(file)
    assert found.remark == ""
    assert near(found.grey, pixels, 2.0)


def test_colour_is_read_as_brightness(tmp_path):
    colours = np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 3), np.uint8)
    Image.fromarray(colours).save(tmp_path / "x.png")
    luma = colours @ np.array([0.299, 0.587, 0.114])
    assert near(read_picture(tmp_path / "x.png").grey, luma, 0.6)


def test_sixteen_bits(tmp_path, pixels):
    for name in ("x.png", "x.tif"):
        Image.fromarray(pixels.astype(np.uint16) * 256 + 255).save(tmp_path / name)
        found = read_picture(tmp_path / name)
        assert found.remark == "it has 16 bits, so only the upper 8 are used"
        np.testing.assert_array_equal(found.grey, pixels)


def test_cmyk(tmp_path, pixels):
    Image.fromarray(pixels).convert("CMYK").save(tmp_path / "x.jpg", quality=95)
    found = read_picture(tmp_path / "x.jpg")
    assert found.remark == "it is CMYK, so it was turned into RGB"
    assert near(found.grey, pixels, 3.0)


def test_what_is_transparent_lies_on_white(tmp_path, pixels):
    glass = np.zeros((SIDE, SIDE, 4), np.uint8)
    glass[..., :3] = pixels[..., None]
    glass[:100, :, 3] = 255
    Image.fromarray(glass).save(tmp_path / "x.png")
    Image.fromarray(glass).save(tmp_path / "x.webp", lossless=True)
    for name in ("x.png", "x.webp"):
        found = read_picture(tmp_path / name)
        assert found.remark == "it is transparent, so it was laid on white"
        assert near(found.grey[:100], pixels[:100], 1.0)
        assert np.all(found.grey[100:] == 255)
    palette = Image.new("P", (SIDE, SIDE), 0)
    palette.save(tmp_path / "x.gif", transparency=0)
    assert np.all(read_picture(tmp_path / "x.gif").grey == 255)


@pytest.mark.parametrize("name", ["x.gif", "x.webp", "x.png", "x.tif"])
def test_of_an_animation_the_first_frame(tmp_path, pixels, name):
    first, second = Image.fromarray(pixels), Image.fromarray(255 - pixels)
    first.save(
        tmp_path / name, save_all=True, append_images=[second], **_lossless(name)
    )
    found = read_picture(tmp_path / name)
    assert found.remark == "it has several frames, so only the first is used"
    assert near(found.grey, pixels, 2.0)


def _lossless(name):
    return {"lossless": True} if name == "x.webp" else {}


def test_a_camera_that_was_turned(tmp_path, pixels):
    exif = Image.Exif()
    exif[0x0112] = 6  # turn a quarter to the right to see it upright
    Image.fromarray(np.rot90(pixels)).save(tmp_path / "x.png", exif=exif)
    np.testing.assert_array_equal(read_picture(tmp_path / "x.png").grey, pixels)


@pytest.mark.parametrize("turned", [False, True])
def test_the_square_in_the_middle(tmp_path, pixels, turned):
    wide = np.full((SIDE, 3 * SIDE), 200, np.uint8)
    wide[:, SIDE : 2 * SIDE] = pixels
    Image.fromarray(wide.T if turned else wide).save(tmp_path / "x.png")
    found = read_picture(tmp_path / "x.png").grey
    np.testing.assert_array_equal(found, pixels.T if turned else pixels)


def test_large_ones_are_made_smaller(tmp_path, pixels):
    large = np.kron(pixels, np.ones((8, 8), np.uint8))
    Image.fromarray(large).save(tmp_path / "x.jpg", quality=95)
    Image.fromarray(large).save(tmp_path / "x.png")
    for name in ("x.jpg", "x.png"):
        assert near(read_picture(tmp_path / name).grey, pixels, 3.0)


def bomb(side):
    """A PNG of some hundred bytes that says it is a square of so many pixels."""

    def chunk(kind, body):
        sum_ = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + sum_

    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    body = zlib.compress(bytes(1000))
    chunks = chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def whole(kind):
    def write(path, pixels):
        Image.fromarray(pixels).save(path, kind)

    return write


def cut_short(kind, share=0.6):
    def write(path, pixels):
        Image.fromarray(pixels).save(path, kind)
        path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])

    return write


BROKEN = {
    "zero.jpg": (lambda path, _: path.write_bytes(b""), r"empty \(0 bytes\)"),
    "text.jpg": (
        lambda path, _: path.write_text("a cat"),
        "not an image of a known format",
    ),
    "short.png": (cut_short("PNG"), "truncated"),
    "short.jpg": (cut_short("JPEG"), "truncated"),
    "short.gif": (cut_short("GIF"), "truncated"),
    "head.jpg": (cut_short("JPEG", 0.02), "."),
    "tiny.png": (
        lambda path, p: whole("PNG")(path, p[:15]),
        "256 by 15 pixels, but needs at least 16",
    ),
    "float.tif": (
        lambda path, p: whole("TIFF")(path, p.astype(np.float32)),
        "8 or 16 bits",
    ),
    "deep.tif": (
        lambda path, p: whole("TIFF")(path, p.astype(np.int32) << 16),
        "more than 16 bits",
    ),
    "folder.png": (lambda path, _: path.mkdir(), "not a file"),
    "queue.png": (lambda path, _: os.mkfifo(path), "not a file"),
    "missing.png": (lambda path, _: None, "not a file"),
    "script.png": (
        lambda path, p: Image.fromarray(p).save(path, "EPS"),
        "not an image of a known format",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_refused_in_a_sentence(tmp_path, pixels, name):
    write, reason = BROKEN[name]
    write(tmp_path / name, pixels)
    with pytest.raises(ValueError, match=reason) as caught:
        read_picture(tmp_path / name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("side", [9_000, 10_000, 14_000, 65_000])
def test_bombs_are_refused_before_they_are_unpacked(tmp_path, side):
    (tmp_path / "bomb.png").write_bytes(bomb(side))
    with pytest.raises(ValueError, match=f"more than {MOST_PIXELS:,}"):
        read_picture(tmp_path / "bomb.png")


def test_below_the_limit_it_is_read(tmp_path):
    (tmp_path / "large.png").write_bytes(bomb(8_000))
    with pytest.raises(ValueError, match="truncated"):  # so it was begun
        read_picture(tmp_path / "large.png")


def test_damaged_bytes_never_raise_anything_else(tmp_path, pixels):
    draw = np.random.default_rng(0)
    file = tmp_path / "x"
    outcomes = set()
    for kind in ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "PPM"):
        Image.fromarray(pixels[:64, :64]).save(file, kind)
        sound = np.frombuffer(file.read_bytes(), np.uint8)
        for _ in range(40):
            harmed = sound.copy()
            reach = min(len(harmed), draw.choice([40, 400, 10_000]))
            harmed[draw.integers(0, reach, 4)] = draw.integers(0, 256, 4)
            file.write_bytes(harmed.tobytes())
            try:
                assert read_picture(file).grey.shape == (SIDE, SIDE)
                outcomes.add("read")
            except ValueError as error:
                assert str(error) and "\n" not in str(error)
                outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_files_below_a_folder(tmp_path):
    for name in ("b.JPG", "a/c.png", "a/readme.txt", ".hidden.png", ".git/d.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert image_files(tmp_path) == ["a/c.png", "b.JPG"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="has no picture"):
        image_files(tmp_path / "empty")
    with pytest.raises(ValueError, match="must be a folder"):
        image_files(tmp_path / "b.JPG")
