#!/usr/bin/env python3
"""Checks that includes follow the order of the layers: a file includes only its own layer and those before it.

The order is SGMCMC_LAYERS in CMakeLists.txt. Public headers have the layer given below; they include nothing but the
standard library and one another, so that a user needs none of our dependencies. Examples see public headers only.
Programs in apps/ see public headers and those of the run service (SERVICE_LAYERS), directly and through what these include.
Messages of the library name settings, never options of the command line: the front end says them in its own words.
Eigen's decompositions, which take seconds to compile, are used through base/decompositions.hpp; layers optimised for compile time
(SGMCMC_QUICK_LAYERS in CMakeLists.txt) do not use Eigen at all.
"""

import pathlib
import re
import sys

PUBLIC_HEADER_LAYER = {
    "error": "base",
    "shape": "base",
    "shared_numbers": "base",
    "random": "base",
    "checkpoint": "base",
    "state": "base",
    "dataset": "data",
    "minibatch": "minibatch",
    "expression": "graph",
    "distributions": "density",
    "distribution_functions": "density",
    "constraint": "constraint",
    "model": "model",
    "subposterior": "model",
    "stan": "stan",
    "gradient": "gradient",
    "dynamics": "dynamics",
    "laplace": "dynamics",
    "simplex": "simplex",
    "corpus": "topics",
    "lda": "topics",
    "dpmix": "mixtures",
    "ratings": "factors",
    "side_features": "factors",
    "factorize": "factors",
    "draws": "draws",
    "compare": "diagnose",
    "diagnose": "diagnose",
    "rank_tests": "diagnose",
    "stein": "diagnose",
    "zero_variance": "diagnose",
    "optimize": "optimise",
    "precondition": "dynamics",
    "mode": "mode",
    "sample_options": "chains",
    "chain": "chains",
    "row_average": "chains",
    "sample": "chains",
    "tuning": "tune",
    "cycle": "cycles",
    "bias": "judge",
    "combine": "combine",
    "calibrate": "run",
    "figure": "report",
    "settings": "settings",
    "run": "service",
    "sgmcmc": "service",
}

# The run service, on which front ends are built.
SERVICE_LAYERS = {"report", "settings", "service"}

# Folders inside a layer, in order; files outside folders come last.
ROOMS = {
    "data": ["text"],
    "stan": ["builtins", "syntax", "check", "lowering", "binding", "forward"],
    "service": ["given", "record", "ranks", "sampling", "page"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
EIGEN = re.compile(r"Eigen::|<Eigen/")
DECOMPOSITION = re.compile(r"\b(LLT|LDLT|PartialPivLU|\w*HouseholderQR|\w*EigenSolver|JacobiSVD|BDCSVD)<|\.(llt|ldlt|partialPivLu)\(\)")
# Matrices of bounded size, in memory on the stack.
OWN_DECOMPOSITIONS = {"groups/group_evaluator.cpp", "plan/matrix_functions.cpp"}
SOURCE_SUFFIXES = {".cpp", ".hpp"}
OPTION_IN_TEXT = re.compile(r'"[^"]*--[a-z]')


def read_layers(root, name="SGMCMC_LAYERS"):
    text = (root / "CMakeLists.txt").read_text()
    found = re.search(rf"set\({name}\s+([^)]*)\)", text)
    if not found:
        sys.exit(f"check_layers: no set({name} ...) in CMakeLists.txt")
    return found.group(1).split()


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SOURCE_SUFFIXES)


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1) == '"', found.group(2)


def included_layer(name):
    """The layer of an included header; None for external headers."""
    folder, _, rest = name.partition("/")
    if folder == "sgmcmc":
        return PUBLIC_HEADER_LAYER.get(rest.removesuffix(".hpp"), f"no layer for <{name}>")
    return folder if rest else None


def room_rank(layer, path):
    """The position of a file or include among the folders of its layer."""
    rooms = ROOMS.get(layer, [])
    return rooms.index(path.parts[1]) if len(path.parts) > 2 and path.parts[1] in rooms else len(rooms)


def reached_by_programs(root):
    """Includes of internal headers by programs, or by headers of the run service that programs include."""
    waiting = sources(root / "apps")
    seen = set(waiting)
    for path in waiting:  # grows
        for number, quoted, name in includes(path):
            header = root / "src" / name
            if not quoted or not header.exists():  # a program's own headers are in the list already
                continue
            if name.partition("/")[0] not in SERVICE_LAYERS:
                yield path, number, name
            elif header not in seen:
                seen.add(header)
                waiting.append(header)


def check(root):
    layers = read_layers(root)
    rank = {layer: position for position, layer in enumerate(layers)}
    quick = read_layers(root, "SGMCMC_QUICK_LAYERS")
    problems = []

    def complain(path, number, text):
        problems.append(f"{path.relative_to(root)}:{number}: {text}")

    def check_order(path, number, layer, name):
        reached = included_layer(name)
        if reached not in rank:
            complain(path, number, f"{reached}: add it to PUBLIC_HEADER_LAYER in scripts/check_layers.py"
                     if str(reached).startswith("no layer") else f'"{name}" is not "<layer>/<file>"')
        elif rank[reached] > rank[layer]:
            complain(path, number, f"{layer}/ includes {name} of the later layer {reached}/")

    for path in sources(root / "src"):
        layer = path.relative_to(root / "src").parts[0]
        if layer not in rank:
            complain(path, 1, f"{layer}/ is not in SGMCMC_LAYERS of CMakeLists.txt")
            continue
        for number, quoted, name in includes(path):
            if quoted or name.startswith("sgmcmc/"):
                check_order(path, number, layer, name)
            own = room_rank(layer, path.relative_to(root / "src"))
            if quoted and name.startswith(layer + "/") and room_rank(layer, pathlib.PurePath(name)) > own:
                complain(path, number, f"includes {name} of a later folder of {layer}/")
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if OPTION_IN_TEXT.search(line):
                complain(path, number, "a text names an option of the command line; name the setting, without dashes")
            if layer in quick and EIGEN.search(line):
                complain(path, number, f"{layer}/ is optimised for compile time and does not use Eigen: base/dense_matrix.hpp has "
                         "functions of matrices")
            elif layer != "base" and DECOMPOSITION.search(line) and path.relative_to(root / "src").as_posix() not in OWN_DECOMPOSITIONS:
                complain(path, number, "instantiates a decomposition of Eigen: use base/decompositions.hpp")

    for path in sources(root / "include"):
        layer = PUBLIC_HEADER_LAYER.get(path.stem)
        if layer is None:
            complain(path, 1, "give this header a layer in PUBLIC_HEADER_LAYER of scripts/check_layers.py")
            continue
        for number, quoted, name in includes(path):
            if name.startswith("sgmcmc/"):
                check_order(path, number, layer, name)
            elif quoted or "/" in name:
                complain(path, number, f"a public header includes {name}: only <sgmcmc/...> and the standard library may be")

    for path in sources(root / "tests"):
        layer = path.relative_to(root / "tests").parts[0]
        for number, quoted, name in includes(path):
            if layer in rank and included_layer(name) in rank:
                check_order(path, number, layer, name)

    for path, number, name in reached_by_programs(root):
        complain(path, number, f"includes {name}, which programs reach: they see public headers and those of "
                 f"{', '.join(layer + '/' for layer in layers if layer in SERVICE_LAYERS)} only")

    for path in sources(root / "examples"):
        for number, quoted, name in includes(path):
            if name.partition("/")[0] in rank:
                complain(path, number, f"an example includes {name}: examples see public headers only")
    return problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    problems = check(root)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
