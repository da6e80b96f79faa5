"""The methods of the study: their models and the settings of their sweeps."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from leantopics.baselines import LDA, SparseTopicalCoding
from leantopics.baselines.lda_by_word import LDAByWord
from leantopics.baselines.stc_grid import GRID
from leantopics.ptm.estimator import ParsimoniousTopicModel

Model = ParsimoniousTopicModel | LDA | SparseTopicalCoding


class Sweep(NamedTuple):
    """Numbers of topics from the ceiling down to the floor."""

    ceiling: int
    floor: int
    step: int


class Method(NamedTuple):
    """A model with the settings that define a method."""

    title: str
    kind: type[Model]
    settings: Mapping[str, Any]
    cost: float
    """Rough time of one fit, for planning; only ratios matter."""

    @property
    def is_ours(self) -> bool:
        """Whether this is the parsimonious model, which has switches and BIC."""
        return self.kind is ParsimoniousTopicModel


METHODS = {
    "ptm": Method("PTM", ParsimoniousTopicModel, {"procedure": "paper"}, 1.0),
    "ptm-published": Method(
        "PTM, published",
        ParsimoniousTopicModel,
        {"procedure": "published"},
        1.0,
    ),
    "ptm-up": Method(
        "PTM, bottom-up",
        ParsimoniousTopicModel,
        {"procedure": "paper", "sweep": "up"},
        2.0,
    ),
    "lda": Method("LDA", LDA, {}, 15.0),
    "lda-c-like": Method("LDA, as lda-c", LDAByWord, {}, 60.0),
    "lda-background": Method("LDA, background", LDA, {"background": True}, 15.0),
    "stc": Method("STC", SparseTopicalCoding, {}, 20.0),
}
"""All methods by name, in the order of figures and tables.

``ptm`` follows the equations of the paper, ``ptm-published`` does what its authors'
program does, and ``ptm-up`` starts with few topics and splits them. ``lda-c-like`` is
the LDA that the paper compares with, ``lda`` a better optimiser of the same model.
"""
DEFAULT = tuple(name for name in METHODS if name != "ptm-up")
"""Default methods of a study of the paper's corpora."""
OWN = tuple(name for name in DEFAULT if name != "lda-c-like")
"""Those of a quick study, or of a user's corpus: without the weaker, slower LDA."""


def settings(name: str, sweep: Sweep, *, search_penalties: bool) -> dict[str, Any]:
    """Return the parameters of a method's model, without the seed.

    With ``search_penalties``, sparse topical coding chooses its penalties by validation
    at the most topics, as in the paper, from a grid that has the best inside, instead
    of using its defaults.

    Examples
    --------
    >>> settings("lda-background", Sweep(100, 4, 12), search_penalties=True)
    {'n_topics': 4, 'max_topics': 100, 'step': 12, 'background': True}
    >>> settings("ptm", Sweep(100, 4, 2), search_penalties=True)["min_topics"]
    4
    """
    method = METHODS[name]
    floor = "min_topics" if method.is_ours else "n_topics"
    grid = {floor: sweep.floor, "max_topics": sweep.ceiling, "step": sweep.step}
    if method.is_ours:
        # In the paper every word is evidence, predictions are made with the switches,
        # and test documents may have all topics.
        paper = {"evidence": "words", "inference": "all", "prediction": "switched"}
        grid |= paper  # type: ignore[arg-type]
    widened: dict[str, Any] = {**GRID, "widen": True}
    penalties = widened if name == "stc" and search_penalties else {}
    return {**grid, **method.settings, **penalties}


def check_methods(names: tuple[str, ...]) -> tuple[str, ...]:
    """Check names of methods, and return each once, in their usual order.

    Examples
    --------
    >>> check_methods(("lda", "ptm"))
    ('ptm', 'lda')
    >>> check_methods(("nmf",))
    Traceback (most recent call last):
    ...
    ValueError: There is no method 'nmf'; choose from ptm, ptm-published, ptm-up, lda,
    lda-c-like, lda-background, stc.
    """
    for name in names:
        if name not in METHODS:
            raise ValueError(
                f"There is no method {name!r}; choose from {', '.join(METHODS)}."
            )
    if not names:
        raise ValueError(f"Name at least one method of {', '.join(METHODS)}.")
    return tuple(name for name in METHODS if name in names)
