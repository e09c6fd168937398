"""Bayesian posteriors from minibatches, for models in the Stan language and in Python."""

import importlib
from typing import TYPE_CHECKING, Any

from . import _functions
from ._chain import Chain, Kernel, chain, sampler
from ._core import DataError, DivergenceError, Error, FileError, ModelError, OptionError, ShapeError, UsageError
from ._core import version as __version__
from ._documents import LDA, DirichletProcessMixture
from ._expression import Expression
from ._factors import MatrixFactorization
from ._fit import Diagnosis, Fit, Summary, Verdict, load, report
from ._functions import functions, lmgamma, log_mix, logsumexp, solve_triangular
from ._model import (Model, ModelFunction, Parameter, Row, array, cholesky_factor_corr, cholesky_factor_cov, constrained, corr_matrix, cov_matrix,
                     model, ordered, positive_ordered, real, simplex, unit_vector, vector)
from ._mode import Check, Laplace, Mode
from ._pack import RowFile, pack
from ._posterior import Run
from ._settings import settings
from ._stan import BoundModel, StanModel

__all__ = ["BoundModel", "Chain", "Check", "DataError", "Diagnosis", "DirichletProcessMixture", "DivergenceError", "Error", "Expression", "FileError", "Fit", "Kernel", "LDA", "Laplace", "MatrixFactorization", "Mode",
           "Model", "ModelError", "ModelFunction", "OptionError", "Parameter", "Row", "RowFile", "Run", "ShapeError", "StanModel", "Summary", "UsageError", "Verdict", "__version__", "array", "chain",
           "cholesky_factor_corr", "cholesky_factor_cov", "constrained", "corr_matrix", "cov_matrix", "functions", "lmgamma", "load", "log_mix",
           "logsumexp", "model", "ordered", "pack", "positive_ordered", "real", "report", "settings", "simplex", "solve_triangular", "unit_vector", "vector"]


if TYPE_CHECKING:
    from collections.abc import Callable

    from . import sklearn as sklearn
    from ._functions import *  # noqa: F403

    sgld: Callable[..., Kernel]
    sglm: Callable[..., Kernel]
    sghmc: Callable[..., Kernel]
    sgnht: Callable[..., Kernel]
    psgld: Callable[..., Kernel]
    sgfs_full: Callable[..., Kernel]
    sgfs_diagonal: Callable[..., Kernel]
    baoab: Callable[..., Kernel]
    hamcmc: Callable[..., Kernel]
    nuts: Callable[..., Kernel]
    hmc: Callable[..., Kernel]
    mala: Callable[..., Kernel]
else:
    def __getattr__(name: str) -> Any:
        """Looks up functions of models, samplers, and the module sklearn: sg.normal_lpdf, sg.sghmc, sg.sklearn."""
        if name == "sklearn":
            return importlib.import_module(".sklearn", __name__)
        return sampler(name) or getattr(_functions, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *functions()})
