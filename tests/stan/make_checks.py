#!/usr/bin/env python3
"""Makes checks/NAME.expected.json with real Stan: which data it refuses, which points it rejects, and log densities elsewhere.

Never needed to build or to test; see make_fixtures.py. Run it after changing a model of checks/ or a case below:
    tests/stan/make_checks.py [NAME ...]
"""
import hashlib
import json
import math
import re
import sys

import make_fixtures
from make_fixtures import CACHE, HERE, compile_all, compiled, dumped, evaluate

CHECKS = HERE / "checks"
POINTS = [[0.3, -0.2], [-0.4, 0.5]]  # mu, log(sigma)
TINY = 1e-7
STEP = 1e-3  # of differences


def truncated_parameters():
    """Within, at, just beyond and far beyond the bounds; bounds that exclude everything, and one beyond most supports."""
    for which in range(1, 61):
        for w in (0.25, 0.4, 0.9, 0.25 - TINY, 0.9 + TINY, 3.0, -0.3):
            yield {"which": which, "L": 0.25, "U": 0.9}, [*POINTS[0], w]
        yield {"which": which, "L": 0.25, "U": 0.9}, [*POINTS[1], 0.6]
        for w in (0.25, 0.6, 0.9):
            yield {"which": which, "L": 0.9, "U": 0.25}, [*POINTS[0], w]
        yield {"which": which, "L": -1.0, "U": 0.9}, [*POINTS[0], 0.6]


def truncated_data():
    rows = [([0.4, 0.6, 0.8], 0.9), ([0.25, 0.31, 0.9], 0.9), ([0.4, 0.3 - TINY, 0.8], 0.9), ([0.4, 0.6, 0.9 + TINY], 0.9),
            ([0.4, 0.6, 2.0], 0.9)]
    for which in range(1, 61):
        for y, high in rows:
            yield {"which": which, "N": 3, "y": y, "L": [0.25, 0.3, 0.21], "U": high}, POINTS[0]
        yield {"which": which, "N": 3, "y": rows[0][0], "L": [0.25, 0.3, 0.21], "U": 0.9}, POINTS[1]
        yield {"which": which, "N": 3, "y": rows[0][0], "L": [0.25, -1.0, 0.21], "U": 0.9}, POINTS[0]


def truncated_between_parameters():
    for which in range(1, 25):
        data = {"which": which, "N": 3, "y": [0.4, 0.6, 0.8]}
        for low, high in ((0.3, 0.9), (0.4, 0.8), (0.4 + TINY, 0.9), (0.1, 0.8 - TINY), (0.7, 0.5), (-0.2, 1.5)):
            yield data, [*POINTS[0], low, high]
        yield data, [*POINTS[1], 0.1, 2.0]


def truncated_counts():
    for which in range(1, 19):
        few = which in (13, 14, 15)  # bernoulli
        # beta_binomial: with a lower bound of 0, Stan 2.21 computes a probability above 1, and it accepts negative bounds.
        rare = which in (16, 17, 18)
        low = [1, 0, 1] if few else [1, 2, 1] if rare else [1, 2, 0]
        for y in ([1, 1, 1], [0, 1, 1]) if few else ([1, 2, 4], [3, 2, 4], [3, 3, 3], [0, 3, 3], [3, 1, 3], [3, 3, 5]):
            for high in (0, 1) if few else (4,):
                yield {"which": which, "N": 3, "y": y, "L": low, "U": high}, POINTS[0]
        y = [1, 0, 1] if few else [2, 3, 3]
        yield {"which": which, "N": 3, "y": y, "L": [0, 0, 0] if few else low, "U": 1 if few else 4}, POINTS[1]
        if not rare:
            yield {"which": which, "N": 3, "y": y, "L": [-1, 0, -2], "U": 1 if few else 9}, POINTS[1]


# For the declarations in declarations.stan.inc: values of x, from valid to invalid.
DECLARED = {
    1: (0, 1e-300, -1e-300, -1e-9, -1), 2: (2, 2 + 1e-12, 3), 3: (-1, 1, -1 - 1e-12, 1 + 1e-12), 4: (0, -1e-12),
    5: (1, 1 + 1e-12), 6: (0, -1e-12), 7: (1, 1 - 1e-12),
    8: (0, 1, -1e-12, 1 + 1e-12), 9: (0.5 + 0.9e-8, 0.5 - 0.9e-8, 0.5 + 1.1e-8, 0.5 - 1.1e-8, 0.4),
    10: (1 + 0.9e-8, 1 - 0.9e-8, 1 + 1.1e-8, 1 - 1.1e-8),
    11: (1e-300, -1 + 1e-12, 1 - 1e-12, -1, 1, 2), 12: (0, -1e-300, 1 - 1e-12, 1), 13: (0.5 + 1e-12, 0.5, -1),
    14: (-1, 1 + 0.45e-8, 1 - 0.45e-8, 1 + 0.55e-8, 1 - 0.55e-8, 0.5),
    15: (0.9, 1 - 1e-9, 1, -1, 1.1), 16: (0.5 + 0.9e-8, 0.5 - 0.9e-8, 0.5 + 1.1e-8, 0.5 - 1.1e-8),
    17: (1.1e-8, 1, 0.9e-8, 1e-12, 0, -1), 18: (1, 1.1e-8, 0.9e-8, 1e-12, 1e-300, 0, -1),
    19: (0.9, 1 - 1e-9, 1, -1, 1.1), 20: (1 + 0.9e-8, 1 - 0.9e-8, 1 + 1.1e-8, 1 - 1.1e-8, 2),
    21: (0.5 + 0.9e-8, 0.5 - 0.9e-8, 0.5 + 1.1e-8, 0.5 - 1.1e-8),
    22: (1e-300, 1, 0, -1e-300, -1), 23: (0, 1e-300, 1e-9, 1), 24: (1, 1e-12, 0, -1),
    25: (0.8 + 0.55e-8, 0.8 - 0.55e-8, 0.8 + 0.7e-8, 0.8 - 0.7e-8, -0.8),
    26: (0.6, -0.6, 0.6 + 0.8e-8, 0.6 - 0.8e-8, 0.6 + 0.9e-8, 0.6 - 0.9e-8), 27: (0, 1e-300, 1e-9),
    28: (0.75 + 0.9e-8, 0.75 - 1.1e-8, -0.75), 29: (1e-12, 0, -1), 30: (1, 0, 1 + 1e-12, 2),
    **{which: (0.25, -1) for which in (31, 34, 35, 36, 37)}, 32: (1, -1), 33: (0.25, 0.99, 1, -1),
}


def declared(as_data):
    for which, values in DECLARED.items():
        for x in values:
            yield ({"which": which, "x": x}, [0.3]) if as_data else ({"which": which}, [x])


def constraints_data():
    held = {"count": 2, "counts": [0, 3], "low": 0, "above": 0.5, "between": [0, 1], "share": [0.25, 0.75], "rising": [-1, 1],
            "positive": [0, 1], "unit": [0.6, 0.8], "covariance": [[2, 1], [1, 2]], "single": [[1]],
            "correlation": [[1, 0.5], [0.5, 1]], "factor": [[1, 0], [2, 1]], "factor_corr": [[1, 0], [0.6, 0.8]],
            "shares": [[0.5, 0.5], [0, 1]]}
    changed = [
        {}, {"count": 1}, {"count": 3}, {"count": 0}, {"count": 4}, {"counts": [0, -1]}, {"low": -1e-300},
        {"low": 0.5}, {"low": 0.5 + 1e-12}, {"above": -1}, {"between": [-1e-12, 1]}, {"between": [0, 1 + 1e-12]},
        {"share": [0.25 + 0.9e-8, 0.75]}, {"share": [0.25 + 1.1e-8, 0.75]}, {"share": [-0.25, 1.25]}, {"share": [1, 1]},
        {"rising": [1, 1]}, {"rising": [1, -1]}, {"rising": [1, 1 + 1e-12]}, {"positive": [-1e-300, 1]}, {"positive": [1, 1]},
        {"unit": [0.6 + 0.8e-8, 0.8]}, {"unit": [0.6 + 0.9e-8, 0.8]}, {"unit": [0, 0]},
        {"covariance": [[2, 1], [1 + 0.9e-8, 2]]}, {"covariance": [[2, 1], [1 + 1.1e-8, 2]]},
        {"covariance": [[1, 1], [1, 1]]}, {"covariance": [[-1, 0], [0, -1]]}, {"covariance": [[1, 2], [2, 1]]},
        {"single": [[1.1e-8]]}, {"single": [[0.9e-8]]}, {"single": [[0]]},
        {"correlation": [[1, 0.5], [0.5, 1 + 0.9e-8]]}, {"correlation": [[1, 0.5], [0.5, 1 + 1.1e-8]]},
        {"correlation": [[1, 1.5], [1.5, 1]]}, {"correlation": [[1, 0.5], [0.4, 1]]},
        {"factor": [[1, 0], [2, 0]]}, {"factor": [[1, 1e-300], [2, 1]]}, {"factor": [[-1, 0], [2, 1]]},
        {"factor_corr": [[1, 0], [0.6 + 0.8e-8, 0.8]]}, {"factor_corr": [[1, 0], [0.6 + 0.9e-8, 0.8]]},
        {"factor_corr": [[1, 0], [0.6, -0.8]]}, {"shares": [[0.5, 0.5], [0.5, 0.6]]}, {"shares": [[0.5, 0.5], [-1, 2]]}]
    for change in changed:
        yield {**held, **change}, [0.3]


def constraints_rows():
    for y in ([1, 2, 4], [0.5, 2, 4], [1, 11, 4], [1, -2, 4]):
        for limit, mu, edge in ((20, 0.3, 0.5), (20, 0.7, -1), (4.3, 0.3, -1), (4.2, 0.3, -1), (20, 0.3, 1.3), (20, 0.3, 1.31),
                                (20, -0.6, -0.1), (20, -0.6, -1)):
            yield {"N": 3, "y": y, "limit": limit}, [mu, edge]


CASES = {
    "constraints_data": constraints_data,
    "constraints_generated_quantities": lambda: declared(False),
    "constraints_rows": constraints_rows,
    "constraints_transformed_data": lambda: declared(True),
    "constraints_transformed_parameters": lambda: declared(False),
    "truncated_between_parameters": truncated_between_parameters,
    "truncated_counts": truncated_counts,
    "truncated_data": truncated_data,
    "truncated_parameters": truncated_parameters,
}


def model_text(name):
    """The text with #include lines replaced by their files."""
    text = (CHECKS / f"{name}.stan").read_text()
    return re.sub(r"^#include (\S+)$", lambda match: (CHECKS / match.group(1)).read_text(), text, flags=re.MULTILINE)


def by_differences(program, data_file, point):
    """For points where Stan's derivatives are not finite; one-sided at the end of a truncation."""
    gradient = []
    for i in range(len(point)):
        for steps, weights in (((-2, -1, 1, 2), (1, -8, 8, -1)), ((0, 1, 2, 3, 4), (-25, 48, -36, 16, -3)),
                               ((0, -1, -2, -3, -4), (25, -48, 36, -16, 3))):
            points = [point[:i] + [point[i] + k * STEP] + point[i + 1:] for k in steps]
            _, results, _ = evaluate(program, data_file, points, False)
            values = [result.get("value", -math.inf) for result in results]
            if all(map(math.isfinite, values)):
                gradient.append(sum(weight * value for weight, value in zip(weights, values)) / (12 * STEP))
                break
        else:
            raise RuntimeError(f"no derivative at {point}")
    return gradient, 1e-6


def make(name):
    text = model_text(name)
    cases = list(CASES[name]())
    program = compiled(text)
    points_of = {}
    for data, point in cases:
        points_of.setdefault(json.dumps(data), []).append(point)
    answers = {}
    for key, points in points_of.items():
        data_file = CACHE / f"{name}.data.R"
        data_file.write_text("".join(f"{variable} <- {dumped(value)}\n" for variable, value in json.loads(key).items()))
        head, results, _ = evaluate(program, data_file, points, True)
        for point, result in zip(points, results if head else [None] * len(points)):
            answers[key, tuple(point)] = result
            if result and math.isfinite(result.get("with_constants", math.nan)):
                result["gradient_error"] = 1e-8
                if not all(map(math.isfinite, result["gradient"])):
                    result["gradient"], result["gradient_error"] = by_differences(program, data_file, point)
    none = [0.0] * len(cases[0][1])
    columns = {variable: [] for variable in cases[0][0]}
    columns.update({key: [] for key in ("point", "refused", "rejected", "unwritten", "log_density", "gradient",
                                          "gradient_error")})
    for data, point in cases:
        for variable, value in data.items():
            columns[variable].append(value)
        result = answers[json.dumps(data), tuple(point)]
        value = (result or {}).get("with_constants", -math.inf)
        if math.isnan(value) or value == math.inf:
            print(f"{name}: {value} at {data} {point}")
        inside = math.isfinite(value)
        columns["point"].append(point)
        columns["refused"].append(int(result is None))
        columns["rejected"].append(int(not inside))
        columns["unwritten"].append(int(result is None or "constrained" not in result))
        columns["log_density"].append(value if inside else 0.0)
        columns["gradient"].append(result["gradient"] if inside else none)
        columns["gradient_error"].append(result["gradient_error"] if inside else 0.0)
    columns = {"source": hashlib.sha256(text.encode()).hexdigest()[:16], **columns}
    body = ",\n".join(f' "{key}": {json.dumps(column)}' for key, column in columns.items())
    (CHECKS / f"{name}.expected.json").write_text("{\n" + body + "\n}\n")
    return (f"{len(cases)} cases: data refused in {sum(columns['refused'])}, points rejected in {sum(columns['rejected'])}, "
            f"outputs not written in {sum(columns['unwritten'])}")


def main():
    names = sys.argv[1:] or list(CASES)
    compile_all([model_text(name) for name in names])
    for name in names:
        print(f"{name}: {make(name)}", flush=True)


if __name__ == "__main__":
    main()
