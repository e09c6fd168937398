"""Models with their data, in whatever language they were written: log densities, gradients, runs."""

from __future__ import annotations

import warnings as python_warnings
from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

from . import _core, _progress, _settings
from ._fit import Fit


class Posterior:
    """A model with its data: its log density, and runs on it."""

    @property
    def _posterior(self) -> Any:
        raise NotImplementedError

    @property
    def rows(self) -> int:
        """How many rows minibatches are drawn from; 0 where the likelihood is not a sum over rows."""
        return self._posterior.rows

    @property
    def dimension(self) -> int:
        return self._posterior.dimension

    @property
    def parameters(self) -> dict[str, tuple[int, ...]]:
        return {name: tuple(shape) for name, shape, _, _ in self._posterior.parameters}

    @property
    def constrained_names(self) -> list[str]:
        return self._posterior.names

    @property
    def unconstrained_names(self) -> list[str]:
        return self._posterior.unconstrained_names

    @property
    def warnings(self) -> list[str]:
        return self._posterior.warnings

    def log_density(self, theta: Any) -> float:
        """At unconstrained coordinates, with the log-Jacobians of constraints."""
        return self._posterior.log_density(_point(theta))[0]

    def log_density_gradient(self, theta: Any) -> tuple[float, np.ndarray]:
        return self._posterior.log_density(_point(theta))

    def param_constrain(self, theta: Any) -> np.ndarray:
        """In the order of constrained_names."""
        return self._posterior.constrain(_point(theta))

    def param_unconstrain(self, values: Mapping[str, Any]) -> np.ndarray:
        return self._posterior.unconstrain(_numbers(values))

    def sample(self, *, initial: Optional[Mapping[str, Any]] = None, progress: Optional[bool] = None, **settings: Any) -> Fit:
        """Draws from the posterior. Settings are those of `sgmcmc sample`, with underscores: method, iterations, step_size, ...;
        what is not set is chosen to suit the model. Ctrl-C ends the run with the draws there are."""
        line = _progress.line(progress)
        try:
            run = _core.sample(self._posterior, _settings.texts(settings), _numbers(initial or {}), line)
        finally:
            if line:
                line.close()
        fit = Fit._of(run)
        for text in fit.warnings:
            python_warnings.warn(text, stacklevel=2)
        if fit.interrupted:
            python_warnings.warn("the run was interrupted; the fit has the draws made so far", stacklevel=2)
        return fit


def _point(theta: Any) -> np.ndarray:
    return np.ascontiguousarray(theta, dtype=np.float64).reshape(-1)


def _numbers(values: Mapping[str, Any]) -> dict[str, list[float]]:
    return {name: np.asarray(value, dtype=np.float64).reshape(-1).tolist() for name, value in values.items()}
