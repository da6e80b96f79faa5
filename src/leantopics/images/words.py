"""Turn image files into counts of visual words, like a scikit-learn vectorizer."""

import hashlib
import os
from collections.abc import Iterable
from numbers import Integral
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted

from leantopics.images.codebook import learn, nearest
from leantopics.images.descriptors import N_PATCHES, PATCH, SIZE, cut, dense_sift
from leantopics.images.pictures import Bytes
from leantopics.images.stream import Path, over_pictures
from leantopics.storage import load_folder, not_understood, save_folder

# A string, because older SciPy cannot subscript its arrays when this line runs.
Counts: TypeAlias = "sparse.csr_array[np.int64]"
KIND = "codebook"
"""The kind of a saved `VisualWords` in its manifest."""


class VisualWords(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn image files into counts of visual words, as the paper does for LabelMe.

    The largest square in the middle of a picture is scaled to 256 by 256 pixels and
    covered with patches of 16 by 16 pixels, one every 5 pixels: 49 by 49, so that every
    picture has 2401 words. Each patch is described by SIFT, 128 numbers. `fit` learns
    codewords from a sample of the patches by k-means, merges those that are close and
    prunes those that are rare; a patch then counts for the codeword nearest to it.

    Files are read one after the other, in several threads: apart from the counts,
    memory does not grow with their number. A file that cannot be read, or that is odd
    (16 bits, transparent, CMYK, several frames), gets one line in the logger
    ``leantopics``, with a summary at the end; it stops nothing.

    Parameters
    ----------
    n_words : int
        Clusters of k-means, before merging and pruning.
    merge_distance : float
        While two centres are closer than this, the closest two are merged. Most
        descriptors are vectors of length 512.
    min_share : float
        Clusters with fewer members than this share of the average are pruned.
    n_sampled : int
        Largest number of patches to learn from: the same number from each picture, at
        least one.
    random_state : int, RandomState or None
        Seed of the sample and of k-means.
    n_jobs : int or None
        Number of threads; -1 means all processors. The result does not depend on it.
    verbose : int
        Whether to show progress.

    Attributes
    ----------
    codewords_ : array of uint8, shape (n_codewords, 128)
        The centres, rounded; the one with the most members first.
    members_ : array of int, shape (n_codewords,)
        Number of sampled patches nearest to each codeword.
    patches_ : array of uint8, shape (n_codewords, 16, 16)
        The sampled patch nearest to each codeword, for display.
    vocabulary_ : list of str
        Names of the codewords, the columns of the counts.
    fingerprint_ : str
        Identifies the codebook: 16 digits of the SHA-256 of the codewords.

    Examples
    --------
    >>> from sklearn.datasets import images
    >>> folder = os.path.dirname(images.__file__)
    >>> files = [os.path.join(folder, name) for name in ("china.jpg", "flower.jpg")]
    >>> words = VisualWords(20, n_sampled=1000, random_state=0)
    >>> counts = words.fit_transform(files)
    >>> counts.sum(axis=1)
    array([2401, 2401])
    >>> words.patches_.shape[1:]
    (16, 16)
    """

    def __init__(
        self,
        n_words: int = 240,
        *,
        merge_distance: float = 200.0,
        min_share: float = 0.25,
        n_sampled: int = 100_000,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_words = n_words
        self.merge_distance = merge_distance
        self.min_share = min_share
        self.n_sampled = n_sampled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Iterable[Path], y: object = None) -> Self:
        """Learn codewords from image files.

        Parameters
        ----------
        X : iterable of path
            The files.
        y : None
            Ignored.
        """
        return self._fit(_listed(X), quiet=False)

    def fit_transform(self, X: Iterable[Path], y: object = None) -> Counts:
        """Learn codewords from image files and return their counts.

        Every file is read twice, but a problem with it is logged once.

        Parameters
        ----------
        X : iterable of path
            The files.
        y : None
            Ignored.

        Returns
        -------
        csr_array of int, shape (n_files, n_codewords)
        """
        files = _listed(X)
        return self._fit(files, quiet=True).transform(files)

    def transform(self, X: Iterable[Path]) -> Counts:
        """Return the counts of image files: 2401 in a row, or none if unreadable.

        Parameters
        ----------
        X : iterable of path
            The files.

        Returns
        -------
        csr_array of int, shape (n_files, n_codewords)
        """
        check_is_fitted(self)
        files = _listed(X)
        n_words = len(self.codewords_)

        def count(i: int, grey: Bytes) -> Counts:
            words = nearest(dense_sift(grey), self.codewords_)
            assert len(words) == N_PATCHES
            return sparse.csr_array([np.bincount(words, minlength=n_words)])

        nothing = sparse.csr_array((1, n_words), dtype=np.int64)
        found = self._over(files, count, "counting visual words", quiet=False)
        rows = [nothing if row is None else row for row in found]
        return sparse.csr_array(sparse.vstack(rows, format="csr"))

    def get_feature_names_out(
        self, input_features: object = None
    ) -> npt.NDArray[np.object_]:
        """Return the names of the codewords, in the order of the columns."""
        check_is_fitted(self)
        return np.asarray(self.vocabulary_, dtype=object)

    @property
    def vocabulary_(self) -> list[str]:
        """Names of the codewords, the columns of the counts."""
        check_is_fitted(self, "codewords_")
        last = len(self.codewords_) - 1
        return [f"w{n:0{len(str(last))}}" for n in range(last + 1)]

    @property
    def fingerprint_(self) -> str:
        """Identifies the codebook: 16 digits of the SHA-256 of the codewords."""
        check_is_fitted(self, "codewords_")
        return hashlib.sha256(self.codewords_.tobytes()).hexdigest()[:16]

    def save(self, path: Path) -> None:
        """Save the codebook to a folder, or to one zip file if it ends in ``.zip``.

        A codebook that was saved there is replaced.
        """
        check_is_fitted(self)
        seed = self.random_state
        settings = {
            "n_words": int(self.n_words),
            "merge_distance": float(self.merge_distance),
            "min_share": float(self.min_share),
            "n_sampled": int(self.n_sampled),
            "random_state": int(seed) if isinstance(seed, Integral) else None,
        }
        arrays: dict[str, npt.NDArray[Any]] = {
            "codewords": self.codewords_,
            "members": self.members_.astype(np.int64),
            "patches": self.patches_,
        }
        content = {"settings": settings}
        save_folder(path, kind=KIND, content=content, arrays=arrays, strings={})

    @classmethod
    def load(cls, path: Path) -> Self:
        """Load a codebook that `save` wrote."""
        content, arrays, _ = load_folder(path, kind=KIND)
        try:
            words = cls(**content["settings"])
            words._check_parameters()
            n_words = len(arrays["codewords"])
            shapes = {
                "codewords": (n_words, SIZE),
                "members": (n_words,),
                "patches": (n_words, PATCH, PATCH),
            }
            for name, shape in shapes.items():
                found = arrays[name]
                dtype = np.int64 if name == "members" else np.uint8
                if found.shape != shape or not n_words or found.dtype != dtype:
                    raise ValueError(f"the array {name!r}")
                setattr(words, f"{name}_", found)
        except (KeyError, TypeError, ValueError) as error:
            raise not_understood(path, KIND, error) from error
        return words

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _fit(self, files: list[Path], *, quiet: bool) -> Self:
        self._check_parameters()
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        if len(files) > self.n_sampled:
            draw = np.random.default_rng(seed)
            chosen = draw.choice(len(files), self.n_sampled, replace=False)
            files = [files[i] for i in np.sort(chosen)]
        quota = min(N_PATCHES, self.n_sampled // len(files))

        def sample(i: int, grey: Bytes) -> tuple[Bytes, Bytes]:
            draw = np.random.default_rng([seed, i])
            places = np.sort(draw.choice(N_PATCHES, quota, replace=False))
            return dense_sift(grey, places), cut(grey, places)

        found = self._over(files, sample, "sampling patches", quiet=quiet)
        read = [result for result in found if result is not None]
        descriptors, patches = map(np.concatenate, zip(*read, strict=True))
        codebook = learn(
            descriptors, self.n_words, self.merge_distance, self.min_share, seed
        )
        self.codewords_, self.members_ = codebook.codewords, codebook.members
        self.patches_ = patches[codebook.examples]
        return self

    def _over(self, files: list[Path], work: Any, what: str, *, quiet: bool) -> Any:
        return over_pictures(
            files, work, what, n_jobs=self.n_jobs, verbose=self.verbose, quiet=quiet
        )

    def _check_parameters(self) -> None:
        for name in ("n_words", "n_sampled"):
            check_scalar(getattr(self, name), name, Integral, min_val=1)
        for name in ("merge_distance", "min_share"):
            check_scalar(getattr(self, name), name, (int, float), min_val=0)


def _listed(files: Iterable[Path]) -> list[Path]:
    if isinstance(files, str | os.PathLike):
        raise TypeError(f"Image files must be an iterable of paths, got {files!r}.")
    listed = list(files)
    for file in listed:
        if not isinstance(file, str | os.PathLike):
            raise TypeError(f"Image files must be given as paths, got {file!r}.")
    if not listed:
        raise ValueError("There must be at least one image file, got none.")
    return listed
