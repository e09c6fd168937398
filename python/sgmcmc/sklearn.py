"""Bayesian regressions as scikit-learn estimators, on dense and sparse data. Needs scikit-learn.

Predictions are posterior predictive means. coef_ and coef_sd_ are posterior means and standard deviations; fit_ has the draws and the
verdict on them."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core, _data, _functions
from ._fit import Fit
from ._model import Model

__all__ = ["BayesianLinearRegression", "BayesianLogisticRegression", "BayesianPoissonRegression", "BayesianSoftmaxRegression"]

_PRIORS = {"normal": lambda x, scale: _functions.normal_lpdf(x, 0, scale), "laplace": lambda x, scale: _functions.laplace_lpdf(x, 0, scale),
           "student_t": lambda x, scale: _functions.student_t_lpdf(x, 4, 0, scale), "cauchy": lambda x, scale: _functions.cauchy_lpdf(x, 0, scale)}
_MOST_DRAWS = 1000  # maximum number of draws that predictions average over


def _scaled(centre: float, unit: float) -> dict[str, Any]:
    """Arguments of a parameter of this location and scale, for which samplers then need not search."""
    return {} if (centre, unit) == (0.0, 1.0) else {"offset": centre, "multiplier": unit}


class _Regression(BaseEstimator):  # type: ignore[misc]
    """prior: normal, laplace, student_t (4 degrees of freedom) or cauchy, with this scale, on each coefficient. The other settings are those
    of sample(); None: chosen to suit the data."""

    def __init__(self, *, prior: str = "normal", scale: float = 1.0, fit_intercept: bool = True, intercept_scale: float = 10.0,
                 method: str = "auto", iterations: Optional[int] = None, chains: int = 4, step_size: Any = None, batch_size: Any = None,
                 threads: Optional[int] = None, random_state: Any = 1) -> None:
        self.prior = prior
        self.scale = scale
        self.fit_intercept = fit_intercept
        self.intercept_scale = intercept_scale
        self.method = method
        self.iterations = iterations
        self.chains = chains
        self.step_size = step_size
        self.batch_size = batch_size
        self.threads = threads
        self.random_state = random_state

    # What the regressions differ in
    def _targets(self, y: np.ndarray) -> np.ndarray:
        return np.asarray(y, dtype=np.float64)

    def _units(self) -> tuple[float, float]:
        """The centre of the prior of the intercept, and the unit of its scale and that of the coefficients."""
        return 0.0, 1.0

    def _basis(self) -> Optional[np.ndarray]:
        """If a row has several linear predictors: these are this matrix times the parameters."""
        return None

    def _likelihood(self, model: Model, location: Any) -> Any:
        raise NotImplementedError

    # What they share
    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any) -> Any:
        """Samples the posterior of the coefficients."""
        X, y = validate_data(self, _data.unmasked("X", X), _data.unmasked("y", y), accept_sparse="csr", dtype=(np.float64, np.float32), y_numeric=isinstance(self, RegressorMixin))
        if self.prior not in _PRIORS:
            raise _core.OptionError(f"prior: '{self.prior}' is not one of {', '.join(_PRIORS)}")
        targets = self._targets(y)
        basis = self._basis()
        free = () if basis is None else (basis.shape[1],)
        model = Model(x=X, y=targets)
        centre, unit = self._units()
        coef = model.parameter("coef", (*free, X.shape[1]), **_scaled(0.0, unit))
        model.prior(_PRIORS[self.prior](coef if basis is None else basis @ coef, self.scale * unit))
        location = coef @ model.row.x
        if self.fit_intercept:
            intercept = model.parameter("intercept", free, **_scaled(centre, unit))
            model.prior(_functions.normal_lpdf(intercept, centre, self.intercept_scale * unit))
            location = location + intercept
        model.likelihood(self._likelihood(model, location if basis is None else basis @ location))
        random = self.random_state
        seed = int(random) if isinstance(random, (int, np.integer)) else int(check_random_state(random).randint(1, 2**31 - 1))
        settings = {name: getattr(self, name) for name in ("method", "iterations", "chains", "step_size", "batch_size", "threads")}
        self.fit_: Fit = model.sample(seed=seed, progress=False, **settings)
        self._take(self.fit_)
        return self

    def _take(self, fit: Fit) -> None:
        basis = self._basis()
        coefs = fit.stan_variable("coef")
        shape = (len(coefs),) if basis is None else (len(coefs), basis.shape[1])
        intercepts = fit.stan_variable("intercept") if self.fit_intercept else np.zeros(shape)
        if basis is not None:
            coefs, intercepts = basis @ coefs, intercepts @ basis.T
        weights = None if fit.weights is None else fit.weights.reshape(-1)
        self.coef_ = np.average(coefs, axis=0, weights=weights)
        self.coef_sd_ = np.sqrt(np.average((coefs - self.coef_) ** 2, axis=0, weights=weights))
        self.intercept_ = np.average(intercepts, axis=0, weights=weights)
        count = min(len(coefs), _MOST_DRAWS)
        picks = np.linspace(0, len(coefs) - 1, count).astype(int)
        if weights is not None:
            picks = np.searchsorted(np.cumsum(weights) / weights.sum(), (np.arange(count) + 0.5) / count)
        self._coefs, self._intercepts = coefs[picks], intercepts[picks]

    def _average(self, X: Any, link: Any) -> np.ndarray:
        """The mean over draws of link(location), in blocks of rows."""
        check_is_fitted(self)
        X = validate_data(self, _data.unmasked("X", X), accept_sparse="csr", dtype=(np.float64, np.float32), reset=False)
        flat = self._coefs.reshape(-1, self._coefs.shape[-1]).T
        block = max(1, 2_000_000 // max(1, flat.shape[1]))
        parts = []
        for begin in range(0, X.shape[0], block):
            location = np.asarray(X[begin:begin + block] @ flat).reshape(-1, *self._intercepts.shape) + self._intercepts
            parts.append(link(location).mean(axis=1))
        return np.concatenate(parts)


class BayesianLinearRegression(RegressorMixin, _Regression):
    """y ~ normal(intercept + X coef, noise). Priors are relative to y: scale and intercept_scale are in units of its standard deviation,
    the prior of the intercept is centred at its mean, and noise is half-normal with its standard deviation as scale. Features are not
    scaled: where theirs differ widely, scale them, as StandardScaler does."""

    def _targets(self, y: np.ndarray) -> np.ndarray:
        targets = np.asarray(y, dtype=np.float64)
        self._mean, spread = float(np.mean(targets)), float(np.std(targets))
        self._spread = spread if spread > 1e-12 * abs(self._mean) else 1.0  # all equal, up to rounding
        return targets

    def _units(self) -> tuple[float, float]:
        return self._mean, self._spread

    def _likelihood(self, model: Model, location: Any) -> Any:
        noise = model.parameter("noise", lower=0)
        model.prior(_functions.half_normal_lpdf(noise, self._spread))
        return _functions.normal_lpdf(model.row.y, location, noise)

    def predict(self, X: Any) -> np.ndarray:
        return self._average(X, lambda location: location)


class BayesianPoissonRegression(RegressorMixin, _Regression):
    """y ~ poisson(exp(intercept + X coef))."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _targets(self, y: np.ndarray) -> np.ndarray:
        if np.any(y < 0):
            raise _core.DataError("y must not be negative: its elements are counts")
        return np.asarray(y, dtype=np.float64)

    def _likelihood(self, model: Model, location: Any) -> Any:
        return model.row.y * location - np.exp(location)  # without what depends on y alone

    def predict(self, X: Any) -> np.ndarray:
        return self._average(X, np.exp)


class _Classification(ClassifierMixin, _Regression):  # type: ignore[misc]
    def _targets(self, y: np.ndarray) -> np.ndarray:
        check_classification_targets(y)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise _core.DataError(f"y has one class, {self.classes_.tolist()[0]!r}; two are needed")
        return numbers.astype(np.int32)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Any) -> np.ndarray:
        raise NotImplementedError


class BayesianLogisticRegression(_Classification):
    """Two classes: y ~ bernoulli(logistic(intercept + X coef))."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _targets(self, y: np.ndarray) -> np.ndarray:
        numbers = super()._targets(y)
        if len(self.classes_) > 2:
            raise _core.DataError(f"Only binary classification is supported. y has {len(self.classes_)} classes: use BayesianSoftmaxRegression")
        return numbers

    def _likelihood(self, model: Model, location: Any) -> Any:
        return _functions.bernoulli_logit_lpmf(model.row.y, location)

    def _take(self, fit: Fit) -> None:
        super()._take(fit)
        # The shapes of scikit-learn's LogisticRegression: a row for the second class.
        self.coef_, self.coef_sd_, self.intercept_ = self.coef_[None, :], self.coef_sd_[None, :], np.reshape(self.intercept_, 1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Posterior predictive probabilities, one column per class in classes_."""
        second = self._average(X, lambda location: 1 / (1 + np.exp(-np.clip(location, -700, 700))))
        return np.column_stack([1 - second, second])


class BayesianSoftmaxRegression(_Classification):
    """Any number of classes: y ~ categorical(softmax(intercept + X coef)). The coefficients of a feature add up to 0 over the classes."""

    def _basis(self) -> np.ndarray:
        """Orthonormal columns that sum to 0, so that a prior treats all classes equally."""
        classes = len(self.classes_)
        return np.linalg.svd(np.eye(classes) - 1 / classes)[0][:, :classes - 1]

    def _likelihood(self, model: Model, location: Any) -> Any:
        return _functions.categorical_logit_lpmf(model.row.y, location)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Posterior predictive probabilities, one column per class in classes_."""

        def softmax(location: np.ndarray) -> np.ndarray:
            powers = np.exp(location - location.max(axis=-1, keepdims=True))
            return powers / powers.sum(axis=-1, keepdims=True)

        return self._average(X, softmax)
