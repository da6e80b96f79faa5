"""Pictures in a report, as data URIs: patches of words, thumbnails of documents."""

import base64
import logging
from typing import TYPE_CHECKING

from leantopics.corpus import Corpus

if TYPE_CHECKING:
    from leantopics import ParsimoniousTopicModel
    from leantopics.images import VisualWords

_log = logging.getLogger("leantopics")


def patches(
    model: "ParsimoniousTopicModel", corpus: Corpus | None, codebook: "VisualWords"
) -> list[str]:
    """Return a typical patch for each word of the model.

    If the metadata of the pictures name a codebook, it must be this one.
    """
    from leantopics.images.pictures import png

    if model.vocabulary_ != codebook.vocabulary_:
        raise ValueError(
            "The codebook must be the one that counted the words of the model, which "
            f"has {len(model.vocabulary_)} words, but it has "
            f"{len(codebook.vocabulary_)} others; give the codebook of the corpus."
        )
    own = codebook.fingerprint_
    for about in (corpus and corpus.metadata) or []:
        if (theirs := about.get("codebook", own)) != own:
            raise ValueError(
                "The codebook must be the one that counted the pictures, which has the "
                f"fingerprint {theirs}, but its own is {own}; give the codebook of "
                "the corpus."
            )
    return [_uri("png", png(patch)) for patch in codebook.patches_]


def thumbnails(corpus: Corpus) -> list[dict[str, str | None]]:
    """Return the "picture" of each document, read again from its file.

    A picture is None if its file is missing or changed; their number is logged.
    """
    from leantopics.images.pictures import read_picture, thumbnail

    found: list[str | None] = []
    for about in corpus.metadata or [{}] * len(corpus):
        try:
            picture = read_picture(str(about.get("file", "")))
            found.append(_uri("jpeg", thumbnail(picture)))
        except ValueError:
            found.append(None)
    if missing := found.count(None):
        _log.warning(
            "%d of %d pictures cannot be read again and are missing from the report.",
            missing,
            len(found),
        )
    return [{"picture": picture} for picture in found]


def _uri(kind: str, image: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(image).decode()}"
