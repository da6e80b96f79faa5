"""Measures of topic models of any library: arrays in, numbers out."""

from leantopics.evaluation.agreement import (
    LabelAgreement,
    TopicsAndLabels,
    label_agreement,
    label_distributions,
    label_matrix,
    topics_and_labels,
)
from leantopics.evaluation.coherence import Coherence, coherence
from leantopics.evaluation.distance import hellinger
from leantopics.evaluation.likelihood import (
    Likelihood,
    WordSplit,
    held_out_log_likelihood,
    log_likelihood,
    split_words,
)
from leantopics.evaluation.sparsity import (
    TopicsPerDocument,
    WordSparsity,
    assign_words,
    topics_by_assignment,
    topics_by_switches,
    word_sparsity,
)
from leantopics.evaluation.words import n_top_words, top_words, topic_diversity

__all__ = [
    "Coherence",
    "LabelAgreement",
    "Likelihood",
    "TopicsAndLabels",
    "TopicsPerDocument",
    "WordSparsity",
    "WordSplit",
    "assign_words",
    "coherence",
    "held_out_log_likelihood",
    "hellinger",
    "label_agreement",
    "label_distributions",
    "label_matrix",
    "log_likelihood",
    "n_top_words",
    "split_words",
    "top_words",
    "topic_diversity",
    "topics_and_labels",
    "topics_by_assignment",
    "topics_by_switches",
    "word_sparsity",
]
