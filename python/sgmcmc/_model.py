"""Models in the Stan language."""

from __future__ import annotations

import os
import warnings as python_warnings
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _core, _data, _progress, _settings
from ._fit import Fit


class BoundModel:
    """A model bound to data: its log density, and runs on it."""

    def __init__(self, posterior: Any) -> None:
        self._posterior = posterior

    @property
    def rows(self) -> int:
        """How many rows minibatches are drawn from; 0 where the likelihood is not a sum over rows."""
        return self._posterior.rows if self._posterior.row_axis else 0

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


class StanModel:
    """A model in the Stan language, read and checked: StanModel("model.stan") or StanModel(code="...")."""

    def __init__(self, path: Union[str, os.PathLike[str], None] = None, *, code: Optional[str] = None,
                 include: Sequence[Union[str, os.PathLike[str]]] = ()) -> None:
        if (path is None) == (code is None):
            raise _core.UsageError("a model is either a path or code, as in StanModel('model.stan') or StanModel(code='...')")
        folders = [os.fspath(folder) for folder in include]
        if code is not None:
            self._model = _core.Model.from_text(code, "model.stan", folders)
        else:
            self._model = _core.Model.from_file(os.fspath(path), folders)

    @property
    def data_names(self) -> list[str]:
        return self._model.data_names

    @property
    def warnings(self) -> list[str]:
        return self._model.warnings

    def bind(self, data: Any = None, *, files: Sequence[Union[str, os.PathLike[str]]] = (), rows: str = "",
             precision: str = "double") -> BoundModel:
        """data: a dict of numbers and arrays by name, or a data frame; sizes may be left out where arrays tell them. files: as
        `sgmcmc sample --data` takes them. rows: the size that counts the rows of minibatches; found where it is not given."""
        reals, integers, sparse = _data.split(_data.as_mapping(data))
        return BoundModel(_core.bind(self._model, reals, integers, sparse, [os.fspath(file) for file in files], rows, precision))

    def sample(self, data: Any = None, *, files: Sequence[Union[str, os.PathLike[str]]] = (), rows: str = "",
               precision: str = "double", initial: Optional[Mapping[str, Any]] = None, progress: Optional[bool] = None,
               **settings: Any) -> Fit:
        """bind() and BoundModel.sample() in one."""
        bound = self.bind(data, files=files, rows=rows, precision=precision)
        return bound.sample(initial=initial, progress=progress, **settings)


def _point(theta: Any) -> np.ndarray:
    return np.ascontiguousarray(theta, dtype=np.float64).reshape(-1)


def _numbers(values: Mapping[str, Any]) -> dict[str, list[float]]:
    return {name: np.asarray(value, dtype=np.float64).reshape(-1).tolist() for name, value in values.items()}
