"""From image files to counts of visual words, and to a corpus of them."""

from leantopics._extras import check_extra

check_extra("images")

from leantopics.images.read import image_files, read_images  # noqa: E402
from leantopics.images.words import VisualWords  # noqa: E402

__all__ = ["VisualWords", "image_files", "read_images"]
