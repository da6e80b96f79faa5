"""Claims that the paper makes in words, checked against our numbers."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from leantopics.study.results import Row
from leantopics.study.tables import markdown_line
from leantopics.study.verdicts import (
    NEARLY,
    Check,
    Results,
    Verdict,
    above,
    alike,
    best_above,
    chosen_above,
    down_beats_up,
    fewest_topics,
    nearer_to_labels,
    peak_near,
    rises,
    spread_out,
    time_ratio,
    topics_of_a_word,
)

LDAS = ("lda", "lda-background")
OTHERS = (*LDAS, "stc")
OURS = {"ptm-published": "as the published program", "ptm": "as the equations"}
"""Our methods, with which each claim is tried, and their titles."""


class Claim(NamedTuple):
    """A claim of the paper about a corpus, in our words."""

    text: str
    check: Check


CLAIMS: dict[str, list[Claim]] = {
    "reuters": [
        Claim(
            "Held-out likelihood of the chosen model above LDA's for all numbers of "
            "topics",
            chosen_above("held_out_per_word", LDAS),
        ),
        Claim(
            "Label accuracy best for all numbers of topics",
            above("label_accuracy", OTHERS),
        ),
        Claim(
            "High label accuracy of the chosen model: above LDA for nearly all "
            "numbers of topics",
            chosen_above("label_accuracy", ("lda",), NEARLY),
        ),
        Claim("Coherence above LDA's below 50 topics", above("coh", ("lda",), most=49)),
        Claim("Fewest topics per document", fewest_topics("reuters", OTHERS)),
        Claim("Less time than LDA", time_ratio("lda", 0.0, 1.0)),
        Claim("Sweeping down is better than sweeping up", down_beats_up),
    ],
    "20newsgroups": [
        Claim(
            "Training likelihood below LDA's",
            above("log_likelihood", ("lda",), below=True),
        ),
        Claim(
            "Held-out likelihood above LDA's below 60 topics",
            above("held_out_per_word", LDAS, most=59),
        ),
        Claim(
            "Label accuracy best below 70 topics",
            above("label_accuracy", OTHERS, most=69),
        ),
        Claim(
            "LDA's label accuracy above ours with more than 70 topics",
            above("label_accuracy", ("lda",), least=71, below=True),
        ),
        Claim("LDA's label accuracy grows with topics", rises("lda", "label_accuracy")),
        Claim("Coherence about the same", alike("coh", LDAS)),
        Claim("Fewest topics per document", fewest_topics("20newsgroups", OTHERS)),
        Claim(
            "A salient word is salient in 2.67 topics",
            topics_of_a_word("20newsgroups", 2.67),
        ),
        Claim("Less time than LDA", time_ratio("lda", 0.0, 1.0)),
    ],
    "ohsumed": [
        Claim(
            "Training likelihood below LDA's with more than 120 topics",
            above("log_likelihood", ("lda",), least=121, below=True),
        ),
        Claim(
            "Held-out likelihood above LDA's for all numbers of topics",
            above("held_out_per_word", LDAS),
        ),
        Claim(
            "Best agreement with labels above that of the others",
            best_above("label_auc", OTHERS),
        ),
        Claim(
            "Agreement with labels best near the chosen number of topics",
            peak_near("label_auc"),
        ),
        Claim(
            "Coherence above LDA's for a wide range of numbers of topics",
            above("coh", LDAS, share=NEARLY),
        ),
        Claim(
            "Topics per document nearer to labels per document than LDA's and STC's",
            nearer_to_labels("ohsumed", ("lda", "stc")),
        ),
        Claim("Salient words of topics overlap little", spread_out("ohsumed")),
        Claim(
            "A salient word is salient in 8.10 topics",
            topics_of_a_word("ohsumed", 8.10),
        ),
        Claim("Three times the time of LDA", time_ratio("lda", 2.0, 4.0)),
    ],
    "labelme": [
        Claim(
            "Held-out likelihood above LDA's for all numbers of topics",
            above("held_out_per_word", LDAS),
        ),
        Claim(
            "Label accuracy above that of the others", above("label_accuracy", OTHERS)
        ),
        Claim("Far fewer topics per document than LDA", fewest_topics("labelme", LDAS)),
        Claim("About twice the time of LDA", time_ratio("lda", 1.0, 3.0)),
        Claim("Sweeping down is better than sweeping up", down_beats_up),
    ],
}
"""Claims of the paper about each corpus, with their checks."""


def claims_table(name: str, rows: Sequence[Row]) -> str:
    """Return a Markdown table of the claims about a corpus, for both procedures.

    Examples
    --------
    >>> print(claims_table("labelme", []).splitlines()[-1])
    | Sweeping down is better than sweeping up | not measured | not measured |
    """
    results = Results([row for row in rows if row["dataset"] == name])
    lines = [["claim", *OURS.values()], ["---"] * (1 + len(OURS))]
    for claim in CLAIMS[name]:
        lines.append([claim.text, *(_answer(claim, results, ours) for ours in OURS)])
    return "\n".join(map(markdown_line, lines)) + "\n"


def held(rows: Sequence[Row], names: Iterable[str] = CLAIMS) -> dict[str, int]:
    """Count claims that hold, do not, and were not measured, for both procedures.

    Examples
    --------
    >>> held([], ["labelme"])
    {'holds': 0, 'does not': 0, 'not measured': 10}
    """
    out = {"holds": 0, "does not": 0, "not measured": 0}
    for name in names:
        results = Results([row for row in rows if row["dataset"] == name])
        for claim in CLAIMS[name]:
            for ours in OURS:
                verdict = _verdict(claim, results, ours)
                if verdict is None:
                    out["not measured"] += 1
                else:
                    out["holds" if verdict.holds else "does not"] += 1
    return out


def _verdict(claim: Claim, results: Results, ours: str) -> Verdict | None:
    try:
        return claim.check(results, ours)
    except LookupError:
        return None


def _answer(claim: Claim, results: Results, ours: str) -> str:
    verdict = _verdict(claim, results, ours)
    if verdict is None:
        return "not measured"
    return f"{'holds' if verdict.holds else '**does not hold**'}: {verdict.number}"
