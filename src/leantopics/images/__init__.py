"""From image files to counts of visual words, and to a corpus of them."""

try:
    import cv2  # noqa: F401
    import PIL  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "Pictures need OpenCV and Pillow: pip install 'leantopics[images]'.",
        name=error.name,
    ) from None

from leantopics.images.read import image_files, read_images
from leantopics.images.words import VisualWords

__all__ = ["VisualWords", "image_files", "read_images"]
