"""Something small to save."""

import numpy as np

from leantopics.storage import save_folder

FORMS = ("m", "m.zip")


def save(path, number=1, kind="model"):
    save_folder(
        path,
        kind=kind,
        content={"number": number},
        arrays={"weights": np.arange(6.0).reshape(2, 3) * number},
        strings={"words": ["Öl", "leaf"]},
    )
