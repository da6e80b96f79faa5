"""How counts were made from text, as plain data that corpora and models keep.

It is what `TextVectorizer.to_dict` returns: settings, words, and their spellings.
"""

from collections.abc import Mapping, Sequence
from typing import Any

PREFIX = "analyser_"
"""Prefix of the names of its lists on disk."""


def split_analyser(
    analyser: Mapping[str, Any] | None,
) -> tuple[dict[str, Any] | None, dict[str, Sequence[str]]]:
    """Split how text was counted into settings and lists of words, by name.

    A tokenizer is left out: no code is saved.

    Examples
    --------
    >>> split_analyser({"settings": {"stem": None}, "vocabulary": ["cat"]})
    ({'settings': {'stem': None}}, {'analyser_vocabulary': ['cat']})
    """
    if analyser is None:
        return None, {}
    lists = {k: v for k, v in analyser.items() if isinstance(v, list)}
    rest = {k: v for k, v in analyser.items() if k not in lists and not callable(v)}
    return rest, {f"{PREFIX}{k}": v for k, v in lists.items()}


def join_analyser(
    rest: Mapping[str, Any] | None, strings: Mapping[str, Sequence[str]]
) -> dict[str, Any] | None:
    """Join what `split_analyser` split.

    Examples
    --------
    >>> join_analyser({"settings": {}}, {"analyser_vocabulary": ["cat"], "ids": ["0"]})
    {'settings': {}, 'vocabulary': ['cat']}
    """
    if rest is None:
        return None
    lists = {
        name.removeprefix(PREFIX): items
        for name, items in strings.items()
        if name.startswith(PREFIX)
    }
    return {**rest, **lists}


def check_analyser(
    analyser: Mapping[str, Any] | None, vocabulary: Sequence[str]
) -> dict[str, Any] | None:
    """Refuse an analyser whose words are not those of the vocabulary.

    Examples
    --------
    >>> check_analyser({"vocabulary": ["cat"], "surface_forms": ["Cat"]}, ["dog"])
    Traceback (most recent call last):
    ...
    ValueError: The analyser must have the words of the vocabulary (1), but has others.
    """
    if analyser is None:
        return None
    own, forms = (analyser.get(name, []) for name in ("vocabulary", "surface_forms"))
    if list(own) != list(vocabulary) or len(forms) != len(own):
        raise ValueError(
            f"The analyser must have the words of the vocabulary ({len(vocabulary)}), "
            "but has others."
        )
    return dict(analyser)


def analyser_over(
    analyser: Mapping[str, Any] | None, vocabulary: Sequence[str]
) -> dict[str, Any] | None:
    """Return the analyser for another vocabulary.

    Examples
    --------
    >>> analyser = {"vocabulary": ["cat", "dog"], "surface_forms": ["Cats", "dogs"]}
    >>> analyser_over(analyser, ["dog", "cow"])
    {'vocabulary': ['dog', 'cow'], 'surface_forms': ['dogs', 'cow']}
    """
    if analyser is None:
        return None
    form_of = dict(zip(analyser["vocabulary"], analyser["surface_forms"], strict=True))
    forms = [form_of.get(word, word) for word in vocabulary]
    return {**analyser, "vocabulary": list(vocabulary), "surface_forms": forms}
