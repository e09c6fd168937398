"""Writes the table of functions that Python models can use, from the headers of the engine: every function there whose arguments
are expressions, with the names of its arguments and its comment. One output for C++ and one with type hints.

    python function_table.py INCLUDE_FOLDER functions.inc _functions.pyi
"""

import pathlib
import re
import runpy
import sys

HEADERS = ("expression.hpp", "distribution_functions.hpp", "distributions.hpp")
DECLARATION = re.compile(
    r"(?P<above>(?:^///[^\n]*\n)*)^Expression (?P<name>[A-Za-z_]\w*)\((?P<arguments>[^;{]*?)\);(?P<behind>[ ]*///<[^\n]*)?", re.M)


def text_of(comment):
    words = " ".join(line.strip().removeprefix("///<").removeprefix("///").strip() for line in comment.splitlines())
    words = re.sub(r"\s+", " ", words).strip()
    return "" if re.match("the same|its logarithm", words, re.I) else words  # of the one above


def functions(folder):
    """name, names of the arguments, comment; arguments with defaults are left at them."""
    found = {}
    for header in HEADERS:
        for match in DECLARATION.finditer((folder / header).read_text()):
            arguments = [re.sub(r"\s+", " ", argument).strip() for argument in match["arguments"].split(",")]
            needed = [argument for argument in arguments if "=" not in argument]
            if all(argument.startswith("const Expression& ") for argument in needed):
                names = [argument.rsplit(" ", 1)[1] for argument in needed]
                found.setdefault(match["name"], (names, text_of(match["above"] + (match["behind"] or ""))))
    return sorted((name, *rest) for name, rest in found.items())


def main(include, inc, pyi):
    table = functions(pathlib.Path(include) / "sgmcmc")
    hidden = runpy.run_path(str(pathlib.Path(__file__).parent / "sgmcmc" / "_names.py"))["HIDDEN"]
    rows, hints = [], []
    for name, arguments, comment in table:
        call = ", ".join(f"a[{k}]" for k in range(len(arguments)))
        quoted = comment.replace("\\", "\\\\").replace('"', '\\"')
        rows.append(f'{{"{name}", "{" ".join(arguments)}", "{quoted}", [](Arguments a) {{ return sgmcmc::{name}({call}); }}}},')
        if name not in hidden:
            python = ", ".join(f"{argument}: Operand" for argument in arguments)
            hints.append(f"def {name}({python}) -> Any: ...")
    pathlib.Path(inc).write_text("\n".join(rows) + "\n")
    head = ["# Functions of the engine, made from its headers; the first ones are written in _functions.py.", "from typing import Any", "",
            "from ._expression import Expression, Operand", "",
            "def functions() -> list[str]: ...",
            "def logsumexp(x: Operand, axis: Any = ..., keepdims: bool = ...) -> Any: ...",
            "def log_mix(weights: Operand, *components: Any) -> Any: ...",
            "def solve_triangular(lower: Operand, b: Operand, transposed: bool = ...) -> Any: ...",
            "def lmgamma(dimension: int, x: Operand) -> Any: ..."]
    pathlib.Path(pyi).write_text("\n".join(head + hints) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
