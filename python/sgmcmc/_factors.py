"""Matrix factorisation of ratings, with scikit-learn's interface: fit, predict, score. scikit-learn is not needed."""

from __future__ import annotations

import numbers as numeric
import warnings
from typing import Any, Optional, Union

import numpy as np

from . import _core, _data, _settings
from ._documents import _Estimator


def _columns(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The ids of users and of items, each as they are: an array of both would turn numbers beside texts into texts."""
    expected = "pairs are two columns, users and items; found"
    if hasattr(X, "iloc") or hasattr(X, "get_columns") or hasattr(X, "column_names"):  # pandas, polars, Arrow
        if len(X.shape) != 2:
            raise _core.DataError(f"{expected} one")
        columns = [X.iloc[:, k] for k in range(X.shape[1])] if hasattr(X, "iloc") else X.get_columns() if hasattr(X, "get_columns") else X.columns
    elif hasattr(X, "__array__"):
        array = np.asarray(_data.unmasked("X", X))
        if array.ndim != 2:
            raise _core.DataError(f"{expected} an array of shape {list(array.shape)}")
        columns = list(array.T)
    else:
        try:
            rows = [() if isinstance(row, (str, bytes)) else tuple(row) for row in X]
        except TypeError:
            rows = []
        if len({len(row) for row in rows}) != 1 or not rows[0]:
            raise _core.DataError(f"{expected} {type(X).__name__} that is not one of pairs, such as [[user, item], [user, item]]")
        columns = list(zip(*rows))
    if len(columns) != 2:
        raise _core.DataError(f"{expected} {len(columns)}. Choose two, as in table[['user', 'item']] or array[:, :2]")
    return _ids(columns[0]), _ids(columns[1])


def _ids(column: Any) -> np.ndarray:
    array = column.to_numpy() if hasattr(column, "to_numpy") else column
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biufUSO":
        values = list(column)
        array = np.fromiter(values, dtype=object, count=len(values))
        if _kinds(array) in ({"numbers"}, {"texts"}):
            array = np.asarray(values)
    if any(map(_is_missing, array.tolist())) if array.dtype.kind == "O" else array.dtype.kind == "f" and np.isnan(array).any():
        raise _core.DataError("an id of a user or an item is missing (None or NaN). Leave out its row")
    return array


def _is_missing(id: Any) -> bool:
    return id is None or type(id).__name__ == "NAType" or (not isinstance(id, (str, tuple)) and bool(id != id))


def _kinds(ids: np.ndarray) -> set[str]:
    if ids.dtype.kind != "O":
        return {{"U": "texts", "S": "bytes"}.get(ids.dtype.kind, "numbers")} if len(ids) else set()
    return {"texts" if isinstance(id, str) else "numbers" if isinstance(id, numeric.Number) else type(id).__name__ for id in ids.tolist()}


def _distinct(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different ids, and where among them each one stands."""
    try:
        return np.unique(ids, return_inverse=True)
    except TypeError:  # they have no order
        place: dict[Any, int] = {}
        numbers = np.array([place.setdefault(id, len(place)) for id in ids.tolist()])
        return np.fromiter(place, dtype=object, count=len(place)), numbers


def _rows_by_id(features: Any, side: str) -> dict[Any, Any]:
    if hasattr(features, "index") and hasattr(features, "to_numpy"):
        if features.index.has_duplicates:
            raise _core.DataError(f"{side}_features: the index has the same id twice. Keep one row for each id")
        return dict(zip(features.index.tolist(), features.to_numpy()))
    if hasattr(features, "toarray"):
        return dict(enumerate(features.toarray()))
    if hasattr(features, "keys"):
        return dict(features)
    try:
        return dict(enumerate(features))
    except TypeError as error:
        raise _core.DataError(f"{side}_features: give a mapping from ids to rows of numbers, a data frame, or a matrix whose row i is that "
                              "of id i") from error


def _matrix(rows: dict[Any, Any], columns: int, side: str) -> np.ndarray:
    """The rows of numbers of these ids, one below the other."""
    found = []
    for id, row in rows.items():
        _data.unmasked(f"{side}_features", row)
        try:
            numbers = np.asarray(row, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise _core.DataError(f"{side}_features: the row of {side} {id!r} is not a row of numbers. Give categories as columns of 0 "
                                  "and 1, and a number, such as the column's mean, for one that is missing") from error
        if numbers.ndim != 1 or len(numbers) == 0:
            raise _core.DataError(f"{side}_features: the row of {side} {id!r} is {_in_words(row, numbers)}; give a row of numbers for each "
                                  "id, such as [1.5] for one feature")
        if not np.isfinite(numbers).all():
            raise _core.DataError(f"{side}_features: the row of {side} {id!r} has a number that is not finite. Give a number, such as the "
                                  "column's mean")
        found.append(numbers)
    if len({len(numbers) for numbers in found}) > 1:
        raise _core.DataError(f"{side}_features: give a row of numbers for each id, all of the same length")
    return np.ascontiguousarray(found if found else np.zeros((0, columns)), dtype=np.float64)


def _in_words(row: Any, numbers: np.ndarray) -> str:
    if row is None:
        return "None"
    return "one number" if numbers.ndim == 0 else "empty" if numbers.size == 0 else f"an array of shape {list(numbers.shape)}"


def _features_of(features: Any, ids: np.ndarray, rated: np.ndarray, side: str) -> np.ndarray:
    """A row for each of the ids; rated: the places of those with ratings."""
    if features is None:
        return np.zeros((0, 0))
    rows = _rows_by_id(features, side)
    with_ratings = set(ids[rated].tolist())
    for id in ids.tolist():
        if id not in rows:
            which = f"there are ratings of {side} {id!r}" if id in with_ratings else f"the matrix has a row of {side} {id!r} without ratings"
            raise _core.DataError(f"{side}_features: {which} and no side features. Add its row")
    return _matrix({id: rows[id] for id in ids.tolist()}, 0, side)


class MatrixFactorization(_Estimator):
    """Bayesian matrix factorisation: fit(pairs, ratings) with an array of users and items, a row for each rating.

    predict(pairs) gives means, with return_std also standard deviations, with return_interval the ends of intervals; ids without ratings
    are predicted from the distribution of the others. observations: "gaussian", "poisson" (counts), "bernoulli" (0 and 1) or "stable"
    (moduli with heavy tails, of exponent alpha; their standard deviations are infinite). rmse_, log_predictive_, coverage_: of the ratings
    held out. usable_: whether predictions are better than the mean of the ratings; if not, do not use them. warnings_: in words. Settings
    have the names and defaults of `sgmcmc factorize`; None: that default.

    user_features, item_features: numbers known of users and items, from which the factors of ids without ratings are predicted, too; a
    mapping from ids to rows of numbers, a DataFrame indexed by ids, or a matrix whose row i is that of id i."""

    def __init__(self, n_components: int = 10, *, method: str = "gibbs", observations: str = "gaussian", alpha: Optional[float] = None,
                 biases: bool = True, prior_precision: Optional[float] = None, noise_precision: Optional[float] = None,
                 offset: Optional[float] = None, iterations: Optional[int] = None, step_size: Optional[float] = None,
                 blocks: Optional[int] = None, hold_out: float = 0.0, interval: float = 0.9, draws: Optional[int] = None,
                 random_state: int = 1, threads: Optional[int] = None) -> None:
        self.n_components = n_components
        self.method = method
        self.observations = observations
        self.alpha = alpha
        self.biases = biases
        self.prior_precision = prior_precision
        self.noise_precision = noise_precision
        self.offset = offset
        self.iterations = iterations
        self.step_size = step_size
        self.blocks = blocks
        self.hold_out = hold_out
        self.interval = interval
        self.draws = draws
        self.random_state = random_state
        self.threads = threads

    def fit(self, X: Any, y: Any = None, *, user_features: Any = None, item_features: Any = None) -> MatrixFactorization:
        """X: users and items in two columns, ids of any type, and y their ratings; or X a sparse matrix of ratings, users by items.
        Ctrl-C ends it with the draws made so far."""
        if hasattr(X, "tocoo"):
            matrix = X.tocoo()
            users, items, y = np.asarray(matrix.row), np.asarray(matrix.col), matrix.data
            self.users_, self.items_ = np.arange(matrix.shape[0]), np.arange(matrix.shape[1])
        else:
            users, items = _columns(X)
            if y is None:
                raise _core.DataError("fit needs the ratings of the pairs: fit(pairs, ratings)")
            self.users_, users = _distinct(users)
            self.items_, items = _distinct(items)
        _data.unmasked("y", y)
        try:
            ratings = np.ascontiguousarray(y, dtype=np.float64).ravel()
        except (TypeError, ValueError) as error:
            raise _core.DataError(f"ratings are numbers, one for each pair: {error}") from None
        if len(ratings) != len(users):
            raise _core.DataError(f"there are {len(users)} pairs and {len(ratings)} ratings; give one rating for each pair")
        if len(ratings) == 0:
            raise _core.DataError("there are no ratings")
        given = {name: value for name, value in self.get_params().items() if name not in ("n_components", "random_state", "biases")}
        texts = _settings.texts({"factors": self.n_components, "seed": self.random_state, "no_biases": not self.biases, **given}, own=("draws",))
        self._users = np.ascontiguousarray(users, dtype=np.int32)
        self._items = np.ascontiguousarray(items, dtype=np.int32)
        of_users = _features_of(user_features, self.users_, self._users, "user")
        of_items = _features_of(item_features, self.items_, self._items, "item")
        found = _core.fit_factors(len(self.users_), len(self.items_), self._users, self._items, ratings, texts, of_users,
                                  of_users.shape[1], of_items, of_items.shape[1])
        self.model_ = found["model"]
        self.rmse_ = found["rmse"]
        self.log_predictive_ = found["log_predictive"]
        self.coverage_ = found["coverage"]
        self.noise_precision_ = found["noise_precision"]
        self.trace_ = found["trace"]
        self.n_iter_ = found["iterations"]
        self.interrupted_ = found["interrupted"]
        self.usable_ = found["usable"]
        self.warnings_ = found["warnings"]
        for text in self.warnings_:
            warnings.warn(text, stacklevel=2)
        return self

    @staticmethod
    def _numbers(known: np.ndarray, ids: np.ndarray, side: str) -> np.ndarray:
        """Where the ids stand among those known; beyond the last: not at all."""
        ours, theirs = _kinds(known), _kinds(ids)
        if theirs and not ours & theirs:
            raise _core.DataError(f"{side} {ids[:1].tolist()[0]!r}: the ids of {side}s were {' and '.join(sorted(ours))} in fit, such as {known[:1].tolist()[0]!r}, "
                                  f"and are {' and '.join(sorted(theirs))} here. Give ids of the same type; beside texts, numbers stay numbers in a data frame and in a list of pairs, but not in an array")
        if known.dtype.kind == "O" or ids.dtype.kind == "O":
            place = {id: k for k, id in enumerate(known.tolist())}
            return np.array([place.get(id, len(known)) for id in ids.tolist()], dtype=np.int32)
        places = np.minimum(np.searchsorted(known, ids), len(known) - 1)
        return np.where(known[places] == ids, places, len(known)).astype(np.int32)

    @classmethod
    def _new_rows(cls, known: np.ndarray, ids: np.ndarray, features: Any, columns: int, side: str) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the ids, and the features of those beyond the known; beyond these: ids without features."""
        numbers = cls._numbers(known, ids, side)
        if features is None:
            return numbers, np.zeros((0, columns))
        rows = _rows_by_id(features, side)
        new = [id for id in dict.fromkeys(ids[numbers == len(known)].tolist()) if id in rows]
        place = {id: len(known) + row for row, id in enumerate(new)}
        beyond = len(known) + len(new)
        numbers = np.array([place.get(id, beyond) if number == len(known) else number
                            for id, number in zip(ids.tolist(), numbers)], dtype=np.int32)
        found = _matrix({id: rows[id] for id in new}, columns, side)
        if found.shape[1] != columns:
            raise _core.DataError(f"{side}_features: there are {found.shape[1]} features; the model has {columns}")
        return numbers, found

    def predict(self, X: Any, *, return_std: bool = False, return_interval: bool = False, user_features: Any = None,
                item_features: Any = None) -> Union[np.ndarray, tuple[np.ndarray, ...]]:
        """Means of new ratings; standard deviations and intervals include their noise. user_features, item_features: of ids without
        ratings, which are otherwise predicted from the mean of the features."""
        model = self._need("model_")
        users, items = _columns(X)
        user_numbers, of_users = self._new_rows(self.users_, users, user_features, model.user_features, "user")
        item_numbers, of_items = self._new_rows(self.items_, items, item_features, model.item_features, "item")
        found = _core.predict_pairs(model, user_numbers, item_numbers, of_users, of_items)
        parts = [found[:, 0]] + ([found[:, 1]] if return_std else []) + ([found[:, 2:4]] if return_interval else [])
        return parts[0] if len(parts) == 1 else tuple(parts)

    def score(self, X: Any, y: Any) -> float:
        """The coefficient of determination, as of scikit-learn's regressors."""
        y = np.asarray(y, dtype=float)
        return float(1 - np.sum((y - self.predict(X)) ** 2) / np.sum((y - y.mean()) ** 2))

    def recommend(self, user: Any, count: int = 10, *, user_features: Any = None) -> list[tuple[Any, float, float]]:
        """Items that the user has not rated, the best first: item, mean and standard deviation. user_features: of a new user, as for
        predict."""
        model = self._need("model_")
        number = int(self._numbers(self.users_, _ids([user]), "user")[0])
        rated = np.ascontiguousarray(self._items[self._users == number])
        _, features = self._new_rows(self.users_, _ids([user]), user_features, model.user_features, "user")
        return [(self.items_[item], mean, sd) for item, mean, sd in _core.recommend(model, number, count, rated, features)]
