"""Pictures of a report: patches for words, thumbnails for documents, as data URIs."""

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
    """For each word of the model a patch that it stands for.

    Parameters
    ----------
    model : ParsimoniousTopicModel
        A model of visual words.
    corpus : Corpus or None
        The pictures; metadata that tell their codebook must tell this one.
    codebook : VisualWords
        What counted them.
    """
    from leantopics.images.pictures import png

    if model.vocabulary_ != codebook.vocabulary_:
        raise ValueError(
            "The codebook must be the one that counted the words of the model, which "
            f"has {len(model.vocabulary_)} words, but it has "
            f"{len(codebook.vocabulary_)} others; give that of its corpus."
        )
    own = codebook.fingerprint_
    for about in (corpus and corpus.metadata) or []:
        if (told := about.get("codebook", own)) != own:
            raise ValueError(
                "The codebook must be the one that counted the pictures, which has the "
                f"fingerprint {told}, but its own is {own}; give that of the corpus."
            )
    return [_uri("png", png(patch)) for patch in codebook.patches_]


def thumbnails(corpus: Corpus) -> list[dict[str, str | None]]:
    """For each document its "picture", read again from its file.

    Those whose files are gone or changed are None, and counted in the log.

    Parameters
    ----------
    corpus : Corpus
        The documents, whose metadata name the files.
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
            "%d of %d pictures cannot be read again, so the report lacks them.",
            missing,
            len(found),
        )
    return [{"picture": picture} for picture in found]


def _uri(kind: str, image: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(image).decode()}"
