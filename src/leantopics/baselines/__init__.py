"""Models to compare with: latent Dirichlet allocation and sparse topical coding."""

from leantopics.baselines.lda import LDA
from leantopics.baselines.stc import SparseTopicalCoding

__all__ = ["LDA", "SparseTopicalCoding"]
