"""The result of a run: draws by name, a summary, and whether to trust them."""

from __future__ import annotations

import csv
import html
import json
import os
import re
import tempfile
import warnings as python_warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from . import _core, _settings

_ELEMENT = re.compile(r"^(.*?)\[([0-9,]+)\]$")


@dataclass(frozen=True)
class Verdict:
    """Whether to trust draws: "trust", "caution", "do not trust" or "cannot tell", and why. Empty if the draws were not judged."""

    trust: str
    sentences: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.trust in ("trust", "caution")

    def __str__(self) -> str:
        return f"verdict: {self.trust or 'none, the draws were not judged'}. " + " ".join(self.sentences)


class Diagnosis:
    """Results of comparing draws with the gradients of the model."""

    def __init__(self, trust: str, sentences: Sequence[str], table: str) -> None:
        self.verdict = Verdict(trust, tuple(sentences))
        self.table = table

    def __repr__(self) -> str:
        return f"{self.verdict}\n\n{self.table}".rstrip("\n")


class Summary:
    """Means, quantiles and diagnostics, one row per quantity; columns as arrays, summary["mean"], or rows by name, summary["beta[1]"]."""

    COLUMNS = ("mean", "mcse_mean", "sd", "q5", "q50", "q95", "ess_bulk", "ess_tail", "rhat")

    def __init__(self, rows: list[tuple[Any, ...]], text: str) -> None:
        self.names = [row[0] for row in rows]
        self.values = np.array([row[1:] for row in rows], dtype=float).reshape(len(rows), len(self.COLUMNS))
        self._text = text

    def __getitem__(self, key: str) -> Any:
        if key in self.COLUMNS:
            return self.values[:, self.COLUMNS.index(key)]
        if key not in self.names:
            elements = [name for name in self.names if name.startswith(f"{key}[")]
            raise KeyError(f"there is no row '{key}'; there are {'its elements ' if elements else ''}{', '.join((elements or self.names)[:10])}"
                           + (", ..." if len(elements or self.names) > 10 else ""))
        return dict(zip(self.COLUMNS, self.values[self.names.index(key)]))

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(self.values, index=self.names, columns=list(self.COLUMNS))

    def __repr__(self) -> str:
        return self._text.rstrip("\n")

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


def _variables(names: list[str]) -> dict[str, tuple[tuple[int, ...], list[tuple[tuple[int, ...], int]]]]:
    """The shape of each variable, and the column of each element."""
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

    method: str  #: that made the draws
    why: str  #: it was chosen; empty where it was asked for
    seconds: float  #: of the chains
    times: dict[str, float]  #: seconds of wall clock by phase: tuning, sampling, judging
    interrupted: bool  #: the run was ended before it was complete
    verdict: Verdict
    warnings: list[str]
    names: list[str]  #: of the columns of draws: "beta[1]", "beta[2]", ...
    summarised: list[str]  #: names whose draws were not kept, by sample(keep=...)
    draws: np.ndarray  #: chain, draw, column
    weights: Optional[np.ndarray]  #: chain, draw; None where all draws count the same
    statistic_names: list[str]
    statistics: np.ndarray  #: chain, draw, statistic: lp__, stepsize__, ...
    _summary: Optional[Summary]
    _run: Any  #: of the engine; None where the fit was read from a file
    _posterior: Any

    def __init__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._places = _variables(self.names)

    @classmethod
    def _of(cls, run: Any, posterior: Any = None, **state: Any) -> Fit:
        found = {"method": run.method, "why": run.why, "seconds": run.seconds, "times": {"sampling": run.seconds}, "interrupted": run.interrupted,
                 "verdict": Verdict(run.trust, tuple(run.sentences)), "warnings": [text for text, _ in run.warnings],
                 "names": list(run.names), "summarised": list(run.summarised), "draws": run.draws, "weights": run.weights, "statistic_names": list(run.statistic_names),
                 "statistics": run.statistics, "_summary": None}
        return cls({**found, **state, "_run": run, "_posterior": posterior})

    def __getstate__(self) -> dict[str, Any]:
        self.summary()  # which needs the run
        kept = {key: value for key, value in self.__dict__.items() if key != "_places"}
        return {**kept, "_run": None, "_posterior": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Fit.__init__(self, state)

    # Draws
    # ----------------------------------------------------------------------------------------------------

    @property
    def variables(self) -> list[str]:
        return list(self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places or name in self.names

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._places:
            if name in self.names:
                return self.draws[:, :, self.names.index(name)]
            if name in self.summarised or name in _variables(self.summarised):
                raise KeyError(f"the draws of '{name}' were not kept; fit.summary() has its mean, standard deviation and quantiles. To have "
                               f"them, sample with '{name}' in keep, or without keep")
            raise KeyError(f"there is no variable '{name}'; there are: {', '.join(self._places)}")
        shape, elements = self._places[name]
        if not shape:
            return self.draws[:, :, elements[0][1]]
        array = np.full(self.draws.shape[:2] + shape, np.nan)
        for index, column in elements:
            array[(slice(None), slice(None), *index)] = self.draws[:, :, column]  # type: ignore[index]
        return array

    def stan_variable(self, name: str) -> np.ndarray:
        """The draws of a variable with all chains concatenated, as in cmdstanpy."""
        array = self[name]
        return array.reshape((-1,) + array.shape[2:])

    def draws_pd(self, vars: Union[str, Sequence[str], None] = None) -> Any:
        """A pandas DataFrame with one row per draw: chain__, iter__ and draw__ counted from 1, statistics of the sampler, variables."""
        import pandas

        chains, draws = self.draws.shape[:2]
        chosen = [vars] if isinstance(vars, str) else list(vars) if vars is not None else None
        columns: dict[str, Any] = {"chain__": np.repeat(np.arange(1, chains + 1), draws), "iter__": np.tile(np.arange(1, draws + 1), chains),
                                   "draw__": np.arange(1, chains * draws + 1)}
        if chosen is None:
            for column, name in enumerate(self.statistic_names):
                columns[name] = self.statistics[:, :, column].reshape(-1)
        names = self.names if chosen is None else [name for one in chosen for name in self._elements(one)]
        for name in names:
            columns[name] = self[name].reshape(-1) if name in self._places else self.draws[:, :, self.names.index(name)].reshape(-1)
        return pandas.DataFrame(columns)

    def _elements(self, name: str) -> list[str]:
        if name not in self:
            self[name]  # raises
        return [name] if name in self.names else [self.names[column] for _, column in self._places[name][1]]

    def draws_xr(self) -> Any:
        """An xarray.Dataset with the dimensions chain and draw, and one more for each axis of a variable."""
        import xarray

        data = {name: (("chain", "draw", *(f"{name}_dim_{axis}" for axis in range(self[name].ndim - 2))), self[name]) for name in self._places}
        chains, draws = self.draws.shape[:2]
        return xarray.Dataset(data, coords={"chain": np.arange(chains), "draw": np.arange(draws)},
                              attrs={"inference_library": "sgmcmc", "inference_library_version": _core.version, "method": self.method,
                                     "sampling_time": self.seconds, "verdict": str(self.verdict)})

    @property
    def posterior(self) -> Any:
        """The same as draws_xr()."""
        return self.draws_xr()

    def to_arviz(self) -> Any:
        """For ArviZ, with groups posterior and sample_stats: InferenceData for version 0.x, a DataTree for 1.x. ArviZ does not support
        weights: draws with unequal weights are resampled in proportion to them, chain by chain."""
        import arviz

        order = self._order_by_weight()
        posterior = {name: order(self[name]) for name in self._places}
        words = {"lp__": "lp", "divergent__": "diverging", "accept_stat__": "acceptance_rate", "stepsize__": "step_size",
                 "treedepth__": "tree_depth", "n_leapfrog__": "n_steps", "energy__": "energy"}
        statistics = {words.get(name, name): order(self.statistics[:, :, column]) for column, name in enumerate(self.statistic_names)}
        if "diverging" in statistics:
            statistics["diverging"] = statistics["diverging"] != 0
        groups = {"posterior": posterior, **({"sample_stats": statistics} if statistics else {})}
        if int(arviz.__version__.split(".")[0]) >= 1:
            return arviz.from_dict(groups)
        return arviz.from_dict(**groups)  # type: ignore[arg-type]

    def _order_by_weight(self) -> Any:
        if self.weights is None:
            return lambda array: array
        python_warnings.warn("the draws have unequal weights: they were resampled in proportion to these", stacklevel=3)
        chains, draws = self.weights.shape
        shares = np.cumsum(self.weights, axis=1) / self.weights.sum(axis=1, keepdims=True)
        picks = np.stack([np.searchsorted(one, (np.arange(draws) + 0.5) / draws) for one in shares]).clip(0, draws - 1)
        return lambda array: array[np.arange(chains)[:, None], picks]

    # Whether to trust them
    # ----------------------------------------------------------------------------------------------------

    def summary(self) -> Summary:
        """Means, quantiles and diagnostics of every quantity."""
        if self._summary is None:
            self._summary = Summary(self._run.summary(), self._run.table())
        return self._summary

    def diagnose(self, **settings: Any) -> Diagnosis:
        """Compares the draws with the gradients of the model at them. Settings are those of `sgmcmc diagnose`: draws, halving, ..."""
        if self._run is None or self._posterior is None:
            raise _core.UsageError("the fit was read from a file and knows no model; its verdict is fit.verdict. To diagnose it again, "
                                   "run `sgmcmc diagnose` on the folder of the run")
        return Diagnosis(*_core.diagnose(self._posterior, self._run, _settings.texts(settings, own=("draws",))))

    # Files
    # ----------------------------------------------------------------------------------------------------

    def save(self, folder: Union[str, os.PathLike[str]], *, overwrite: bool = False) -> None:
        """Writes a folder that sg.load and the program (`sgmcmc summary`) read."""
        path = os.fspath(folder)
        if not self.draws.size:
            raise _core.UsageError("there are no draws to save: the run was interrupted before the first")
        if not overwrite and any(os.path.exists(os.path.join(path, name)) for name in ("run.json", "chain-1.csv", "draws.nc")):
            raise _core.UsageError(f"'{path}' holds a previous run; name another folder, or add overwrite=True to replace it")
        os.makedirs(path, exist_ok=True)
        for name in os.listdir(path):
            if re.fullmatch(r"chain-\d+\.(csv|checkpoint)|draws\.nc|setup\.checkpoint|run\.json", name):
                os.remove(os.path.join(path, name))
        draws, statistics = (np.ascontiguousarray(array) for array in (self.draws, self.statistics))
        _core.save(path, "model", self.method, self.seconds, self.names, draws, self.statistic_names, statistics, self.weights)
        record: dict[str, Any] = {"sgmcmc": _core.version, "command": "sample", "status": "interrupted" if self.interrupted else "finished", "data": [],
                  "options": {"method": self.method}, "seconds": self.seconds, "draws": [self.draws.shape[1]] * self.draws.shape[0],
                  "tuning": {"why": self.why}, "warnings": self.warnings}
        if self.verdict.trust:
            record["verdict"] = {"trust": self.verdict.trust, "sentences": list(self.verdict.sentences)}
        with open(os.path.join(path, "run.json"), "w", encoding="utf-8") as file:
            json.dump(record, file, indent=2)

    def report(self, path: Union[str, os.PathLike[str]] = "report.html", *, name: str = "") -> str:
        """Writes one HTML page: the verdict, a searchable table, and plots of every parameter. Returns its path."""
        with tempfile.TemporaryDirectory() as folder:
            run = os.path.join(folder, "fit")
            self.save(run)
            if self._posterior is not None and self._run is not None and self.verdict.trust and not self.summarised:
                diagnosis, bound = _core.described(self._posterior, self._run)
                with open(os.path.join(run, "diagnosis.json"), "w", encoding="utf-8") as file:
                    file.write(diagnosis)
                record_path = os.path.join(run, "run.json")
                with open(record_path, encoding="utf-8") as file:
                    record = json.load(file)
                record["bound"] = json.loads(bound)
                with open(record_path, "w", encoding="utf-8") as file:
                    json.dump(record, file)
            for text in _core.report([run], os.fspath(path), name or "fit", False):
                python_warnings.warn(text, stacklevel=2)
        return os.fspath(path)

    def __repr__(self) -> str:
        chains, draws = self.draws.shape[:2]
        if not draws:
            return "verdict: none, there are no draws: the run was interrupted before the first"
        how = f"{self.method}, {chains} chain{'s' * (chains != 1)} of {draws} draws, {self.seconds:.3g} s"
        return f"{self.verdict}\n{how}\n\n{self.summary()!r}"

    def _repr_html_(self) -> str:
        colour = {"trust": "#2a7d2a", "caution": "#9a6700"}.get(self.verdict.trust, "#b42318")
        first, _, rest = repr(self).partition("\n")
        return f'<p style="color:{colour}"><b>{html.escape(first)}</b></p><pre>{html.escape(rest)}</pre>'


def load(folder: Union[str, os.PathLike[str]]) -> Fit:
    """Loads the fit in a folder that a run of the program or of this package wrote, or in CmdStan's CSV files."""
    path = os.fspath(folder)
    record: dict[str, Any] = {}
    try:
        with open(os.path.join(path, "run.json"), encoding="utf-8") as file:
            record = json.load(file)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except ValueError as error:
        raise _core.FileError(f"{os.path.join(path, 'run.json')} is damaged: {error}") from None
    run = _core.load([path], _saved_summaries(path, record))
    verdict = record.get("verdict") or {}
    kept = [column for column, name in enumerate(run.statistic_names) if name != "weight__"]  # those are fit.weights
    return Fit._of(run, statistic_names=[run.statistic_names[column] for column in kept], statistics=run.statistics[:, :, kept],
                   method=str(record.get("options", {}).get("method") or "unknown method"), why=(record.get("tuning") or {}).get("why", ""),
                   seconds=float(record.get("seconds") or run.seconds), times={"sampling": float(record.get("seconds") or run.seconds)}, interrupted=record.get("status", "finished") != "finished",
                   verdict=Verdict(verdict.get("trust", ""), tuple(verdict.get("sentences", ()))),
                   warnings=[*record.get("warnings", []), *(text for text, _ in run.warnings)])


def report(folder: Union[str, os.PathLike[str]], path: Union[str, os.PathLike[str], None] = None, *, diagnose: bool = True) -> str:
    """Writes a report on the run in a folder as one HTML page, as `sgmcmc report` does; by default to report.html in the folder. Returns
    its path."""
    out = os.path.join(os.fspath(folder), "report.html") if path is None else os.fspath(path)
    for text in _core.report([os.fspath(folder)], out, "", diagnose):
        python_warnings.warn(text, stacklevel=2)
    return out


def _saved_summaries(path: str, record: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The rows of summary.csv, which a run writes if it does not keep the draws of all variables."""
    file = (record.get("kept") or {}).get("summary")
    if not file or not os.path.exists(os.path.join(path, file)):
        return []
    with open(os.path.join(path, file), encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return [(name, *(float("nan") if number == "NA" else float(number) for number in numbers)) for name, *numbers in rows]
