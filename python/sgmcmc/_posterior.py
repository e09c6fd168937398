"""Models bound to data, whatever language they were written in: log densities, gradients, runs."""

from __future__ import annotations

import atexit
import os
import time
import warnings as python_warnings
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Literal, Optional, Union, overload

import numpy as np

from . import _core, _data, _progress, _settings
from ._fit import Fit
from ._mode import Check, Laplace, Mode, Statement, by_variable

Path = Union[str, os.PathLike[str]]


class Posterior:
    """A model bound to data: its log density, and runs on it."""

    @property
    def _posterior(self) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        try:
            parameters = ", ".join(name + (str(list(shape)) if shape else "") for name, shape in self.parameters.items())
            return f"{type(self).__name__}({self.rows} rows; parameters {parameters})"
        except _core.Error as error:
            return f"{type(self).__name__}({error})"

    @property
    def rows(self) -> int:
        """The number of rows from which minibatches are drawn; 0 if the likelihood is not a sum over rows."""
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
        """The log density at unconstrained coordinates, including the log-Jacobians of constraints."""
        return self._posterior.log_density(_point(theta))[0]

    def log_density_gradient(self, theta: Any) -> tuple[float, np.ndarray]:
        return self._posterior.log_density(_point(theta))

    def param_constrain(self, theta: Any) -> np.ndarray:
        """The constrained values, in the order of constrained_names."""
        return self._posterior.constrain(_point(theta))

    def param_unconstrain(self, values: Mapping[str, Any]) -> np.ndarray:
        """The unconstrained coordinates of constrained values of all parameters, by name."""
        numbers = _numbers(values)
        missing = [name for name in self.parameters if name not in numbers]
        if missing:
            raise _core.DataError(f"param_unconstrain needs the values of all parameters; missing: {', '.join(missing)}")
        return self._posterior.unconstrain(numbers)

    @overload
    def sample(self, *, initial: Optional[Mapping[str, Any]] = None, out: Optional[Path] = None, blocking: Literal[True] = True,
               progress: Optional[bool] = None, **settings: Any) -> Fit: ...

    @overload
    def sample(self, *, initial: Optional[Mapping[str, Any]] = None, out: Optional[Path] = None, blocking: Literal[False],
               progress: Optional[bool] = None, **settings: Any) -> Run: ...

    def sample(self, *, initial: Optional[Mapping[str, Any]] = None, out: Optional[Path] = None, blocking: bool = True,
               progress: Optional[bool] = None, **settings: Any) -> Any:
        """Draws from the posterior. Returns a Fit, or with blocking=False a Run, which continues in the background.

        Settings are those of `sgmcmc sample`, with underscores: method, iterations, step_size, ...; those that are not set are chosen to
        suit the model. initial: constrained values by parameter. out: the folder of the run; a folder that holds a run is refused unless
        overwrite=True. Ctrl-C ends the run and returns the draws made so far."""
        return self._run(self._start(initial, out, settings), blocking, progress)

    def _start(self, initial: Optional[Mapping[str, Any]], out: Optional[Path], settings: Mapping[str, Any]) -> Run:
        raise NotImplementedError

    def _run(self, run: Run, blocking: bool, progress: Optional[bool]) -> Any:
        return run._finish(progress, stacklevel=4) if blocking else run

    def optimize(self, *, initial: Optional[Mapping[str, Any]] = None, **settings: Any) -> Mode:
        """Finds the mode of the posterior, by method="lbfgs", or by "adam" or "sgd" with minibatches. Settings are those of `sgmcmc
        optimize`: iterations, gain_tolerance, step_size, batch_size, threads, ... The mode is that of the unconstrained parameters; with
        jacobian=False, that of the parameters as declared, as in cmdstanpy."""
        names, numbers, problem, theta, value, converged, report = _core.optimize(self._posterior, _settings.texts(settings),
                                                                                  _numbers(initial))
        if problem:
            python_warnings.warn(f"not all outputs of the model can be computed at the mode: {problem}", stacklevel=2)
        return Mode(by_variable(names, numbers), value, converged, report, theta)

    def laplace(self, *, initial: Optional[Mapping[str, Any]] = None, **settings: Any) -> Laplace:
        """The normal approximation at the mode. For draws from it: sample(method="laplace")."""
        theta, covariance, log_evidence = _core.laplace(self._posterior, _settings.texts(settings), _numbers(initial))
        return Laplace(theta, covariance, log_evidence, list(self._posterior.unconstrained_names),
                       by_variable(self._posterior.names, self._posterior.constrain(theta)))

    def check(self) -> Check:
        """How the model is understood: its rows and parameters, and which statements are minibatched."""
        bound = self._posterior
        return Check(bound.rows, bound.dimension, {name: (tuple(shape), constraint) for name, shape, constraint, _ in bound.parameters},
                     [Statement(*one) for one in _core.statements(bound)], bound.why_not_minibatched, list(self.warnings))


class Run:
    """A run in the background: run.done, run.progress, run.wait(), run.abort()."""

    def __init__(self, handle: Any, posterior: Any, finish: Optional[Callable[[Fit], None]] = None) -> None:
        self._handle = handle
        self._posterior = posterior
        self._finish_fit = finish
        self._fit: Optional[Fit] = None
        _running.add(self)

    @property
    def done(self) -> bool:
        return bool(self._handle.wait(0.0))

    @property
    def progress(self) -> tuple[str, float]:
        """The phase (tuning, sampling, judging or done), and the completed fraction of the sampling."""
        return self._handle.state  # type: ignore[no-any-return]

    def wait(self, timeout: Optional[float] = None) -> Optional[Fit]:
        """Returns the fit once the run has ended; None if that takes longer than `seconds`. Ctrl-C raises, and the run continues."""
        if self._fit is None:
            end = None if timeout is None else time.monotonic() + timeout
            while not self._handle.wait(0.05):
                if end is not None and time.monotonic() >= end:
                    return None
        return self._result(stacklevel=3)

    def abort(self) -> Fit:
        """Ends the run; the fit has the draws made so far."""
        self._handle.abort()
        self._handle.result()
        return self._result(stacklevel=3)

    def _finish(self, progress: Optional[bool], stacklevel: int) -> Fit:
        line = _progress.line(progress)
        aborted = False
        try:
            while True:
                try:
                    while not self._handle.wait(0.05):
                        if line:
                            line(*self._handle.state)
                    break
                except KeyboardInterrupt:  # the first Ctrl-C ends the run, a second one does not wait for its end
                    if aborted:
                        _abandoned.append(self)
                        raise
                    self._handle.abort()
                    aborted = True
        finally:
            if line:
                line.close()
        return self._result(stacklevel + 1)

    def _result(self, stacklevel: int) -> Fit:
        if self._fit is None:
            run = self._handle.result()
            _running.discard(self)
            self._fit = Fit._of(run, self._posterior, times=self._handle.times)
            for text, remark in run.warnings:
                if not remark:
                    python_warnings.warn(text, stacklevel=stacklevel)
            if self._fit.interrupted:
                python_warnings.warn("the run was interrupted; the fit has the draws made so far", stacklevel=stacklevel)
            if self._finish_fit:
                self._finish_fit(self._fit)
        return self._fit

    def __repr__(self) -> str:
        phase, share = self.progress
        return f"Run({phase}" + (f", {100 * share:.0f} %)" if phase == "sampling" else ")")


_running: weakref.WeakSet[Run] = weakref.WeakSet()
_abandoned: list[Run] = []  # their threads are still running


@atexit.register
def _end_runs() -> None:
    for run in list(_running):
        run._handle.abort()
    for run in list(_running):
        run._handle.wait(60.0)


def _point(theta: Any) -> np.ndarray:
    return np.ascontiguousarray(theta, dtype=np.float64).reshape(-1)


def _numbers(values: Optional[Mapping[str, Any]]) -> dict[str, list[float]]:
    """Values of parameters, as the library takes them."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise _core.DataError(f"values of parameters are a dict by name, as in {{'mu': 0.5, 'beta': [1, 2]}}; found {type(values).__name__}")
    return {name: _flat(name, value) for name, value in values.items()}


def _flat(name: str, value: Any) -> list[float]:
    if not isinstance(name, str):
        raise _core.DataError(f"names of parameters are strings; found {name!r}")
    _data.unmasked(name, value)
    try:
        return np.asarray(value, dtype=np.float64).reshape(-1).tolist()  # type: ignore[no-any-return]
    except (TypeError, ValueError):
        raise _core.DataError(f"the value of parameter '{name}' is not a number or an array of numbers: {value!r}") from None
