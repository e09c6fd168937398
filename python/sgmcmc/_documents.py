"""Topics and mixtures of documents, with scikit-learn's interface: fit, transform, predict. scikit-learn is not needed."""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from . import _core, _data, _settings
from ._posterior import Path


class _Estimator:
    """Parameters are the arguments of __init__, as scikit-learn requires."""

    @classmethod
    def _names(cls) -> list[str]:
        return list(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **values: Any) -> Any:
        for name, value in values.items():
            if name not in self._names():
                raise _core.OptionError(f"{type(self).__name__} has no parameter '{name}'; it has: {', '.join(self._names())}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value is not defaults[name].default]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _need(self, attribute: str) -> Any:
        if not hasattr(self, attribute):
            raise _core.UsageError(f"this {type(self).__name__} is not fitted yet; call fit first")
        return getattr(self, attribute)


def _counts(X: Any, words: Optional[int] = None) -> tuple[Any, np.ndarray, tuple[int, int]]:
    """The documents that have words, in compressed rows; which documents these are; and the shape of the whole matrix."""
    if not hasattr(X, "tocsr"):
        array = _data.as_numbers("X", X)
        if array.ndim != 2:
            raise _core.DataError(f"documents are the rows of a matrix of counts; found an array of shape {list(array.shape)}")
        rows, columns = np.nonzero(array)
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(array)))])
        kept = np.flatnonzero(np.diff(starts))
        matrix = _core.SparseMatrix("X", array.shape[1], np.concatenate([[0], starts[1:][kept]]).astype(np.int64),
                                    columns.astype(np.int32), array[rows, columns].astype(np.float64))
        shape = array.shape
    else:
        rows = X.tocsr()
        kept = np.flatnonzero(np.diff(rows.indptr))
        matrix = _data.compressed_rows("X", rows[kept] if len(kept) < rows.shape[0] else rows)
        shape = rows.shape
    if words is not None and shape[1] != words:
        raise _core.DataError(f"the documents have {shape[1]} words; the model was fitted to {words}")
    return matrix, kept, (int(shape[0]), int(shape[1]))


def _folder(X: Any, shape: tuple[int, int], out: Optional[Path], resume: bool) -> Any:
    """The folder of a run, for the library."""
    if out is None:
        if resume:
            raise _core.UsageError("resume: name the folder of the run with out=...")
        return _core.FolderOfDocuments("", "", False)
    rows = X.tocsr() if hasattr(X, "tocsr") else None
    parts = [rows.indptr, rows.indices, rows.data] if rows is not None else [np.asarray(X)]
    digest = hashlib.sha256(repr(shape).encode())
    for part in parts:
        digest.update(np.ascontiguousarray(part, dtype=np.float64).tobytes())
    return _core.FolderOfDocuments(os.fspath(out), digest.hexdigest()[:16], resume)


class LDA(_Estimator):
    """Latent Dirichlet allocation with minibatches of documents: fit(X) with a matrix of counts, documents by words.

    components_: probabilities of words in each topic; shares_: shares of the topics among the tokens; perplexity_: perplexity of held-out
    words. Settings have the names and defaults of `sgmcmc lda`; None means that default."""

    def __init__(self, n_components: int = 50, *, method: str = "scir", alpha: float = 0.1, beta: float = 0.1, iterations: Optional[int] = None,
                 batch_size: Optional[int] = None, step_size: Optional[float] = None, holdout: Optional[float] = None,
                 random_state: int = 1, threads: Optional[int] = None) -> None:
        self.n_components = n_components
        self.method = method
        self.alpha = alpha
        self.beta = beta
        self.iterations = iterations
        self.batch_size = batch_size
        self.step_size = step_size
        self.holdout = holdout
        self.random_state = random_state
        self.threads = threads

    def fit(self, X: Any, y: Any = None, *, vocabulary: Optional[Sequence[str]] = None, out: Optional[Path] = None, overwrite: bool = False,
            resume: bool = False) -> LDA:
        """Samples topics. Ctrl-C ends the run and keeps the topics found so far. out: folder to write, as `sgmcmc lda --out` does; with
        resume=True, continues the interrupted run there."""
        counts, _, shape = _counts(X)
        if vocabulary is not None and len(vocabulary) != shape[1]:
            raise _core.DataError(f"the vocabulary has {len(vocabulary)} words; the matrix has {shape[1]} columns")
        given = {name: value for name, value in self.get_params().items() if name not in ("n_components", "random_state")}
        settings = {"topics": self.n_components, "seed": self.random_state, **given, **({"overwrite": True} if overwrite else {})}
        found = _core.fit_topics(counts, [] if vocabulary is None else [str(word) for word in vocabulary], _settings.texts(settings),
                                 _folder(X, shape, out, resume))
        self.components_ = found["components"]
        self.shares_ = found["shares"]
        self.perplexity_ = found["perplexity"]
        self.trace_ = found["trace"]
        self.n_iter_ = found["iterations"]
        self.interrupted_ = found["interrupted"]
        self.n_features_in_ = shape[1]
        self.vocabulary_ = None if vocabulary is None else [str(word) for word in vocabulary]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The topic proportions of each document; equal ones for a document without words."""
        components = self._need("components_")
        counts, kept, shape = _counts(X, self.n_features_in_)
        shares = np.full((shape[0], len(components)), 1 / len(components))
        if len(kept):
            shares[kept] = _core.shares_of_topics(components.astype(np.float32), self.alpha, self.beta, counts, self.random_state,
                                                  int(self.threads or 0))
        return shares

    def fit_transform(self, X: Any, y: Any = None, *, vocabulary: Optional[Sequence[str]] = None) -> np.ndarray:
        return self.fit(X, vocabulary=vocabulary).transform(X)

    def perplexity(self, X: Any) -> float:
        """The perplexity of a random half of the words of each document, given the other half."""
        components = self._need("components_")
        counts, _, _ = _counts(X, self.n_features_in_)
        return float(_core.perplexity(components.astype(np.float32), self.alpha, self.beta, counts, self.random_state, int(self.threads or 0)))

    def top_words(self, count: int = 10) -> list[list[Any]]:
        """The most probable words of each topic, in decreasing order: their names, or their columns if fit was given no vocabulary."""
        order = np.argsort(-self._need("components_"), axis=1, kind="stable")[:, :count]
        return [[self.vocabulary_[word] if self.vocabulary_ else int(word) for word in topic] for topic in order]


class DirichletProcessMixture(_Estimator):
    """A Dirichlet process mixture of categorical distributions, from minibatches: fit(X) with a matrix of counts, documents by words.

    weights_ and components_: weights and word probabilities of the clusters that have documents, the largest first; n_clusters_: their
    number, averaged over draws; with few iterations it is too large. log_predictive_: mean log probability of held-out documents. Settings have the names and defaults of
    `sgmcmc dpmix`; None means that default."""

    def __init__(self, *, method: str = "scir", beta: float = 0.5, concentration: Optional[float] = None, iterations: Optional[int] = None,
                 batch_size: Optional[int] = None, holdout: Optional[float] = None, random_state: int = 1,
                 threads: Optional[int] = None) -> None:
        self.method = method
        self.beta = beta
        self.concentration = concentration
        self.iterations = iterations
        self.batch_size = batch_size
        self.holdout = holdout
        self.random_state = random_state
        self.threads = threads

    def fit(self, X: Any, y: Any = None, *, out: Optional[Path] = None, overwrite: bool = False, resume: bool = False) -> DirichletProcessMixture:
        """Samples clusters. Ctrl-C ends the run and keeps the clusters found so far. out: folder to write, as `sgmcmc dpmix --out` does;
        with resume=True, continues the interrupted run there."""
        counts, _, shape = _counts(X)
        given = {name: value for name, value in self.get_params().items() if name != "random_state"}
        settings = {"seed": self.random_state, **given, **({"overwrite": True} if overwrite else {})}
        found = _core.fit_mixture(counts, _settings.texts(settings), _folder(X, shape, out, resume))
        self.components_ = found["components"]
        self.weights_ = found["weights"]
        self.n_clusters_ = found["mean_clusters"]
        self.concentration_ = found["concentration"]
        self.log_predictive_ = found["log_predictive"]
        self.n_iter_ = found["iterations"]
        self.interrupted_ = found["interrupted"]
        self.n_features_in_ = shape[1]
        return self

    def _log_joint(self, X: Any) -> np.ndarray:
        components = self._need("components_")
        matrix = X if hasattr(X, "tocsr") else _data.as_numbers("X", X).astype(float)
        if len(matrix.shape) != 2:
            raise _core.DataError(f"documents are the rows of a matrix of counts; found an array of shape {list(matrix.shape)}")
        if matrix.shape[1] != self.n_features_in_:
            raise _core.DataError(f"the documents have {matrix.shape[1]} words; the model was fitted to {self.n_features_in_}")
        tiny = np.finfo(np.float32).tiny
        return np.asarray(matrix @ np.log(np.maximum(components, tiny)).T) + np.log(np.maximum(self.weights_, tiny))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each cluster, given the document."""
        joint = self._log_joint(X)
        joint = np.exp(joint - joint.max(axis=1, keepdims=True))
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable cluster of each document."""
        return np.asarray(self._log_joint(X).argmax(axis=1))

    def score_samples(self, X: Any) -> np.ndarray:
        """The log probability of each document, without the multinomial coefficient."""
        return np.asarray(np.logaddexp.reduce(self._log_joint(X), axis=1))

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        return self.fit(X).predict(X)
