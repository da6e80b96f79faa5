"""From image files to counts of visual words, and to a corpus of them."""

from leantopics.images.read import image_files, read_images
from leantopics.images.words import VisualWords

__all__ = ["VisualWords", "image_files", "read_images"]
