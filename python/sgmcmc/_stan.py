"""Models in the Stan language."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Never, Optional, overload

import numpy as np

from . import _core, _data, _settings
from ._fit import Fit
from ._mode import Check, Laplace, Mode
from ._posterior import Path, Posterior, Run, _numbers


class BoundModel(Posterior):
    """A model in the Stan language, bound to data."""

    def __init__(self, posterior: Any, origin: Origin) -> None:
        self._bound = posterior
        self._origin = origin

    def __reduce__(self) -> Any:
        one = self._origin
        return _bound_again, (one.path, one.code, one.include, one.data, one.files, one.rows, one.precision)

    @property
    def _posterior(self) -> Any:
        return self._bound

    def _start(self, initial: Optional[Mapping[str, Any]], out: Optional[Path], settings: Mapping[str, Any]) -> Run:
        texts, numbers = _settings.texts(settings), _numbers(initial)
        if out is None:
            return Run(_core.start(self._bound, texts, numbers), self._bound)
        folder = os.fspath(out)
        about = [("data", file) for file in self._origin.files] + [("include", one) for one in self._origin.include]
        about += [("rows", self._origin.rows)] * bool(self._origin.rows) + [("precision", self._origin.precision)]
        if initial:
            values = {name: np.asarray(value, dtype=float).tolist() for name, value in initial.items()}
            about.append(("initial", _kept(folder, "initial.json", json.dumps(values))))
        path = self._origin.path or _kept(folder, "model.stan", self._origin.code)
        return Run(_core.start_in_folder(self._bound, texts, folder, path, about), self._bound)

    def resume(self, folder: Path, *, blocking: bool = True, progress: Optional[bool] = None, **settings: Any) -> Any:
        """Continues the run in a folder, which sample(out=folder) of this model started; iterations=... extends it. The draws are those of
        an uninterrupted run."""
        handle = _core.resume(self._bound, os.fspath(folder), _settings.texts(settings))
        return self._run(Run(handle, self._bound), blocking, progress)


@dataclass(frozen=True)
class Origin:
    """Where a model and its data came from, for the record of a run."""

    path: str
    code: str
    include: list[str]
    data: Any
    files: list[str]
    rows: str
    precision: str


def _model_again(path: str, code: str, include: list[str]) -> StanModel:
    return StanModel(path, include=include) if path else StanModel(code=code, include=include)


def _bound_again(path: str, code: str, include: list[str], data: Any, files: list[str], rows: str, precision: str) -> BoundModel:
    return _model_again(path, code, include).bind(data, files=files, rows=rows, precision=precision)


def _kept(folder: str, name: str, text: str) -> str:
    """Writes a file that the record of a run will name; never replaces another file."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return path
        stem, ending = os.path.splitext(name)
        path = os.path.join(folder, f"{stem}-{hashlib.sha256(text.encode()).hexdigest()[:8]}{ending}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


#: Arguments that other packages use for models, and what to write instead.
_ARGUMENTS_ELSEWHERE = {
    **dict.fromkeys(("stan_file", "model_file", "file", "filename"), ": give the path first, as in StanModel('model.stan')"),
    **dict.fromkeys(("model_code", "stan_code", "program_code"), ": give the text as code, as in StanModel(code='...')"),
    **dict.fromkeys(("stanc_options", "include_paths"), ": folders of #include lines are StanModel('model.stan', include=['folder'])"),
    **dict.fromkeys(("exe_file", "cpp_options", "force_compile", "compile", "user_header"), ": models are not compiled; leave it out"),
    **dict.fromkeys(("data", "random_seed", "seed"), ": a model is read first; data and settings go to model.sample(data, seed=1)"),
}


class StanModel:
    """A model in the Stan language, read and checked: StanModel("model.stan") or StanModel(code="...")."""

    def __init__(self, path: Optional[Path] = None, *, code: Optional[str] = None,
                 include: Sequence[Path] = (), **other: Never) -> None:
        for name in other:
            raise TypeError(f"StanModel() has no argument '{name}'"
                            + _ARGUMENTS_ELSEWHERE.get(name, "; a model is StanModel('model.stan') or StanModel(code='...')"))
        if (path is None) == (code is None):
            raise _core.UsageError("a model is either a path or code, as in StanModel('model.stan') or StanModel(code='...')")
        folders = self._include = [os.fspath(folder) for folder in include]
        self._path, self._code = os.fspath(path) if path is not None else "", code or ""
        if code is not None:
            self._model = _core.StanModel.from_text(code, "model.stan", folders)
        else:
            self._model = _core.StanModel.from_file(self._path, folders)

    def __reduce__(self) -> Any:
        return _model_again, (self._path, self._code, self._include)

    @property
    def data_names(self) -> list[str]:
        return self._model.data_names

    @property
    def warnings(self) -> list[str]:
        return self._model.warnings

    def bind(self, data: Any = None, *, files: Sequence[Path] = (), rows: str = "",
             precision: str = "double") -> BoundModel:
        """data: a dict of numbers and arrays by name, or a data frame; sizes may be omitted if they follow from the arrays. files: data
        files, as in `sgmcmc sample --data`. rows: name of the size that counts the rows to minibatch; by default it is found from the
        model."""
        return self._bind(data, files, rows, precision)

    def _bind(self, data: Any, files: Sequence[Path], rows: str = "", precision: str = "double") -> BoundModel:
        _data.warn_of_unknown(data, self.data_names, stacklevel=3)
        names = [os.fspath(file) for file in files]
        bound = self._model.bind(*_data.split(_data.as_mapping(data, self.data_names)), names, rows, precision)
        return BoundModel(bound, Origin(self._path, self._code, self._include, data, names, rows, precision))

    @overload
    def sample(self, data: Any = None, *, files: Sequence[Path] = (), rows: str = "", precision: str = "double",
               initial: Optional[Mapping[str, Any]] = None, out: Optional[Path] = None, blocking: Literal[True] = True,
               progress: Optional[bool] = None, **settings: Any) -> Fit: ...

    @overload
    def sample(self, data: Any = None, *, files: Sequence[Path] = (), rows: str = "", precision: str = "double",
               initial: Optional[Mapping[str, Any]] = None, out: Optional[Path] = None, blocking: Literal[False],
               progress: Optional[bool] = None, **settings: Any) -> Run: ...

    def sample(self, data: Any = None, *, files: Sequence[Path] = (), rows: str = "", precision: str = "double",
               initial: Optional[Mapping[str, Any]] = None, out: Optional[Path] = None, blocking: bool = True,
               progress: Optional[bool] = None, **settings: Any) -> Any:
        """Calls bind(), then BoundModel.sample()."""
        bound = self._bind(data, files, rows, precision)
        return bound._run(bound._start(initial, out, settings), blocking, progress)

    def optimize(self, data: Any = None, *, files: Sequence[Path] = (), initial: Optional[Mapping[str, Any]] = None, **settings: Any) -> Mode:
        """Calls bind(), then BoundModel.optimize()."""
        return self._bind(data, files).optimize(initial=initial, **settings)

    def laplace(self, data: Any = None, *, files: Sequence[Path] = (), initial: Optional[Mapping[str, Any]] = None, **settings: Any) -> Laplace:
        """Calls bind(), then BoundModel.laplace()."""
        return self._bind(data, files).laplace(initial=initial, **settings)

    def check(self, data: Any = None, *, files: Sequence[Path] = ()) -> Check:
        """Calls bind(), then BoundModel.check()."""
        return self._bind(data, files).check()
