"""Something small to save, and a way to change what is saved."""

import json

import numpy as np

from leantopics.storage import save_folder
from leantopics.storage.manifest import sealed

FORMS = ("m", "m.zip")


def save(path, number=1, kind="model"):
    save_folder(
        path,
        kind=kind,
        content={"number": number},
        arrays={"weights": np.arange(6.0).reshape(2, 3) * number},
        strings={"words": ["Öl", "leaf"]},
    )


def edit_manifest(folder, change):
    """Change a manifest, which gets the checksum that it then must have."""
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    change(manifest)
    file.write_bytes(sealed(manifest))
