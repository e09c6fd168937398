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
    """A method with its settings, bound to a model; init() starts chains. Settings that were not given, such as the step size, have been
    tuned by short runs."""

    def __init__(self, model: Posterior, settings: list[tuple[str, str]], initial: dict[str, list[float]]) -> None:
        self.model = model
        self._settings = settings
        self._initial = initial
        self._options = _core.chain_options(model._posterior, settings, initial)

    def init(self, seed: int = 1, chain: int = 0) -> Chain:
        """Returns a chain before its first step. Chains with the same seed and different numbers are independent."""
        for name, number, bits in (("seed", seed, 64), ("chain", chain, 32)):
            if not isinstance(number, (int, np.integer)) or not 0 <= number < 2**bits:
                raise _core.OptionError(f"{name}={number!r} is not a non-negative whole number below 2^{bits}")
        return Chain(self, seed, chain)

    def __reduce__(self) -> Any:
        return Kernel, (self.model, self._settings, self._initial)


class Chain:
    """One chain: call step(), then read position, values, ... A pickled chain continues with bit-identical draws."""

    def __init__(self, kernel: Kernel, seed: int = 1, chain: int = 0) -> None:
        self.kernel = kernel
        self.seed = seed
        self.chain = chain
        self._chain = _core.Chain(kernel.model._posterior, kernel._options, seed, chain)

    def step(self, count: int = 1) -> Chain:
        """Runs this many iterations; other Python threads continue meanwhile. Ctrl-C raises between two iterations."""
        while count > 0:
            count -= self._chain.step(count)
        return self

    def draws(self, count: int, thin: int = 1) -> np.ndarray:
        """Runs count * thin iterations and returns the values after every thin-th one, one row each."""
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
        """The gradient of the log density at the current position, from all rows."""
        return self.kernel.model.log_density_gradient(self.position)[1]

    @property
    def log_density(self) -> float:
        """The log density at the current position, from all rows."""
        return self.kernel.model.log_density(self.position)

    @property
    def step_size(self) -> float:
        """The size of the last step."""
        return float(self._chain.step_size)

    @property
    def weight(self) -> float:
        """The weight of the current position as a draw."""
        return float(self._chain.weight)

    def save(self) -> bytes:
        """Returns the complete state of the chain as bytes."""
        return bytes(self._chain.save())

    def restore(self, state: bytes) -> Chain:
        """Continues from a saved state. Model, settings, seed and chain number must be those of the chain that was saved."""
        self._chain.restore(state)
        return self

    def __reduce__(self) -> Any:
        return _restored, (self.kernel, self.seed, self.chain, self.save())

    def __repr__(self) -> str:
        return f"Chain(iteration {self.iteration}, {len(self.position)} coordinates)"


def _restored(kernel: Kernel, seed: int, chain: int, state: bytes) -> Chain:
    return Chain(kernel, seed, chain).restore(state)


def chain(model: Posterior, method: str = "auto", *, initial: Optional[Mapping[str, Any]] = None, **settings: Any) -> Kernel:
    """A method for chains that the caller steps: chain(model, "sghmc-cv", step_size=1e-3).init(seed=1, chain=0).step(100). Settings are
    those of sample(); step_size="auto" is tuned by short runs."""
    if not isinstance(model, Posterior):
        raise _core.UsageError("chains need a model with its data: StanModel(...).bind(data), or sg.Model")
    if isinstance(settings.get("step_size"), str) and settings["step_size"] == "auto":
        del settings["step_size"]
    return Kernel(model, _settings.texts({"method": method, **settings}), _numbers(initial))


@functools.lru_cache(maxsize=None)
def sampler(name: str) -> Optional[Callable[..., Kernel]]:
    """sgld, sghmc, ...: chain() with that method, and the estimator as a separate argument. None if there is no such sampler."""
    method = name.replace("_", "-")
    if method not in _core.samplers():
        return None

    def function(model: Posterior, *, estimator: str = "", **settings: Any) -> Kernel:
        return chain(model, f"{method}-{estimator}" if estimator else method, **settings)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Chains of {method}; estimator: minibatch, cv, saga, svrg or full. Settings are those of sample()."
    return function
