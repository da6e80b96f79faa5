"""Peak memory and time of visual words against the number of pictures."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.timing import Settings, against_goal

MIB = 2**20
SIDE = 400


def pictures(settings: Settings) -> dict[str, Any]:
    """Processes that each learn a codebook and count the words of some pictures."""
    sizes = settings.size((100, 400, 1600), (3, 6))
    with TemporaryDirectory() as folder:
        write_pictures(Path(folder), sizes[-1])
        found = [machine.elsewhere("picture_probe", folder, size) for size in sizes]
    peaks = [one["peak_bytes"] for one in found]
    figures = {}
    if None not in peaks:
        name = f"peak with {sizes[-1]:,} pictures over that with {sizes[0]:,}"
        figures[name] = against_goal(peaks[-1] / peaks[0], "at most 1.1", most=1.1)
    return {
        "question": (
            f"Different parts of {SIDE} by {SIDE} pixels of the two photos of "
            "scikit-learn, as JPEG files: a codebook is learned from them and their "
            "words are counted (2 threads). Peak resident memory (VmHWM) of a process."
        ),
        "figures": figures,
        "table": {
            "columns": ["pictures", "words", "codewords", "peak MiB", "seconds"],
            "rows": [
                [
                    one["pictures"],
                    one["words"],
                    one["codewords"],
                    one["peak_bytes"] and one["peak_bytes"] / MIB,
                    one["seconds"],
                ]
                for one in found
            ],
        },
    }


def write_pictures(folder: Path, number: int) -> None:
    """Write parts of photos, all of them different."""
    from PIL import Image
    from sklearn.datasets import images

    home = Path(images.__file__).parent
    photos = [Image.open(home / name) for name in ("china.jpg", "flower.jpg")]
    draw = np.random.default_rng(0)
    for n in range(number):
        photo = photos[n % 2]
        left, top = (int(draw.integers(size - SIDE)) for size in photo.size)
        part = photo.crop((left, top, left + SIDE, top + SIDE))
        part.save(folder / f"{n:05}.jpg", quality=int(draw.integers(60, 95)))
