"""Facts about a corpus or a saved model, by name."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from leantopics.corpus import Corpus
from leantopics.storage import not_understood, read_manifest

Facts = dict[str, Any]
_NOT_SHOWN = ("callback", "verbose", "random_state")
_PLACE = "shared"
"""Field of a saved fit: row of its shared model in an array, of no use here."""


def describe_corpus(corpus: Corpus, n: int = 10) -> Facts:
    """Return sizes of a corpus, its n most frequent labels and words, and first ids.

    Examples
    --------
    >>> facts = describe_corpus(Corpus([[2, 0], [0, 0]], vocabulary=["cat", "dog"]))
    >>> facts["tokens"], facts["empty_documents"], facts["frequent_words"]
    (2, 1, {'cat': 2})
    """
    lengths = np.asarray(corpus.counts.sum(axis=1), dtype=np.float64).ravel()
    totals = np.asarray(corpus.counts.sum(axis=0), dtype=np.float64).ravel()
    first = np.argsort(-totals, kind="stable")[:n]
    labels = Counter(chain.from_iterable(map(set, corpus.labels or [])))
    facts = {
        "kind": "corpus",
        "documents": corpus.n_docs,
        "words": corpus.n_words,
        "tokens": _number(corpus.n_tokens),
        "density": corpus.counts.nnz / max(1, corpus.n_docs * corpus.n_words),
        "empty_documents": int((lengths == 0).sum()),
        "median_document": _number(np.median(lengths)) if len(lengths) else 0,
        "longest_document": _number(lengths.max(initial=0.0)),
        "frequent_words": {
            corpus.vocabulary[w]: _number(totals[w]) for w in first if totals[w] > 0
        },
        "first_ids": corpus.ids[:n],
        "has_texts": corpus.texts is not None,
    }
    if corpus.labels is not None:
        facts["labelled_documents"] = sum(map(bool, corpus.labels))
        facts["labels"] = len(labels)
        ranked = sorted(labels.items(), key=lambda item: (-item[1], item[0]))
        facts["frequent_labels"] = dict(ranked[:n])
    if corpus.metadata is not None:
        facts["fields"] = sorted(set(chain.from_iterable(corpus.metadata)))
    return facts


def describe_model(path: str | os.PathLike[str]) -> Facts:
    """Return the facts in the manifest of a saved model of any class.

    Its arrays are not read.
    """
    manifest = read_manifest(path)
    if manifest["kind"] != "model":
        raise ValueError(
            f"{os.fspath(path)} must hold a model, but is a {manifest['kind']}."
        )
    content = manifest["content"]
    try:
        orders = [order.get("summary", order) for order in content["orders"]]
        numbers = [order["n_topics"] for order in orders]
        here = orders[numbers.index(content["n_topics"])]
        settings, analyser = content["settings"], content["analyser"]
        facts = {
            "kind": "model",
            "class": content.get("class", "ParsimoniousTopicModel"),
            "leantopics_version": manifest["package_version"],
            "format_version": manifest["format_version"],
            "documents": manifest["files"]["filled"]["shape"][0],
            "words": content["n_features_in"],
            **{
                name: value
                for name, value in here.items()
                if isinstance(value, str | int | float) and name != _PLACE
            },
            "orders": len(orders),
            "fewest_topics": min(numbers),
            "most_topics": max(numbers),
            "sweep_seconds": sum(order["seconds"] for order in orders),
            "seed": settings["random_state"],
            "settings": {k: v for k, v in settings.items() if k not in _NOT_SHOWN},
            "counted_from": "counts" if analyser is None else "text",
        }
        if analyser is not None:
            facts["text_settings"] = analyser["settings"]
        if content["topic_names"] is not None:
            facts["topic_names"] = content["topic_names"]
        if content.get("pinned_words"):
            pinned = content["pinned_words"]
            facts["pinned_words"] = {j: pinned[j] for j in sorted(pinned, key=int)}
        if content.get("edits"):
            facts["edits"] = [
                f"{describe_edit(edit)} (BIC {edit['bic_change']:+.0f})"
                for edit in content["edits"]
            ]
        if "stability" in content:
            facts["stability"] = {
                "how": content["stability"],
                "repeats": manifest["files"]["stability_orders"]["shape"][0],
            }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise not_understood(path, "model", error) from error
    return facts


def describe_edit(edit: Mapping[str, Any]) -> str:
    """Describe an item of ``edits_`` in words, with the topic numbers from before it.

    Examples
    --------
    >>> describe_edit({"merge": [[3, 7, 9]], "drop": [12], "pin": {2: ["oil", "gas"]}})
    'topics 3, 7 and 9 merged; topic 12 dropped; "oil" and "gas" pinned in topic 2'
    """
    parts = [f"topics {_listed(group)} merged" for group in edit["merge"]]
    if edit["drop"]:
        topics = "topic" if len(edit["drop"]) == 1 else "topics"
        parts.append(f"{topics} {_listed(edit['drop'])} dropped")
    parts += [
        _listed([f'"{word}"' for word in words]) + f" pinned in topic {topic}"
        for topic, words in edit["pin"].items()
        if words
    ]
    return "; ".join(parts)


def _listed(items: Sequence[Any]) -> str:
    """Join items with commas and "and"."""
    *others, last = map(str, items)
    return f"{', '.join(others)} and {last}" if others else last


def _number(value: float) -> float:
    """Return whole numbers as int."""
    return int(value) if float(value).is_integer() else float(value)
