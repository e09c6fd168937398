"""Models written in Python: the log density of one row, as an expression of parameters and of the data of that row."""

from __future__ import annotations

import difflib
import functools
import inspect
import operator
import warnings as python_warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Callable, Literal, Optional, Union, overload

import numpy as np

from . import _core, _data, _given, _settings
from ._expression import Column, Expression, node_of
from ._fit import Fit
from ._posterior import Path, Posterior, Run, _numbers

_Shape = Union[int, Sequence[int]]
_CONSTRAINTS = {  # names of the Stan language
    "simplex": "simplex", "ordered": "ordered", "positive_ordered": "positive_ordered", "unit_vector": "unit_vector",
    "cholesky_factor_corr": "cholesky_factor_correlation", "cholesky_factor_cov": "cholesky_factor_covariance",
    "corr_matrix": "correlation_matrix", "cov_matrix": "covariance_matrix"}


@dataclass(frozen=True)
class Parameter:
    """The declaration of a parameter: its shape and its constraint."""

    shape: tuple[int, ...] = ()
    lower: Any = None
    upper: Any = None
    offset: Any = None
    multiplier: Any = None
    constraint: Optional[str] = None

    def kind(self, name: str) -> tuple[str, list[Any]]:
        """The library's name of the constraint, and its bounds."""
        scaled = self.offset is not None or self.multiplier is not None
        if sum((self.lower is not None or self.upper is not None, scaled, self.constraint is not None)) > 1:
            raise _core.ModelError(f"parameter {name}: give only one of: bounds, offset and multiplier, or a constraint")
        if self.constraint is not None:
            if self.constraint not in _CONSTRAINTS:
                raise _core.ModelError(f"parameter {name}: there is no constraint '{self.constraint}'; there are: {', '.join(_CONSTRAINTS)}")
            return _CONSTRAINTS[self.constraint], []
        if scaled:
            bounds = [0 if self.offset is None else self.offset, 1 if self.multiplier is None else self.multiplier]
            return "offset_multiplier", [node_of(bound, f"parameter {name}") for bound in bounds]
        given = [bound for bound in (self.lower, self.upper) if bound is not None]
        kind = {0: "unconstrained", 1: "lower" if self.lower is not None else "upper", 2: "interval"}[len(given)]
        return kind, [node_of(bound, f"parameter {name}") for bound in given]


def _check_name(name: Any) -> None:
    """Names with brackets, dots or two underscores at the end mean something else in the files of a run."""
    if not isinstance(name, str) or not name.isidentifier() or name.endswith("__"):
        raise _core.ModelError(f"a parameter cannot be called {name!r}: names are letters, digits and underscores, start with no digit, and do not end in "
                               "two underscores; the first argument of parameter() is the name, the second the shape")


def _shape(shape: _Shape) -> tuple[int, ...]:
    try:
        return tuple(operator.index(extent) for extent in (shape if isinstance(shape, Iterable) else [shape]))
    except TypeError:
        raise _core.ModelError(f"a shape is a whole number, or a tuple of them, such as 3 or (2, 3); found {shape!r}") from None


def real(*, lower: Any = None, upper: Any = None, offset: Any = None, multiplier: Any = None) -> Parameter:
    """A number."""
    return Parameter((), lower, upper, offset, multiplier)


def vector(size: int, *, lower: Any = None, upper: Any = None, offset: Any = None, multiplier: Any = None) -> Parameter:
    return Parameter(_shape([size]), lower, upper, offset, multiplier)


def array(shape: _Shape, *, lower: Any = None, upper: Any = None, offset: Any = None, multiplier: Any = None) -> Parameter:
    """A matrix or an array of more axes."""
    return Parameter(_shape(shape), lower, upper, offset, multiplier)


def constrained(constraint: str, shape: _Shape) -> Parameter:
    """simplex, ordered, positive_ordered, unit_vector, cholesky_factor_corr, cholesky_factor_cov, corr_matrix or cov_matrix, along the last
    axis or the last two."""
    extents = _shape(shape)
    if ("matrix" in constraint or "cholesky" in constraint) and len(extents) == 1:
        extents = (extents[0], extents[0])
    return Parameter(extents, constraint=constraint)


simplex = functools.partial(constrained, "simplex")
ordered = functools.partial(constrained, "ordered")
positive_ordered = functools.partial(constrained, "positive_ordered")
unit_vector = functools.partial(constrained, "unit_vector")
cholesky_factor_corr = functools.partial(constrained, "cholesky_factor_corr")
cholesky_factor_cov = functools.partial(constrained, "cholesky_factor_cov")
corr_matrix = functools.partial(constrained, "corr_matrix")
cov_matrix = functools.partial(constrained, "cov_matrix")


class Row:
    """The data of one row: row.x, or row["x"]."""

    def __init__(self, model: Any, unusable: Optional[Mapping[str, str]] = None) -> None:
        self._model = model
        self._unusable = unusable or {}  # columns of a table that are no numbers, and why

    def __getitem__(self, name: str) -> Expression:
        columns = self._model.columns
        if name in self._unusable:
            raise _core.DataError(self._unusable[name])
        if name not in columns:
            near = difflib.get_close_matches(name, columns, 1)
            hint = f" Did you mean '{near[0]}'?" if near else f" There are: {', '.join(columns) or 'none'}."
            raise _core.DataError(f"the data have no column '{name}'.{hint}")
        return Column(self._model, name)

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except _core.DataError as error:
            raise AttributeError(str(error)) from None

    def __dir__(self) -> list[str]:
        return list(self._model.columns)


class Model(Posterior):
    """A model in Python: columns of data, parameters, a log prior, and the log likelihood of one row.

        m = sg.Model(x=X, y=y)
        beta = m.parameter("beta", X.shape[1])
        m.prior(sg.normal_lpdf(beta, 0, 1))
        m.likelihood(sg.bernoulli_logit_lpmf(m.row.y, m.row.x @ beta))
        fit = m.sample()

    Data are arrays and sparse matrices whose first axis counts rows, by name, or a data frame, of which the columns of finite numbers can be
    used. Integers can be used as
    indices, counted from 0: alpha[m.row.group]. precision="float" stores rows and evaluates the model in single precision."""

    def __init__(self, data: Any = None, /, *, precision: str = "double", **columns: Any) -> None:
        self._precision = precision
        table = _data.as_mapping(data)
        unusable: dict[str, str] = {}
        if table is not data:
            table, unusable = _data.usable({name: value for name, value in table.items() if name not in columns})
            if unusable and not table and not columns:
                raise _core.DataError(f"the table has no columns of numbers: {'; '.join(unusable.values())}")
        self._model = _core.model_of_rows(*_data.rows({**table, **columns}), precision)
        self._bound: Any = None
        self._made_by: Any = None  # ModelFunction and its data, if the likelihood is not an expression
        self._said: list[tuple[str, tuple[Any, ...], list[Any]]] = []  # declarations: arguments and expressions, for pickling
        self.row = Row(self._model, unusable)

    def __reduce__(self) -> Any:
        if self._made_by is not None:
            function, data, precision, columns = self._made_by
            return _bound_again, (function, data, precision, columns)
        nodes, places = _core.nodes_of([node for _, _, given in self._said for node in given])
        taken = iter(places)
        said = [(what, arguments, [next(taken) for _ in given]) for what, arguments, given in self._said]
        return _model_again, (_core.version, self._precision, _core.columns_of(self._model), nodes, said)

    def parameter(self, name: str, shape: Union[_Shape, Parameter] = (), *, lower: Any = None, upper: Any = None, offset: Any = None,
                  multiplier: Any = None, constraint: Optional[str] = None) -> Expression:
        """Declares a parameter and returns its value on the constrained scale."""
        _check_name(name)
        if isinstance(shape, Parameter):
            declared = shape
        elif constraint is not None:
            declared = replace(constrained(constraint, shape), lower=lower, upper=upper, offset=offset, multiplier=multiplier)
        else:
            declared = Parameter(_shape(shape), lower, upper, offset, multiplier)
        kind, bounds = declared.kind(name)
        return Expression(self._say("parameter", (name, list(declared.shape), kind), bounds))

    def prior(self, log_density: Any) -> None:
        """Adds to the log prior; the elements of an array are summed."""
        self._say("prior", (), [node_of(log_density, "prior")])

    def likelihood(self, log_density_of_one_row: Any) -> None:
        """Adds to the log likelihood of one row; the elements of an array are summed."""
        self._say("likelihood", (), [node_of(log_density_of_one_row, "likelihood")])

    def _say(self, what: str, arguments: tuple[Any, ...], nodes: list[Any]) -> Any:
        self._bound = None
        if what == "parameter":
            value = self._model.parameter(*arguments, nodes)
            self._said.append((what, arguments, [*nodes, value]))
            return value
        getattr(self._model, what)(*nodes)
        self._said.append((what, arguments, nodes))
        return None

    @property
    def _posterior(self) -> Any:
        if self._bound is None:
            self._bound = _core.Posterior(self._model, self._precision)
        return self._bound

    @property
    def warnings(self) -> list[str]:
        unused = ("the model has data, but no likelihood: the posterior is the prior. Add m.likelihood(...)" if not any(what == "likelihood" for what, _, _ in self._said) else
                  "the data have no rows: the posterior is the prior" if self._model.rows == 0 else "")
        return [*self._posterior.warnings, *([unused] if unused and self._model.columns else [])]

    def _start(self, initial: Optional[Mapping[str, Any]], out: Optional[Path], settings: Mapping[str, Any]) -> Run:
        for text in self.warnings[len(self._posterior.warnings):]:  # the run has the others
            python_warnings.warn(text, stacklevel=3)
        overwrite = bool(settings.get("overwrite", False)) if out is not None else False
        given = {name: value for name, value in settings.items() if out is None or name != "overwrite"}

        def save(fit: Fit) -> None:
            if out is not None and fit.draws.size:
                fit.save(out, overwrite=overwrite)

        return Run(_core.start(self._posterior, _settings.texts(given), _numbers(initial)), self._posterior, save)


def _model_again(version: str, precision: str, columns: list[Any], nodes: list[Any], said: list[Any]) -> Model:
    if version != _core.version:
        raise _core.ModelError(f"the model was pickled by version {version} of sgmcmc; this is version {_core.version}")
    dense = {name: rest[0] for name, *rest in columns if len(rest) == 1}
    model = Model(precision=precision)
    reals, floats, integers, _ = _data.split(dense)
    model._model = _core.model_of_rows(reals, floats, integers, [_core.SparseMatrix(*one) for one in columns if len(one) > 2], precision)
    model.row = Row(model._model)
    reader = _core.ExpressionReader(nodes)
    for what, arguments, places in said:
        given = places[:-1] if what == "parameter" else places
        value = model._say(what, arguments, [reader.at(model._model, place) for place in given])
        if what == "parameter":
            reader.adopt(value, places[-1])
    return model


def _bound_again(function: ModelFunction, data: Any, precision: str, columns: dict[str, Any]) -> Model:
    return function.bind(data, precision=precision, **columns)


class ModelFunction:
    """A model as a function of a row and parameters: see sg.model."""

    def __init__(self, likelihood: Callable[..., Any], parameters: Mapping[str, Parameter], prior: Optional[Callable[..., Any]],
                 gradient: bool) -> None:
        self._likelihood = likelihood
        self._gradient = gradient
        self._parameters = parameters
        self._prior = prior
        functools.update_wrapper(self, likelihood)  # type: ignore[arg-type]
        self._check(likelihood, 1, "the log likelihood")
        if prior is not None:
            self._check(prior, 0, "the prior")

    def _check(self, function: Callable[..., Any], skipped: int, what: str) -> None:
        names = list(inspect.signature(function).parameters)[skipped:]
        for name in names:
            if name not in self._parameters:
                near = difflib.get_close_matches(name, list(self._parameters), 1)
                raise _core.ModelError(f"{what} takes '{name}', which is not declared; add {name}=sg.real() or the like to sg.model"
                                       + (f", or did you mean '{near[0]}'?" if near else ""))

    def bind(self, data: Any = None, /, *, precision: str = "double", **columns: Any) -> Model:
        """Binds the model to these data."""
        kept, rows = _given.columns_of({**_data.as_mapping(data), **columns}) if self._gradient else ({}, 0)
        model = Model(precision=precision) if self._gradient else Model(data, precision=precision, **columns)
        values = {name: model.parameter(name, declared) for name, declared in self._parameters.items()}

        def chosen(function: Callable[..., Any], skipped: int) -> dict[str, Expression]:
            return {name: values[name] for name in list(inspect.signature(function).parameters)[skipped:]}

        if self._prior is not None:
            model.prior(self._prior(**chosen(self._prior, 0)))
        if self._gradient:
            given = _given.GivenLikelihood(self._likelihood, {name: declared.shape for name, declared in self._parameters.items()}, kept)
            model._model.given_likelihood(given.sum, given.each, rows)
            given.check(model.param_constrain(np.full(model.dimension, 0.1)), rows)
        else:
            model.likelihood(self._likelihood(model.row, **chosen(self._likelihood, 1)))
        if self._gradient:
            model._made_by = (self, data, precision, columns)
        return model

    def __reduce__(self) -> str:
        return str(vars(self)["__qualname__"])  # a name of its module, as functions are pickled

    @overload
    def sample(self, data: Any = None, *, precision: str = "double", initial: Optional[Mapping[str, Any]] = None, out: Optional[Path] = None,
               blocking: Literal[True] = True, progress: Optional[bool] = None, **settings: Any) -> Fit: ...

    @overload
    def sample(self, data: Any = None, *, precision: str = "double", initial: Optional[Mapping[str, Any]] = None, out: Optional[Path] = None,
               blocking: Literal[False], progress: Optional[bool] = None, **settings: Any) -> Run: ...

    def sample(self, data: Any = None, *, precision: str = "double", initial: Optional[Mapping[str, Any]] = None,
               out: Optional[Path] = None, blocking: bool = True, progress: Optional[bool] = None, **settings: Any) -> Any:
        """Calls bind(), then Model.sample()."""
        bound = self.bind(data, precision=precision)
        return bound._run(bound._start(initial, out, settings), blocking, progress)


def model(prior: Optional[Callable[..., Any]] = None, *, gradient: bool = False,
          **parameters: Parameter) -> Callable[[Callable[..., Any]], ModelFunction]:
    """Makes a model from a function that returns the log likelihood of one row. The function is called once, with expressions.

        @sg.model(beta=sg.vector(54), prior=lambda beta: sg.normal_lpdf(beta, 0, 1))
        def logistic(row, beta):
            return sg.bernoulli_logit_lpmf(row.y, row.x @ beta)

        fit = logistic.sample({"x": X, "y": y})

    With gradient=True the function computes numbers instead, for a minibatch at every step: function(batch, beta) returns the log
    likelihood of the rows of the batch, and its gradients by parameter. It is called with NumPy arrays, and may use torch, JAX, ... If
    possible, return one log likelihood and one gradient per row: some methods use them. The prior is still an expression."""
    for name, declared in parameters.items():
        _check_name(name)
        if not isinstance(declared, Parameter):
            raise _core.ModelError(f"parameter {name}: declare it as sg.real(), sg.vector(n), sg.array(shape), sg.simplex(n), ...; found {declared!r}")
    return lambda likelihood: ModelFunction(likelihood, parameters, prior, gradient)
