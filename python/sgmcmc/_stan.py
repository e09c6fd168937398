"""Models in the Stan language."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from . import _core, _data
from ._fit import Fit
from ._posterior import Posterior


class BoundModel(Posterior):
    """A model in the Stan language, bound to data."""

    def __init__(self, posterior: Any) -> None:
        self._bound = posterior

    @property
    def _posterior(self) -> Any:
        return self._bound


class StanModel:
    """A model in the Stan language, read and checked: StanModel("model.stan") or StanModel(code="...")."""

    def __init__(self, path: Union[str, os.PathLike[str], None] = None, *, code: Optional[str] = None,
                 include: Sequence[Union[str, os.PathLike[str]]] = ()) -> None:
        if (path is None) == (code is None):
            raise _core.UsageError("a model is either a path or code, as in StanModel('model.stan') or StanModel(code='...')")
        folders = [os.fspath(folder) for folder in include]
        if code is not None:
            self._model = _core.StanModel.from_text(code, "model.stan", folders)
        else:
            self._model = _core.StanModel.from_file(os.fspath(path), folders)

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
        return BoundModel(self._model.bind(reals, integers, sparse, [os.fspath(file) for file in files], rows, precision))

    def sample(self, data: Any = None, *, files: Sequence[Union[str, os.PathLike[str]]] = (), rows: str = "",
               precision: str = "double", initial: Optional[Mapping[str, Any]] = None, progress: Optional[bool] = None,
               **settings: Any) -> Fit:
        """bind() and BoundModel.sample() in one."""
        bound = self.bind(data, files=files, rows=rows, precision=precision)
        return bound.sample(initial=initial, progress=progress, **settings)
