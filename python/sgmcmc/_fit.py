"""What a run gives: draws by name, a summary, and whether to trust them."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Any, Iterator

import numpy as np

_ELEMENT = re.compile(r"^(.*?)\[([0-9,]+)\]$")


@dataclass(frozen=True)
class Verdict:
    """Whether to trust draws: "trust", "caution", "do not trust" or "cannot tell", and why. Empty where nothing was judged."""

    trust: str
    sentences: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.trust in ("trust", "caution")

    def __str__(self) -> str:
        return f"verdict: {self.trust or 'none, the draws were not judged'}. " + " ".join(self.sentences)


class Summary:
    """Means, quantiles and diagnostics, a row for each quantity; columns as arrays: summary["mean"], or by name: summary["beta[1]"]."""

    COLUMNS = ("mean", "mcse_mean", "sd", "q5", "q50", "q95", "ess_bulk", "ess_tail", "rhat")

    def __init__(self, rows: list[tuple[Any, ...]], text: str) -> None:
        self.names = [row[0] for row in rows]
        self.values = np.array([row[1:] for row in rows], dtype=float).reshape(len(rows), len(self.COLUMNS))
        self._text = text

    def __getitem__(self, key: str) -> Any:
        if key in self.COLUMNS:
            return self.values[:, self.COLUMNS.index(key)]
        return dict(zip(self.COLUMNS, self.values[self.names.index(key)]))

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(self.values, index=self.names, columns=list(self.COLUMNS))

    def __repr__(self) -> str:
        return self._text.rstrip("\n")

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


def _variables(names: list[str]) -> dict[str, tuple[tuple[int, ...], list[tuple[tuple[int, ...], int]]]]:
    """Shapes by variable, and the column of each element."""
    found: dict[str, list[tuple[tuple[int, ...], int]]] = {}
    for column, name in enumerate(names):
        match = _ELEMENT.match(name)
        variable = match.group(1) if match else name
        index = tuple(int(i) - 1 for i in match.group(2).split(",")) if match else ()
        found.setdefault(variable, []).append((index, column))
    return {name: (tuple(max(index[axis] for index, _ in elements) + 1 for axis in range(len(elements[0][0]))), elements)
            for name, elements in found.items()}


class Fit:
    """Draws of a posterior. fit["beta"] has the axes chain, draw and those of the variable."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._places = _variables(self.names)

    @classmethod
    def _of(cls, run: Any) -> "Fit":
        table = run.table() if run.draws.size else "no draws\n"
        rows = run.summary() if run.draws.size else []
        return cls({"method": run.method, "seconds": run.seconds, "tuning_seconds": run.tuning_seconds, "why": run.why,
                    "interrupted": run.interrupted, "verdict": Verdict(run.trust, tuple(run.sentences)),
                    "warnings": list(run.warnings), "names": list(run.names), "draws": run.draws,
                    "statistic_names": list(run.statistic_names), "statistics": run.statistics, "_rows": rows, "_table": table})

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_places"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Fit.__init__(self, state)

    @property
    def variables(self) -> list[str]:
        return list(self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __contains__(self, name: str) -> bool:
        return name in self._places or name in self.names

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._places:
            if name in self.names:
                return self.draws[:, :, self.names.index(name)]
            raise KeyError(f"there is no variable '{name}'; there are: {', '.join(self._places)}")
        shape, elements = self._places[name]
        if not shape:
            return self.draws[:, :, elements[0][1]]
        array = np.full(self.draws.shape[:2] + shape, np.nan)
        for index, column in elements:
            array[(slice(None), slice(None), *index)] = self.draws[:, :, column]
        return array

    def stan_variable(self, name: str) -> np.ndarray:
        """All chains one after the other, as cmdstanpy has it."""
        array = self[name]
        return array.reshape((-1,) + array.shape[2:])

    def summary(self) -> Summary:
        return Summary(self._rows, self._table)

    def to_arviz(self) -> Any:
        """InferenceData with groups posterior and sample_stats; needs arviz."""
        import arviz

        posterior = {name: self[name] for name in self._places}
        names = {"lp__": "lp", "divergent__": "diverging", "accept_stat__": "acceptance_rate", "stepsize__": "step_size",
                 "treedepth__": "tree_depth", "n_leapfrog__": "n_steps", "energy__": "energy"}
        statistics = {names.get(name, name): self.statistics[:, :, column] for column, name in enumerate(self.statistic_names)}
        if "diverging" in statistics:
            statistics["diverging"] = statistics["diverging"] != 0
        return arviz.from_dict(posterior=posterior, sample_stats=statistics or None)

    def __repr__(self) -> str:
        chains, draws = self.draws.shape[:2]
        how = f"{self.method}, {chains} chains of {draws} draws, {self.seconds:.3g} s"
        return f"{self.verdict}\n{how}\n\n{self._table}".rstrip("\n")

    def _repr_html_(self) -> str:
        colour = {"trust": "#2a7d2a", "caution": "#9a6700"}.get(self.verdict.trust, "#b42318")
        first, rest = repr(self).split("\n", 1)
        return f'<p style="color:{colour}"><b>{html.escape(first)}</b></p><pre>{html.escape(rest)}</pre>'
