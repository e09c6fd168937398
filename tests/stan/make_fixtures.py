#!/usr/bin/env python3
"""Makes fixtures/NAME.expected.json from fixtures/NAME.stan and NAME.json with real Stan (Debian: r-cran-rstan).

Never needed to build or to test. Run it after adding or changing a model:
    tests/stan/make_fixtures.py [--check] [NAME ...]
Compiled models are kept by the hash of their text, so only new ones take time (about 10 s each). Models may use the
array syntax that Stan 2.21 does not know; see for_old_stan().
"""
import argparse
import hashlib
import json
import math
import os
import random
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIXTURES = Path(os.environ.get("STAN_FIXTURES", HERE / "fixtures"))
CACHE = Path(os.environ.get("STAN_FIXTURE_CACHE", HERE.parents[1] / "build" / "stan-fixtures"))
R_PACKAGES = Path(os.environ.get("R_PACKAGES", "/usr/lib/R/site-library"))
POINTS = 4
ATTEMPTS = 200
BATCH = 8
FLAGS = ["-std=c++14", "-O0", "-w", "-DBOOST_DISABLE_ASSERTS", "-DBOOST_PHOENIX_NO_VARIADIC_EXPRESSION"] + [
    f"-I{R_PACKAGES / folder}" for folder in
    ("StanHeaders/include/src", "StanHeaders/include", "RcppParallel/include", "RcppEigen/include")]


def balanced(text, start, opening, closing):
    """The index after the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == opening) - (text[i] == closing)
        if depth == 0:
            return i + 1
    raise SystemExit(f"unbalanced {opening} in: {text[start:start + 60]}")


def constraint_end(text, start):
    """The index after the `>` that closes the constraint opened at `start`."""
    depth = 0
    for i in range(start + 1, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0 and text[i] == ">":
            return i + 1
    raise SystemExit(f"unbalanced < in: {text[start:start + 60]}")


def old_arrays(text):
    """`array[N] T x` as `T x[N]` and `array[] T` as `T[]`, for Stan before 2.26."""
    out, position = [], 0
    for match in re.finditer(r"\barray\s*\[", text):
        if match.start() < position:
            raise SystemExit("array inside array")
        out.append(text[position:match.start()])
        sizes_end = balanced(text, match.end() - 1, "[", "]")
        sizes = text[match.end() - 1:sizes_end]
        i = re.compile(r"\s*\w+\s*").match(text, sizes_end).end()
        if text[i] == "<":
            i = constraint_end(text, i)
        spaces = re.compile(r"\s*").match(text, i).end()
        if text[spaces] == "[":
            i = balanced(text, spaces, "[", "]")
        kind = text[sizes_end:i].strip()
        if re.fullmatch(r"\[[\s,]*\]", sizes):
            out.append(f"{kind}{sizes} ")
            position = i
        else:
            name = re.compile(r"\s*(\w+)").match(text, i)
            out.append(f"{kind} {name.group(1)}{sizes}")
            position = name.end()
    return "".join(out) + text[position:]


def for_old_stan(text):
    """The model as Stan 2.21 reads it; a line that ends in `// 2.21: CODE` is replaced by that code."""
    return old_arrays(re.sub(r"^.*// 2\.21: ?(.*)$", r"\1", text, flags=re.MULTILINE))


def dumped(value):
    """A JSON value as the R dump text that Stan 2.21 reads."""
    dims, level = [], value
    while isinstance(level, list):
        dims.append(len(level))
        level = level[0] if level else None
    flat = value
    for _ in dims[1:]:
        flat = [x for row in flat for x in row]
    number = lambda x: repr(x) if isinstance(x, (int, float)) else str(x)
    if not dims:
        return number(value)
    if not flat:
        return "integer(0)" if len(dims) == 1 else f"structure(integer(0), .Dim = c({', '.join(map(str, dims))}))"
    if len(dims) > 1:
        strides = [math.prod(dims[i + 1:]) for i in range(len(dims))]
        order = [0]
        for size, stride in zip(dims, strides):  # R counts the first index fastest
            order = [base + k * stride for k in range(size) for base in order]
        flat = [flat[i] for i in order]
    numbers = f"c({', '.join(map(number, flat))})"
    return numbers if len(dims) == 1 else f"structure({numbers}, .Dim = c({', '.join(map(str, dims))}))"


def run(command, **options):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)
    if done.returncode:
        lines = (done.stdout + done.stderr).split("\n")
        telling = [line[:300] for line in lines if "error" in line][:8] or lines[-25:]
        raise RuntimeError("\n  ".join([f"{' '.join(map(str, command[:2]))} failed:", *telling]))
    return done


def precompiled():
    header = CACHE / "stan_header.hpp"
    if not Path(f"{header}.gch").exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        header.write_text("#include <stan/model/model_header.hpp>\n")
        run(["g++", *FLAGS, "-x", "c++-header", header, "-o", f"{header}.gch"])
    return header


def key_of(text):
    """A name for the files generated from a model's text."""
    harness = (HERE / "rstan" / "stan_log_prob.cpp").read_text()
    return hashlib.sha256((for_old_stan(text) + harness + " ".join(FLAGS)).encode()).hexdigest()[:16]


def link_of(key):
    return CACHE / f"{key}.program"


def translate(texts):
    """Lets rstan generate the C++ code of each model; returns the keys of those it accepted."""
    models = []
    for text in texts:
        models.append(CACHE / f"{key_of(text)}.stan")
        models[-1].write_text(for_old_stan(text))
    said = run(["Rscript", HERE / "stan_to_cpp.R", *models]).stderr
    taken = []
    for model in models:
        cpp = model.with_suffix(".hpp")
        if not cpp.exists():
            print(f"stanc refused {model}:\n{said}", file=sys.stderr)
            continue
        key = model.stem
        # The abstract base class would instantiate eight versions of log_prob; the plain one needs only two.
        plain = cpp.read_text().split("#ifndef USING_R")[0].replace(
            f"stan::model::model_base_crtp<model_{key}>", "stan::model::prob_grad").replace(
            ": model_base_crtp(0)", ": prob_grad(0)").replace(f"typedef model_{key}_namespace::model_{key} stan_model;", "")
        cpp.write_text(plain)
        taken.append(key)
    return taken


def compile_together(keys):
    """One program for several models: reading Stan's headers takes longer than compiling a model."""
    header = precompiled()
    batch = CACHE / f"batch-{keys[0]}"
    entries = []
    for key in keys:
        random_quantities = re.search(r"\w_rng\s*\(", (CACHE / f"{key}.stan").read_text()) is not None
        entries.append(f"X({key}, {'false' if random_quantities else 'true'})")
    includes = "".join(f'#include "{CACHE}/{key}.hpp"\n' for key in keys)
    Path(f"{batch}.hpp").write_text(includes + "#define MODELS(X) " + " ".join(entries) + "\n")
    try:
        run(["g++", *FLAGS, "-include", header, f'-DMODELS_FILE="{batch}.hpp"', HERE / "rstan" / "stan_log_prob.cpp",
             "-o", batch, "-ltbb"])
    except RuntimeError:
        if len(keys) == 1:
            raise
        for key in keys:
            try:
                compile_together([key])
            except RuntimeError as error:
                print(f"{key}: {error}", file=sys.stderr)
        return
    for key in keys:
        link_of(key).write_text(str(batch))


def compile_all(texts):
    missing = [text for text in texts if not link_of(key_of(text)).exists()]
    if missing:
        CACHE.mkdir(parents=True, exist_ok=True)
        keys = translate(missing)
        for i in range(0, len(keys), BATCH):
            compile_together(keys[i:i + BATCH])


def compiled(text):
    """The command that evaluates a model."""
    key = key_of(text)
    if not link_of(key).exists():
        compile_all([text])
    if not link_of(key).exists():
        raise RuntimeError("Stan did not take the model (see above)")
    return [link_of(key).read_text(), key]


def evaluate(program, data_file, points, constrained):
    lines = "".join(f"{int(constrained)} " + " ".join(repr(x) for x in point) + "\n" for point in points)
    done = run([*program, data_file], input=lines)
    head, *rest = done.stdout.strip().split("\n")
    results = []
    for line in rest:
        result = json.loads(line)
        numbers = {key: [float(x) for x in value] if isinstance(value, list) else float(value)
                   for key, value in result.items()}
        results.append(numbers)
    return json.loads(head), results, done.stderr


def differences(program, data_file, point, step=1e-3):
    """The gradient by five-point differences, to detect wrong derivatives in Stan."""
    shifts = (-2, -1, 1, 2)
    points = [point[:i] + [point[i] + k * step] + point[i + 1:] for i in range(len(point)) for k in shifts]
    _, results, _ = evaluate(program, data_file, points, False)
    values = [result.get("value", math.nan) for result in results]
    return [(values[i] - 8 * values[i + 1] + 8 * values[i + 2] - values[i + 3]) / (12 * step)
            for i in range(0, len(values), 4)]


def fixture_hash(name):
    texts = (FIXTURES / f"{name}.stan").read_bytes() + (FIXTURES / f"{name}.json").read_bytes()
    return hashlib.sha256(texts).hexdigest()[:16]


def up_to_date(name):
    target = FIXTURES / f"{name}.expected.json"
    return target.exists() and json.loads(target.read_text()).get("source") == fixture_hash(name)


def make(name):
    text = (FIXTURES / f"{name}.stan").read_text()
    scale = re.search(r"//\s*points: normal\(0, ([0-9.]+)\)", text)
    scale = float(scale.group(1)) if scale else 0.7
    program = compiled(text)
    data_file = CACHE / f"{name}.data.R"
    data = json.loads((FIXTURES / f"{name}.json").read_text())
    data_file.write_text("".join(f"{key} <- {dumped(value)}\n" for key, value in data.items()))
    head, _, said = evaluate(program, data_file, [], False)
    if not head:
        raise RuntimeError(f"Stan refuses the data: {said}")
    # A variable that replaces another one only in the text for 2.21 has the other's name with the suffix __raw.
    shown = [i for i, name in enumerate(head["constrained_names"]) if "__raw" not in name]
    generator = random.Random(name)
    points, results, complaints = [], [], ""
    for _ in range(ATTEMPTS):
        point = [round(generator.gauss(0, scale), 6) for _ in head["names"]]
        _, (result,), said = evaluate(program, data_file, [point], True)
        numbers = "value" in result and "constrained" in result and [result["value"], result["with_constants"], *result["gradient"], *result["constrained"]]
        if not numbers or not all(map(math.isfinite, numbers)):
            complaints = said or f"not finite: {result}"
            continue
        points.append(point)
        results.append(result)
        if len(points) == POINTS:
            break
    else:
        raise RuntimeError(f"only {len(points)} usable points in {ATTEMPTS}: {complaints[-600:]}")
    by_differences = "// gradient: by differences" in text
    if by_differences:  # the check below then compares two step sizes
        for point, result in zip(points, results):
            result["gradient"] = differences(program, data_file, point, 7e-4)
    worst = 0.0
    dropped = [result["with_constants"] - result["value"] for result in results]
    for point, result, constant in zip(points, results, dropped):
        def disagreement(step):
            errors = [abs(exact - approximate) / max(1.0, abs(exact)) for exact, approximate in
                      zip(result["gradient"], differences(program, data_file, point, step))]
            return max(math.inf if math.isnan(error) else error for error in errors)

        disagreed = disagreement(1e-3)
        if disagreed > 1e-9:
            disagreed = min(disagreed, disagreement(2e-4))  # where the density bends much
        # For ~ beta_binomial, Stan 2.21 drops more than constants in some cases.
        worst = max(worst, disagreed / max(1.0, 1e-3 * abs(result["value"])), abs(constant - dropped[0]))
    if worst > 5e-9:
        raise RuntimeError(f"Stan's values and derivatives disagree by {worst:.1e}: see `// gradient: by differences` and "
                           "`// points: normal(0, SCALE)` in other fixtures")
    expected = {
        "source": fixture_hash(name),
        "names": [name.replace("__raw", "") for name in head["names"]],
        "points": points,
        "log_density": [result["value"] for result in results],
        "log_density_with_constants": [result["with_constants"] for result in results],
        "gradient": [result["gradient"] for result in results],
        "gradient_by_differences": by_differences,
        "constrained_names": [head["constrained_names"][i] for i in shown],
        "constrained": [[result["constrained"][i] for i in shown] for result in results],
    }
    target = FIXTURES / f"{name}.expected.json"
    body = ",\n".join(f' "{key}": ' + (("[\n  " + ",\n  ".join(json.dumps(row) for row in value) + "]")
                                       if key in ("points", "gradient", "constrained") else json.dumps(value))
                      for key, value in expected.items())
    target.write_text("{\n" + body + "\n}\n")
    return f"made, {len(head['names'])} parameters, derivatives agree with differences to {worst:.1e}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="fixtures to make; all when none is named")
    parser.add_argument("--check", action="store_true", help="make also those that are up to date")
    options = parser.parse_args()
    names = options.names or sorted(path.stem for path in FIXTURES.glob("*.stan"))
    wanted = [name for name in names if options.check or not up_to_date(name)]
    failed = 0
    for i in range(0, len(wanted), BATCH):
        group = wanted[i:i + BATCH]
        compile_all([(FIXTURES / f"{name}.stan").read_text() for name in group])
        for name in group:
            try:
                print(f"{name}: {make(name)}", flush=True)
            except (RuntimeError, OSError, ValueError) as error:
                failed += 1
                print(f"{name}: FAILED: {error}", flush=True)
    print(f"{len(names)} fixtures, {len(wanted)} made anew, {failed} of them failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
