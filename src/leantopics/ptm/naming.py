"""Names of topics: the few words that set each topic apart from its siblings."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import snowballstemmer
from scipy import sparse

from leantopics._arrays import Floats

MOST_WORDS = 4
"""Most words of a name."""
NO_WORDS = "shared words"
"""Name of a topic that uses no word more than its parent does."""

_CANDIDATES = 12
"""Words of a topic from which its name is made."""
_CLEARLY = 2.0
"""Words that are this many times as frequent as usual come first."""
_WORTH = 0.25
"""A third word is worth at least this share of the first."""
_PREFIX, _START, _ENDING = 3, 5, 3
"""Two words are forms of one if the shorter, of at least three letters, begins the
other, or if both begin with the same five; and the rest is at most three letters."""
_MOST_REPEATED = 3.0
"""A word that documents repeat is worth at most this many times as much."""
_JOINED = 0.5
"""A word of parts joined by underscores is worth this share of a plain one."""
_TIMES = 3
"""Fewest occurrences of a phrase."""

_DIGITS = "0123456789"

Stem: TypeAlias = Callable[[str], str]
Term: TypeAlias = tuple[int, ...]
"""A word, or the two words of a phrase."""
Tokens: TypeAlias = Callable[[int], Iterable[Sequence[int]]]


def name_topics(
    counts: sparse.csr_array,
    parents: sparse.csr_array,
    written: Sequence[str],
    *,
    level: npt.ArrayLike | None = None,
    usual: sparse.csr_array | None = None,
    repeated: sparse.csr_array | None = None,
    language: str | None = None,
    tokens: Tokens | None = None,
) -> list[str]:
    """Name topics by two to four words each, different ones where possible.

    Words are ranked by `deviating_words`; those joined by underscores, such as
    ``n_samples``, come after plain ones that are worth half as much. Of the forms of a
    word only the first is taken; numbers, single letters, and words that differ from
    one before them in a number at their end, only if there is nothing else.

    Parameters
    ----------
    counts : csr_array of shape (M, N)
        Expected counts of words; of salient words alone if ``level`` is given.
    parents : csr_array of shape (M, N) or (1, N)
        Words of the parent of each topic or of all, such as the shared model or the sum
        of the counts of a theme's topics. Rows need not be normalised.
    written : sequence of N str
        The words as they are shown.
    level : array of shape (M,), optional
        Scale of each topic relative to its parent, mu; by default the sum of its
        counts.
    usual : csr_array of shape (M, N), optional
        Counts that are usual anywhere, such as those by the shared model, where the
        parents are closer. Words that are clearly more frequent than that come first.
    repeated : csr_array of shape (M, N), optional
        Counts of every occurrence, where ``counts`` count a word less each time that a
        document repeats it. Documents repeat the words that they are about, and not
        those of a passage that they share, so a word tells more by the ratio of its
        two counts, at most three times as much. A topic without any word that is
        clearly more frequent than usual is named by these counts.
    language : str, optional
        Name of the Snowball stemmer that finds forms of a word.
    tokens : callable, optional
        ``tokens(j)`` returns typical documents of topic j as lists of word numbers.
        Phrases of two words that stand side by side there are kept together.

    Examples
    --------
    >>> counts = sparse.csr_array([[9.0, 8.0, 7.0, 0.0], [0.0, 0.0, 0.0, 9.0]])
    >>> shared = sparse.csr_array([[0.2, 0.2, 0.2, 0.4]])
    >>> name_topics(counts, shared, ["ship", "ships", "sea", "tree"])
    ['ship sea', 'tree']
    """
    n_topics = counts.shape[0]
    scale = counts.sum(axis=1) if level is None else np.asarray(level)
    alike = _Alike(written, language)
    weight = np.array([_JOINED if len(_parts(word)) > 1 else 1.0 for word in written])
    terms, sizes = [], []
    for j in range(n_topics):
        own, parent = counts[[j]], parents[[min(j, parents.shape[0] - 1)]]
        anywhere = None if usual is None else usual[[j]]
        telling = weight
        if repeated is not None:
            telling = weight * _repetition(own, repeated[[j]])
        ranked = deviating_words(own, parent, float(scale[j]), telling, anywhere)
        if repeated is not None and not _has_words_of_its_own(own, anywhere):
            ranked = _by_all_occurrences(repeated, j, weight) or ranked
        chosen = alike.without_forms(ranked, _CANDIDATES)
        documents = () if tokens is None or not chosen else tokens(j)
        phrases = phrases_of([word for word, _ in chosen], documents)
        terms.append(_with_phrases([word for word, _ in chosen], phrases))
        worth = [value >= _WORTH * chosen[0][1] for _, value in chosen]
        sizes.append(3 if worth.count(True) > 2 else 2)
    return _different(terms, sizes, written)


def deviating_words(
    counts: sparse.csr_array,
    parent: sparse.csr_array,
    level: float,
    weight: Floats | None = None,
    usual: sparse.csr_array | None = None,
) -> list[tuple[int, float]]:
    """Words more frequent than in the parent, with their worth, highest first.

    Words that are twice as frequent as usual come before all others. A word is worth
    its Poisson deviance, ``x log(x / e) - (x - e)``, times ``1 - e / x``, the share
    of its occurrences that the parent does not explain. Here x is the count of a word
    and ``e = level p`` the expected one, p its share of the parent. The share lets
    words of a topic precede those that are only somewhat more frequent there.

    The rows of the topic, its parent and the ``usual`` counts, by default those
    expected by the parent, are (1, N). The worth of a word is multiplied by its
    weight (N,).

    Examples
    --------
    >>> topic, parent = sparse.csr_array([[4.0, 4.0]]), sparse.csr_array([[2.0, 6.0]])
    >>> [(word, round(value, 3)) for word, value in deviating_words(topic, parent, 8)]
    [(0, 0.386)]
    >>> deviating_words(topic, 0.0 * parent, 8)
    []
    """
    words, x = counts.indices, counts.data
    e = level * parent[:, words].toarray()[0] / (parent.sum() or 1.0)
    anywhere = e if usual is None else usual[:, words].toarray()[0]
    more = (x > e) & (e > 0.0)
    words, x, e = words[more], x[more], e[more]
    value = (x * np.log(x / e) - (x - e)) * (1.0 - e / x)
    if weight is not None:
        value *= weight[words]
    order = np.lexsort((-value, x < _CLEARLY * anywhere[more]))
    return [*zip(words[order].tolist(), value[order].tolist(), strict=True)]


def _has_words_of_its_own(
    own: sparse.csr_array, usual: sparse.csr_array | None
) -> bool:
    """Whether any word is clearly more frequent than usual, if that is known."""
    if usual is None:
        return True
    return bool((own.data >= _CLEARLY * usual[:, own.indices].toarray()[0]).any())


def _by_all_occurrences(
    repeated: sparse.csr_array, topic: int, weight: Floats
) -> list[tuple[int, float]]:
    """Words that a topic uses more than all topics together do, every one counted."""
    own, everywhere = repeated[[topic]], sparse.csr_array(repeated.sum(axis=0)[None])
    return deviating_words(own, everywhere, float(own.sum()), weight)


def _repetition(own: sparse.csr_array, repeated: sparse.csr_array) -> Floats:
    """How much more each word tells because documents repeat it, from 1 to 3."""
    out = np.ones(own.shape[1])
    often = repeated[:, own.indices].toarray()[0]
    np.divide(often, own.data, out=often, where=own.data > 0.0)
    out[own.indices] = np.clip(often, 1.0, _MOST_REPEATED)
    return out


def phrases_of(
    words: Sequence[int], documents: Iterable[Sequence[int]]
) -> list[tuple[int, int]]:
    """Pairs of these words that stand side by side in most of their occurrences.

    Documents are word numbers in order. Each word is in one phrase at most; frequent
    phrases come first.

    Examples
    --------
    >>> phrases_of([3, 4, 5], [[3, 4, 9, 5], [5, 3, 4], [3, 4]])
    [(3, 4)]
    """
    wanted, alone, together = set(words), Counter[int](), Counter[tuple[int, int]]()
    for document in documents:
        alone.update(word for word in document if word in wanted)
        together.update(
            (a, b)
            for a, b in pairwise(document)
            if a in wanted and b in wanted and a != b
        )
    out, used = [], set[int]()
    for (a, b), times in together.most_common():
        most = 4 * times > alone[a] + alone[b]
        if times >= _TIMES and most and not {a, b} & used:
            out.append((a, b))
            used |= {a, b}
    return out


def language_of(analyser: Mapping[str, Any] | None) -> str | None:
    """Return the language of texts, if their stemmer or stop words name one.

    The analyser says how they were counted; see `TextVectorizer.to_dict`.

    Examples
    --------
    >>> language_of({"settings": {"stem": None, "stop_words": "english"}})
    'english'
    """
    settings = (analyser or {}).get("settings", {})
    named = (settings.get(name) for name in ("stem", "stop_words"))
    return next((name for name in named if isinstance(name, str)), None)


class _Alike:
    """Finds words that are forms of one another, or say nothing."""

    def __init__(self, written: Sequence[str], language: str | None) -> None:
        self._written = written
        known = language in snowballstemmer.algorithms()
        stemmer = snowballstemmer.stemmer(language) if known else None
        self._stem: Stem = str if stemmer is None else stemmer.stemWord

    def without_forms(
        self, ranked: Sequence[tuple[int, float]], most: int
    ) -> list[tuple[int, float]]:
        """Return the first words that are no other forms of one before them."""
        clear = [pair for pair in ranked if not _is_mute(self._written[pair[0]])]
        kept: list[tuple[int, float]] = []
        numbered: list[tuple[int, float]] = []
        for word, value in clear or ranked:
            if len(kept) == most:
                break
            if any(self._same(word, other) for other, _ in kept):
                continue
            again = any(self._is_numbered(word, other) for other, _ in kept)
            (numbered if again else kept).append((word, value))
        return kept if len(kept) > 1 else [*kept, *numbered][:most]

    def _is_numbered(self, first: int, second: int) -> bool:
        """Whether two words differ only in a number at their end."""
        a, b = (self._written[word].casefold() for word in (first, second))
        return a.rstrip(_DIGITS) == b.rstrip(_DIGITS)

    def _same(self, first: int, second: int) -> bool:
        a, b = (self._written[word].casefold() for word in (first, second))
        if _share_a_part(a, b):
            return True
        apart = (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
        start = next(apart, min(len(a), len(b)))
        least = _PREFIX if start == min(len(a), len(b)) else _START
        endings = [end for end in (a[start:], b[start:]) if end]
        short = all(len(end) <= _ENDING and end.isalpha() for end in endings)
        return self._stem(a) == self._stem(b) or (short and start >= least)


def _parts(word: str) -> list[str]:
    """The parts of a word that underscores join."""
    return [part for part in word.split("_") if part]


def _share_a_part(first: str, second: str) -> bool:
    """Whether one of two words is joined and has a part that the other has, too."""
    if "_" not in first + second:
        return False
    shared = {*_parts(first)} & {*_parts(second)}
    return any(len(part) >= _PREFIX for part in shared)


def _is_mute(word: str) -> bool:
    """Whether a word has no letter, or is a single letter of an alphabet with cases."""
    word = word.strip("_")
    if len(word) == 1:
        return unicodedata.category(word) != "Lo"
    return not any(char.isalpha() for char in word)


def _with_phrases(
    words: Sequence[int], phrases: Sequence[tuple[int, int]]
) -> list[Term]:
    """Return the words in their order, with phrases in the place of their first."""
    whole: dict[int, Term] = {word: pair for pair in phrases for word in pair}
    return [*dict.fromkeys(whole.get(word, (word,)) for word in words)]


def _different(
    terms: Sequence[Sequence[Term]], sizes: Sequence[int], written: Sequence[str]
) -> list[str]:
    """Return a name for each topic, longer or with other words if it is taken."""
    names = [_name(own, size, written) for own, size in zip(terms, sizes, strict=True)]
    shared = Counter(names)
    taken = {name for name in names if shared[name] == 1}
    for j, own in enumerate(terms):
        if shared[names[j]] == 1 or not own:
            continue
        for last in range(len(own)):
            longer = _name([*own[:2], *own[2 + last :]], MOST_WORDS, written)
            if longer not in taken:
                names[j] = longer
                break
        taken.add(names[j])
    return names


def _name(terms: Sequence[Term], size: int, written: Sequence[str]) -> str:
    """Join the first ``size`` terms, as far as they have no more than four words."""
    words: list[int] = []
    for term in terms[:size]:
        if len(words) + len(term) <= MOST_WORDS:
            words += term
    return " ".join(written[word] for word in words) or NO_WORDS
