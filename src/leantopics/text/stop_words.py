"""Lists of stop words by language."""

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

# The codes that stopwordsiso uses, by the English name of the language, which is also
# the name of Snowball's stemmer.
_ISO_CODES = {
    "afrikaans": "af", "arabic": "ar", "armenian": "hy", "basque": "eu",
    "bengali": "bn", "breton": "br", "bulgarian": "bg", "catalan": "ca",
    "chinese": "zh", "croatian": "hr", "czech": "cs", "danish": "da", "dutch": "nl",
    "english": "en", "esperanto": "eo", "estonian": "et", "finnish": "fi",
    "french": "fr", "galician": "gl", "german": "de", "greek": "el", "gujarati": "gu",
    "hausa": "ha", "hebrew": "he", "hindi": "hi", "hungarian": "hu",
    "indonesian": "id", "irish": "ga", "italian": "it", "japanese": "ja",
    "korean": "ko", "kurdish": "ku", "latin": "la", "latvian": "lv",
    "lithuanian": "lt", "malay": "ms", "marathi": "mr", "norwegian": "no",
    "persian": "fa", "polish": "pl", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "sesotho": "st", "slovak": "sk", "slovene": "sl", "somali": "so",
    "spanish": "es", "swahili": "sw", "swedish": "sv", "tagalog": "tl", "thai": "th",
    "turkish": "tr", "ukrainian": "uk", "urdu": "ur", "vietnamese": "vi",
    "yoruba": "yo", "zulu": "zu",
}  # fmt: skip


def stop_words_of(language: str) -> list[str]:
    """Return the stop words of a language, given by its name or ISO code.

    English ones are scikit-learn's, others those of the package stopwordsiso.

    Examples
    --------
    >>> "the" in stop_words_of("english"), "और" in stop_words_of("hi")
    (True, True)
    """
    code = _ISO_CODES.get(language, language)
    if code == "en":
        return sorted(ENGLISH_STOP_WORDS)
    import stopwordsiso  # reads all its lists at once

    if not stopwordsiso.has_lang(code):
        raise ValueError(
            f"There are no stop words for {language!r}; give a list of them, or one of "
            f"{', '.join(sorted(_ISO_CODES))}."
        )
    return sorted(stopwordsiso.stopwords(code))
