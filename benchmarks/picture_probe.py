"""A process of its own: learn visual words of some pictures, print the peak memory.

Arguments: folder of pictures, how many of them. Prints one JSON object.
"""

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.timing import timed
from leantopics.images import VisualWords, image_files


def probe(folder: str, n_pictures: int) -> dict[str, Any]:
    """Learn the codebook of the pictures and count their words."""
    files = [Path(folder, name) for name in image_files(folder)[:n_pictures]]
    words = VisualWords(random_state=0, n_jobs=2)
    found: list[Any] = []
    seconds = timed(lambda: found.append(words.fit_transform(files)))
    return {
        "pictures": len(files),
        "words": int(found[0].sum()),
        "codewords": len(words.codewords_),
        "seconds": seconds,
        "peak_bytes": machine.status("VmHWM"),
    }


if __name__ == "__main__":
    print(json.dumps(probe(sys.argv[1], int(sys.argv[2]))))
