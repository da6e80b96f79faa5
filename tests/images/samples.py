"""Pictures that come with scikit-learn and scikit-image."""

from pathlib import Path

import skimage
from sklearn.datasets import images

LEARN = Path(images.__file__).parent
IMAGE = Path(skimage.__file__).parent / "data"
PHOTOS = [
    LEARN / "china.jpg",
    LEARN / "flower.jpg",
    *(IMAGE / f"{name}.png" for name in ("astronaut", "camera", "coffee", "grass")),
]
