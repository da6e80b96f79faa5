"""Pictures of eight kinds of texture, drawn by formulas, with phases, scales, contrast
and noise by chance."""

from pathlib import Path

import numpy as np
from PIL import Image
from scipy import ndimage

SIDE = 256


def _waves(draw, angle):
    y, x = np.mgrid[:SIDE, :SIDE]
    turn = angle + draw.normal(0.0, 0.04)
    along = x * np.cos(turn) + y * np.sin(turn)
    return np.sin(2 * np.pi * along / draw.uniform(10, 14) + draw.uniform(0, 6))


def _checks(draw):
    y, x = np.mgrid[:SIDE, :SIDE]
    size = draw.integers(9, 13)
    down, right = draw.integers(0, 99, 2)
    return ((y + down) // size + (x + right) // size) % 2


def _bricks(draw):
    y, x = np.mgrid[:SIDE, :SIDE] + draw.integers(0, 99, 2)[:, None, None]
    high = draw.integers(12, 16)
    wide = 2 * high
    shifted = x + (y // high % 2) * high
    return (y % high > 2) & (shifted % wide > 2)


def _dots(draw):
    y, x = np.mgrid[:SIDE, :SIDE] + draw.integers(0, 99, 2)[:, None, None]
    gap = draw.integers(15, 19)
    return np.hypot(y % gap - gap / 2, x % gap - gap / 2) < gap / 4


def _clouds(draw):
    return ndimage.gaussian_filter(draw.normal(size=(SIDE, SIDE)), draw.uniform(5, 6))


def _grain(draw):
    return ndimage.gaussian_filter(draw.normal(size=(SIDE, SIDE)), draw.uniform(1, 1.2))


TEXTURES = {
    "bricks": _bricks,
    "checks": _checks,
    "clouds": _clouds,
    "diagonal": lambda draw: _waves(draw, np.pi / 4),
    "dots": _dots,
    "flat": lambda draw: _waves(draw, np.pi / 2),
    "grain": _grain,
    "upright": lambda draw: _waves(draw, 0.0),
}


def texture(name, draw):
    """Grey pixels of a texture."""
    pattern = np.asarray(TEXTURES[name](draw), float)
    pattern = (pattern - pattern.mean()) / pattern.std()
    bright, contrast = draw.uniform(90, 160), draw.uniform(20, 45)
    noise = draw.normal(0.0, 3.0, pattern.shape)
    return np.clip(bright + contrast * pattern + noise, 0, 255).astype(np.uint8)


def write_textures(folder, each, seed=0):
    """Write pictures of each texture into a sub-folder of its name."""
    draw = np.random.default_rng(seed)
    for name in TEXTURES:
        Path(folder, name).mkdir(parents=True)
        for n in range(each):
            pixels = texture(name, draw)
            Image.fromarray(pixels).save(Path(folder, name, f"{n:04}.png"))
