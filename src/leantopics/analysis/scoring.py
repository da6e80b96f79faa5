"""Scores of a fitted model: the measures of `leantopics.evaluation`.

Results are rows, which are dictionaries with keys from
`leantopics.study.results.COLUMNS`. Measures that do not apply to the model or to the
documents are left out.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import normalized_mutual_info_score

from leantopics import evaluation
from leantopics.corpus import Corpus
from leantopics.corpus.rows import row_parts
from leantopics.models.shards import drop_unseen

Row = dict[str, Any]
Ints = NDArray[np.int64]

LABELLED = 100_000
"""Most labelled documents to predict labels of: each takes memory for every label."""
NPMI_WORDS, DIVERSITY_WORDS = 10, 25
COH_WORDS = 10
"""Top words of each topic for coh, the same number for every model."""


def evaluate(model: Any, corpus: Corpus) -> Row:
    """Measure a model on documents, which it should not have been fitted to.

    Parameters
    ----------
    model : ParsimoniousTopicModel, LDA or SparseTopicalCoding
        A fitted model.
    corpus : Corpus
        The documents; words that the model does not know are left out.

    Returns
    -------
    dict
        n_topics, documents and tokens (known words only); held_out_per_word and
        perplexity, by document completion; score, the model's own; coherence on these
        documents (coh, coh_words, npmi) and diversity, of the words that the model
        shows, and how it ranks them (words_by); for our model also coh with a number of
        words for each topic (coh_own, coh_own_words); topics_per_document and
        topics_by_assignment. If there are labels: label_accuracy and label_auc, where
        one half of the labelled documents (at most 100,000, drawn at random) teaches
        the labels of topics and the other half is predicted; and nmi. For our model
        also the sparsity of words.

    Examples
    --------
    >>> from leantopics import LDA, make_corpus
    >>> corpus, _ = make_corpus(100, 60, 3, random_state=0)
    >>> found = evaluate(LDA(3, random_state=0).fit(corpus), corpus)
    >>> list(found)[:5], found["perplexity"] < 60
    (['n_topics', 'documents', 'tokens', 'held_out_per_word', 'perplexity'], True)
    """
    frequency = model.word_frequency_
    aligned = corpus.align(model.vocabulary_)
    counts, tokens, shares = aligned.counts, 0.0, []
    for _, part in row_parts(counts):
        seen = drop_unseen(part, frequency)
        tokens += seen.data.sum()
        shares.append(sparse.csr_array(model.transform(seen)))
    if not tokens:
        raise ValueError(
            "The documents must have words that the model knows, but have none; "
            "evaluate it on documents in the same language, prepared the same way."
        )
    topics = sparse.vstack(shares, format="csr")
    topics.eliminate_zeros()
    coherent = coherence(model, top_words(model, 100), counts, COH_WORDS)
    row = {
        "n_topics": model.n_topics_,
        "documents": len(corpus),
        "tokens": tokens,
        **held_out(model, counts, frequency),
        "score": model.score(aligned),
        **coherent,
        "words_by": model.ranking if coherent else None,
        **_labels(topics, corpus.labels or [], model.n_topics_),
        **sparsity(model, counts, topics),
    }
    return {name: value for name, value in plain(row).items() if value is not None}


def held_out(
    model: Any, counts: sparse.csr_array, frequency: NDArray[np.float64]
) -> Row:
    """Return the held-out likelihood per word, if the model has a likelihood."""
    if not hasattr(model, "log_likelihood_"):
        return {}
    found = evaluation.held_out_log_likelihood(
        counts,
        model.transform,
        model.predictive_components_,
        seen=frequency > 0,
        shared=frequency,
    )
    return {"held_out_per_word": found.per_word, "perplexity": found.perplexity}


def top_words(model: Any, n: int) -> list[Ints]:
    """Return the columns of the words that a model shows of each topic, in its ranking.

    A background has no top words.

    Parameters
    ----------
    model : ParsimoniousTopicModel, LDA or SparseTopicalCoding
        A fitted model.
    n : int
        Number of words; a topic may have fewer.

    Examples
    --------
    >>> from leantopics import LDA, make_corpus
    >>> corpus, _ = make_corpus(50, 60, 2)
    >>> [len(words) for words in top_words(LDA(2, random_state=0).fit(corpus), 5)]
    [5, 5]
    """
    if not model.has_switches:
        return probable_words(model, n)
    ranked = model.salience_.copy()
    more = model.salient_word_prob_.data > model.shared_word_prob_[ranked.indices]
    ranked.data = np.where(more, np.maximum(ranked.data, 0.0), 0.0)
    ranked.eliminate_zeros()
    return evaluation.top_words(ranked, n)


def probable_words(model: Any, n: int) -> list[Ints]:
    """Return the most probable words of each topic; only salient ones with switches.

    These are the paper's. Words of probability zero are left out; a background has no
    top words.
    """
    if model.has_switches:
        used = model.salient_word_prob_.copy()
        used.eliminate_zeros()
        return evaluation.top_words(used, n)
    return evaluation.top_words(model.components_[: model.n_topics_], n)


def coherence(
    model: Any,
    top: Sequence[Ints],
    counts: sparse.csr_array,
    coh_words: int | None = None,
) -> Row:
    """Return NPMI, diversity and coh of topics, from their top words.

    Coh is a sum over pairs of words, so models are compared with the same number of
    words of every topic, ``coh_words``; without it, coh is left out. For our model,
    coh_own uses the paper's number for each topic, with mean coh_own_words. Topics
    without words are skipped.
    """
    if not any(len(words) for words in top):
        return {}

    def value(sizes: Ints, measure: str) -> float:
        first = [words[:n].tolist() for words, n in zip(top, sizes, strict=True)]
        filled = [words for words in first if words]
        return evaluation.coherence(filled, counts, measure).value

    row = {
        "npmi": value(np.full(len(top), NPMI_WORDS), "npmi"),
        "diversity": evaluation.topic_diversity(
            [words[:DIVERSITY_WORDS].tolist() for words in top]
        ),
    }
    if coh_words:
        coh = value(np.full(len(top), coh_words), "coh")
        row |= {"coh": coh, "coh_words": coh_words}
    if model.has_switches:
        sizes = evaluation.n_top_words(model.n_salient_words_)
        row |= {"coh_own": value(sizes, "coh"), "coh_own_words": sizes.mean()}
    return row


def label_prediction(
    known_topics: Any,
    known_labels: Sequence[Sequence[str]],
    topics: Any,
    labels: Sequence[Sequence[str]],
) -> Row:
    """Measure how well topics predict labels, learned from other documents."""
    found = evaluation.label_agreement(known_topics, known_labels, topics, labels)
    return {"label_accuracy": found.accuracy, "label_auc": found.curve_area}


def mutual_information(
    topics: Any, labels: Sequence[Sequence[str]], n_topics: int
) -> Row:
    """Return the NMI of main topic and label, over documents with exactly one label.

    The background is never a main topic.
    """
    single = [d for d, own in enumerate(labels) if len(set(own)) == 1]
    if not single:
        return {"nmi": None}
    main = np.asarray(topics[single][:, :n_topics].argmax(axis=1)).ravel()
    return {"nmi": normalized_mutual_info_score([labels[d][0] for d in single], main)}


def sparsity(model: Any, counts: sparse.csr_array, shares: Any) -> Row:
    """Return topics per document, by switches and by words won, and word sparsity."""
    background = range(model.n_topics_, shares.shape[1])
    components, frequency = model.components_, model.word_frequency_
    n_docs, n_won, n_switched = 0, 0, 0
    for rows, part in row_parts(counts):
        here, own = drop_unseen(part, frequency), shares[rows]
        winners = evaluation.assign_words(here, own, components)
        won = evaluation.topics_by_assignment(here, winners, without=background)
        n_won += int(won.by_document.sum())
        if model.has_switches:
            switched = evaluation.topics_by_switches(here, own)
            n_switched += int(switched.by_document.sum())
        n_docs += int(np.count_nonzero(np.diff(here.indptr)))
    row: Row = {"topics_by_assignment": n_won / n_docs}
    if model.has_switches:
        words = evaluation.word_sparsity(model.salient_word_prob_)
        return {"topics_per_document": n_switched / n_docs, **row, **words._asdict()}
    return row


def plain(row: Row) -> Row:
    """Return a row with built-in types, and None for NaN, which JSON does not have.

    Examples
    --------
    >>> plain({"npmi": np.float64(0.5), "nmi": float("nan")})
    {'npmi': 0.5, 'nmi': None}
    """
    built_in = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in row.items()
    }
    return {k: None if value != value else value for k, value in built_in.items()}


def _labels(
    shares: sparse.csr_array, labels: Sequence[Sequence[str]], n_topics: int
) -> Row:
    """Return the agreement with labels, learned from half of the labelled documents."""
    labelled = [d for d, own in enumerate(labels) if own]
    if len(labelled) < 2:
        return {}
    drawn = np.random.RandomState(0).permutation(labelled)[:LABELLED]
    known_half, half = np.array_split(drawn, 2)
    return {
        **label_prediction(
            shares[known_half],
            [labels[d] for d in known_half],
            shares[half],
            [labels[d] for d in half],
        ),
        **mutual_information(shares, labels, n_topics),
    }
