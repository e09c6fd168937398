"""Chains that are stepped by the caller."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Optional

import numpy as np

from . import _core, _settings
from ._mode import by_variable
from ._posterior import Posterior, _numbers


class Kernel:
    """A method with its settings on a model: init() starts chains. What was left open, such as the step size, was found by short runs."""

    def __init__(self, model: Posterior, settings: list[tuple[str, str]], initial: dict[str, list[float]]) -> None:
        self.model = model
        self._settings = settings
        self._initial = initial
        self._options = _core.chain_options(model._posterior, settings, initial)

    def init(self, seed: int = 1, chain: int = 0) -> Chain:
        """A chain before its first step. Chains of one seed with different numbers are independent."""
        return Chain(self, seed, chain)

    def __reduce__(self) -> Any:
        return Kernel, (self.model, self._settings, self._initial)


class Chain:
    """One chain: step(), then position, values, ...; a pickled chain goes on bit for bit."""

    def __init__(self, kernel: Kernel, seed: int = 1, chain: int = 0) -> None:
        self.kernel = kernel
        self.seed = seed
        self.chain = chain
        self._chain = _core.Chain(kernel.model._posterior, kernel._options, seed, chain)

    def step(self, count: int = 1) -> Chain:
        """So many iterations; other threads go on meanwhile. Ctrl-C raises between two of them."""
        while count > 0:
            count -= self._chain.step(count)
        return self

    def draws(self, count: int, thin: int = 1) -> np.ndarray:
        """The values after every thin-th of count times thin iterations, one line each."""
        lines = np.empty((count, len(self.names)))
        for k in range(count):
            lines[k] = self.step(thin)._chain.values
        return lines

    @property
    def iteration(self) -> int:
        return int(self._chain.iteration)

    @property
    def position(self) -> np.ndarray:
        """Unconstrained coordinates."""
        return np.asarray(self._chain.position)

    @property
    def names(self) -> list[str]:
        return list(self._chain.names)

    @property
    def values(self) -> dict[str, np.ndarray]:
        """Parameters on the constrained scale, by name."""
        return by_variable(self.names, self._chain.values)

    @property
    def gradient(self) -> np.ndarray:
        """Of the log density at the position, from all rows."""
        return self.kernel.model.log_density_gradient(self.position)[1]

    @property
    def log_density(self) -> float:
        """At the position, from all rows."""
        return self.kernel.model.log_density(self.position)

    @property
    def step_size(self) -> float:
        """Of the last step."""
        return float(self._chain.step_size)

    @property
    def weight(self) -> float:
        """Of the position as a draw."""
        return float(self._chain.weight)

    def save(self) -> bytes:
        """Everything that makes the chain what it is."""
        return bytes(self._chain.save())

    def restore(self, state: bytes) -> Chain:
        """Goes on as the chain that was saved would, if model, settings, seed and number are the same."""
        self._chain.restore(state)
        return self

    def __reduce__(self) -> Any:
        return _restored, (self.kernel, self.seed, self.chain, self.save())

    def __repr__(self) -> str:
        return f"Chain(iteration {self.iteration}, {len(self.position)} coordinates)"


def _restored(kernel: Kernel, seed: int, chain: int, state: bytes) -> Chain:
    return Chain(kernel, seed, chain).restore(state)


def chain(model: Posterior, method: str = "auto", *, initial: Optional[Mapping[str, Any]] = None, **settings: Any) -> Kernel:
    """A method for chains that are stepped one by one: chain(model, "sghmc-cv", step_size=1e-3).init(seed=1, chain=0).step(100). Settings are
    those of sample(); step_size="auto" is found by short runs."""
    if not isinstance(model, Posterior):
        raise _core.UsageError("chains need a model with its data: StanModel(...).bind(data), or sg.Model")
    if isinstance(settings.get("step_size"), str) and settings["step_size"] == "auto":
        del settings["step_size"]
    return Kernel(model, _settings.texts({"method": method, **settings}), _numbers(initial or {}))


@functools.lru_cache(maxsize=None)
def sampler(name: str) -> Optional[Callable[..., Kernel]]:
    """sgld, sghmc, ...: chain() with that method and an estimator of its own argument. None: there is no such sampler."""
    method = name.replace("_", "-")
    if method not in _core.samplers():
        return None

    def function(model: Posterior, *, estimator: str = "", **settings: Any) -> Kernel:
        return chain(model, f"{method}-{estimator}" if estimator else method, **settings)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Chains of {method}; estimator: minibatch, cv, saga, svrg or full. Settings are those of sample()."
    return function
