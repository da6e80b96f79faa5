"""The numbers of the paper, as data."""

from typing import NamedTuple


class Number(NamedTuple):
    """A published mean over ten initialisations."""

    mean: float
    std: float | None
    where: str
    """Label of the table in the paper, or "text"."""

    def __str__(self) -> str:
        """Return the mean and the deviation, as in the paper.

        Examples
        --------
        >>> print(Number(506.4, 4.51, "nbar_tab"))
        506.4 (4.51)
        """
        return f"{self.mean:g}" + (f" ({self.std:g})" if self.std is not None else "")


class Sample(NamedTuple):
    """A published topic: its first words of each kind, and a similar LDA topic."""

    specific: str
    shared: str
    lda: str


DATASETS = ("ohsumed", "20newsgroups", "reuters", "labelme")
"""The corpora of the paper's tables, in their order."""


def _table(
    where: str, rows: dict[str, list[tuple[float, float]]]
) -> dict[str, dict[str, Number]]:
    """Return the numbers of a table by row and corpus."""
    return {
        name: {d: Number(*pair, where) for d, pair in zip(DATASETS, row, strict=True)}
        for name, row in rows.items()
    }


N_TOPICS = _table("text", {"ptm": [(105, 5.98), (36, 3.79), (40, 5.75), (46, 3.4)]})[
    "ptm"
]
"""Number of topics that BIC chooses; the sparsity tables use these numbers."""

TOPICS_PER_DOCUMENT = _table(
    "mbar_tab",
    {
        "ptm": [(1.85, 0.01), (1.14, 0.01), (1.17, 0.01), (7.4, 0.14)],
        "lda": [(10.55, 0.37), (6.42, 0.28), (4.97, 0.13), (37.15, 1.03)],
        "lda-background": [
            (12.49, 0.31),
            (5.27, 0.12),
            (4.18, 0.74),
            (36.17, 0.71),
        ],
        "stc": [(10.22, 0.50), (2.67, 0.06), (3.01, 0.20), (1.08, 0.04)],
    },
)
"""Topics that occur in a document, by method."""

WORDS = _table(
    "nbar_tab",
    {
        "salient_per_topic": [
            (863.04, 3.20),
            (1640, 20),
            (506.4, 4.51),
            (95.73, 2.31),
        ],
        "distinct_salient": [
            (11182, 11.96),
            (22070, 352),
            (7149.8, 55.24),
            (158, 0),
        ],
    },
)
"""Salient words, by column of the results."""
WORDS["topics_per_salient_word"] = {
    "ohsumed": Number(8.10, None, "text"),
    "20newsgroups": Number(2.67, None, "text"),
}

MINUTES = _table(
    "runtime",
    {
        "ptm": [(2529, 97), (757, 46), (395, 31), (209, 7)],
        "lda": [(818, 251), (1510, 94), (746, 52), (124, 6)],
        "stc": [(243, 11), (527, 10), (140, 9), (280, 30)],
    },
)
"""Minutes of a whole sweep, by method."""

CROSSINGS = {
    ("ohsumed", "training"): (120, "LDA above from here"),
    ("20newsgroups", "held-out"): (60, "PTM above to here"),
    ("20newsgroups", "labels"): (70, "PTM best to here"),
    ("reuters", "coherence"): (50, "PTM above to here"),
}
"""Numbers of topics where the text says that curves cross, by corpus and panel."""

SAMPLES = {
    "20newsgroups": [
        Sample(
            "doctor patient diseas medic pain peopl pitt treatment gordon bank",
            "write articl don time work year good even problem thing",
            "medic diseas articl write patient pitt bank health gordon doctor",
        ),
        Sample(
            "god christian exist peopl don atheist question thing mean reason",
            "write articl time good even apr come find sinc gener",
            "god christian jesu israel church peopl bibl christ come law",
        ),
        Sample(
            "printer font print window problem driver deskjet laser file articl",
            "write work good system want apr two question post program",
            "drive problem disk window system work hard run driver printer",
        ),
    ],
    "reuters": [
        Sample(
            "gold mine ounc ton year feet pct reserv mln dlr",
            "compani oper corp thi two unit includ expect report plan",
            "gold mine ounc dixon miner ton dome south year feet",
        ),
        Sample(
            "oil opec price bpd mln saudi barrel crude dlr product",
            "stock last two march industri expect quarter per month report",
            "oil opec ga price energi dlr barrel mln petroleum crude",
        ),
        Sample(
            "dividend stock share split april record compani common declar sharehold",
            "corp offer unit quarter plan exchang invest acquir propos pai",
            "dividend april record split stock march declar payabl set share",
        ),
    ],
}
"""Topics of the table sample_topics."""


def family(method: str) -> str:
    """Return the method of the paper to compare a method of ours with.

    Examples
    --------
    >>> family("ptm-published"), family("lda-background"), family("lda-c-like")
    ('ptm', 'lda-background', 'lda')
    """
    if method == "lda-c-like":
        return "lda"
    return "ptm" if method.startswith("ptm") else method
