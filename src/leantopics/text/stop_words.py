"""Lists of stop words by language."""

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

# Languages by the names that Snowball uses, as the codes that stopwordsiso uses.
_ISO_CODES = {
    "arabic": "ar", "armenian": "hy", "basque": "eu", "catalan": "ca", "czech": "cs",
    "danish": "da", "dutch": "nl", "esperanto": "eo", "estonian": "et",
    "finnish": "fi", "french": "fr", "german": "de", "greek": "el", "hindi": "hi",
    "hungarian": "hu", "indonesian": "id", "irish": "ga", "italian": "it",
    "lithuanian": "lt", "norwegian": "no", "persian": "fa", "polish": "pl",
    "portuguese": "pt", "romanian": "ro", "russian": "ru", "sesotho": "st",
    "spanish": "es", "swedish": "sv", "turkish": "tr",
}  # fmt: skip


def stop_words_of(language: str) -> list[str]:
    """Return the stop words of a language, given by its name or ISO code.

    Raises
    ------
    ValueError
        If there are none, or the package that has them is not installed.

    Examples
    --------
    >>> "the" in stop_words_of("english")
    True
    """
    if language in ("english", "en"):
        return sorted(ENGLISH_STOP_WORDS)
    try:
        import stopwordsiso
    except ImportError:
        raise ValueError(
            f"Stop words of {language!r} need the package stopwordsiso: "
            "pip install stopwordsiso."
        ) from None
    code = _ISO_CODES.get(language, language)
    if not stopwordsiso.has_lang(code):
        raise ValueError(
            f"There are no stop words of {language!r}; give a list of them, or one of "
            f"{', '.join(sorted([*_ISO_CODES, *stopwordsiso.langs()]))}."
        )
    return sorted(stopwordsiso.stopwords(code))
