"""Results about a posterior without draws: its mode, the normal approximation there, and how the model is understood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._fit import _variables


def by_variable(names: Sequence[str], numbers: np.ndarray) -> dict[str, np.ndarray]:
    """Converts the numbers of all elements to arrays by variable."""
    values = {}
    for name, (shape, elements) in _variables(list(names)).items():
        values[name] = np.full(shape, np.nan)
        for index, column in elements:
            values[name][index] = numbers[column]
    return values


@dataclass(frozen=True)
class Mode:
    """The mode of a posterior: mode["beta"], or mode.values for all variables."""

    values: dict[str, np.ndarray]
    log_density: float
    converged: bool
    report: str  #: one sentence on the search
    theta: np.ndarray  #: unconstrained

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.values:
            raise KeyError(f"there is no variable '{name}'; there are: {', '.join(self.values)}")
        return self.values[name]

    def __repr__(self) -> str:
        lines = [f"{name} = {np.array2string(value, precision=6, threshold=20)}" for name, value in self.values.items()]
        return "\n".join([*lines, f"log density {self.log_density:.10g}", self.report])


@dataclass(frozen=True)
class Laplace:
    """The normal approximation at the mode, on the unconstrained scale."""

    theta: np.ndarray
    covariance: np.ndarray
    log_evidence: float  #: of the density the model states, from which constants may have been dropped
    names: list[str]
    mode: dict[str, np.ndarray]  #: on the constrained scale

    @property
    def sd(self) -> np.ndarray:
        return np.sqrt(np.diag(self.covariance))

    def __repr__(self) -> str:
        width = max(map(len, self.names))
        lines = [f"{name:{width}} {at:12.6g} {sd:12.6g}" for name, at, sd in zip(self.names, self.theta, self.sd)]
        return "\n".join([f"{'name':{width}} {'mode':>12} {'sd':>12}", *lines, f"log evidence {self.log_evidence:.10g}"])


@dataclass(frozen=True)
class Statement:
    """A statement of the model: part of the prior, of the likelihood of rows, or evaluated in full at every step."""

    kind: str
    line: int
    column: int
    text: str
    reason: str  #: why it is evaluated in full


@dataclass(frozen=True)
class Check:
    """How a model is understood: rows, parameters and statements."""

    rows: int
    dimension: int
    parameters: dict[str, tuple[tuple[int, ...], str]]
    statements: list[Statement]
    why_not_minibatched: str
    warnings: list[str]

    def __repr__(self) -> str:
        lines = [f"{self.rows} rows that minibatches are drawn from" if self.rows else "no rows that minibatches are drawn from",
                 f"{self.dimension} unconstrained parameters: "
                 + ", ".join(f"{name}{list(shape) if shape else ''}" + (f" ({kind})" if kind != "unconstrained" else "")
                             for name, (shape, kind) in self.parameters.items())]
        lines += [f"{one.kind}, line {one.line}: {' '.join(one.text.split())}" + (f" ({one.reason})" if one.reason else "")
                  for one in self.statements]
        return "\n".join([*lines, *filter(None, [self.why_not_minibatched]), *self.warnings])
