"""Bayesian posteriors from minibatches, for models in the Stan language."""

from ._core import DataError, DivergenceError, Error, FileError, ModelError, OptionError, ShapeError, UsageError
from ._core import version as __version__
from ._fit import Fit, Summary, Verdict
from ._model import BoundModel, StanModel

__all__ = ["BoundModel", "DataError", "DivergenceError", "Error", "FileError", "Fit", "ModelError", "OptionError", "ShapeError",
           "StanModel", "Summary", "UsageError", "Verdict", "__version__"]
