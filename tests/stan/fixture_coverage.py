#!/usr/bin/env python3
"""Lists the functions, distributions, constraints and language features that the fixtures use, and where.

    tests/stan/fixture_coverage.py           a JSON object: kind -> name -> fixtures
    tests/stan/fixture_coverage.py --names   one `kind name` per line
Only fixtures with expected values count. Kinds: distribution (as a log density or with ~), cdf (NAME_cdf, NAME_lcdf,
NAME_lccdf), truncation (distributions with T[,]), rng, function, constraint (of parameters), type, operator, feature.
"""
import argparse
import json
import re
from collections import defaultdict
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent / "fixtures"
BLOCKS = ("functions", "data", "transformed data", "parameters", "transformed parameters", "model",
          "generated quantities")
TYPES = ("int", "real", "vector", "row_vector", "matrix", "simplex", "unit_vector", "ordered", "positive_ordered",
         "corr_matrix", "cov_matrix", "cholesky_factor_corr", "cholesky_factor_cov")
OPERATORS = re.compile(r"%/%|\.\*=|\./=|\.\*|\./|\.\^|\+=|-=|\*=|/=|<=|>=|==|!=|&&|\|\||[-+*/%^\\'!<>?=]")
KEYWORDS = {"if", "for", "while", "return", "in", "else", "T", "print", "reject", "target"} | set(TYPES) | {"array"}


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def closing(text, start):
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in "{([") - (text[i] in "})]")
        if depth == 0:
            return i
    raise ValueError(f"unbalanced bracket at: {text[start:start + 40]}")


def blocks_of(text):
    """Block name -> text between its braces."""
    found, position = {}, 0
    header = re.compile(r"\s*(" + "|".join(sorted(BLOCKS, key=len, reverse=True)).replace(" ", r"\s+") + r")\s*\{")
    while match := header.match(text, position):
        end = closing(text, match.end() - 1)
        found[" ".join(match.group(1).split())] = text[match.end():end]
        position = end + 1
    return found


def declared_functions(text):
    kinds = "|".join(("void",) + TYPES)
    return set(re.findall(rf"\b(?:{kinds})\s*(?:\[[\s,]*\])?\s+(\w+)\s*\(", text))


def distribution_of(name):
    return re.sub(r"_l(u?)p(df|mf)$", "", name)


def features_of(text, blocks):
    """Names of the features whose pattern occurs."""
    body = blocks.get("model", "") + blocks.get("transformed parameters", "")
    tests = {
        "while": r"\bwhile\s*\(", "break": r"\bbreak\s*;", "continue": r"\bcontinue\s*;", "if": r"\bif\s*\(",
        "else": r"\belse\b", "for over a range": r"\bfor\s*\(\s*\w+\s+in\s+[^)]*?[^\[]:",
        "for over a container": r"\bfor\s*\(\s*\w+\s+in\s+\w+\s*\)", "conditional operator": r"\?",
        "target +=": r"\btarget\s*\+=", "truncation": r"\)\s*T\s*\[", "reject": r"\breject\s*\(", "print": r"\bprint\s*\(",
        "array literal": r"=\s*\{|[(\[,]\s*\{", "row vector literal": r"[=(*+,]\s*\[[^\]:]",
        "new array syntax": r"\barray\s*\[", "old array syntax": r"\b(?:real|int)(?:<[^;]*>)?\s+\w+\s*\[",
        "range index": r"\[[^\]]*:[^\]]*\]", "transpose": r"[\w)\]]'", "scientific notation": r"\d[eE][-+]?\d",
    }
    found = {name for name, pattern in tests.items() if re.search(pattern, text)}
    functions = blocks.get("functions", "")
    for name, pattern in {"user function": r"\breturn\b", "user density": r"\w+_lp[dm]f\s*\(", "_lp function": r"\w+_lp\s*\(",
                          "forward declaration": r"\)\s*;\s*(?:real|int|vector|matrix)\b", "void function": r"\bvoid\b",
                          "data-only argument": r"\bdata\s+(?:real|int|vector|matrix)\b"}.items():
        if re.search(pattern, functions):
            found.add(name)
    if re.search(r"(?<![\w)])\{", re.sub(r"(?:\)|\belse)\s*\{", "", body)) and re.search(r";\s*\{", body):
        found.add("local block")
    found |= {f"block {name}" for name in blocks}
    return found


def uses(text):
    """Pairs of kind and name in one model."""
    text = re.sub(r'"[^"]*"', '""', without_comments(text))
    blocks = blocks_of(text)
    own = declared_functions(blocks.get("functions", ""))
    own |= {distribution_of(name) for name in own}
    found = {("feature", name) for name in features_of(text, blocks)}
    for name in re.findall(r"\b([A-Za-z]\w*)\s*\(", text):
        if name in own or name in KEYWORDS:
            continue
        if re.search(r"_lu?p(df|mf)$", name):
            found.add(("distribution", distribution_of(name)))
        elif re.search(r"_(l?cdf|lccdf)$", name):
            found.add(("cdf", name))
        elif name.endswith("_rng"):
            found.add(("rng", name))
        elif not re.search(rf"~\s*{name}\s*\(", text):
            found.add(("function", name))
    for match in re.finditer(r"~\s*(\w+)\s*(\()", text):
        if match.group(1) in own:
            continue
        found.add(("distribution", match.group(1)))
        if re.match(r"\s*T\s*\[", text[closing(text, match.start(2)) + 1:]):
            found.add(("truncation", match.group(1)))
    parameters = blocks.get("parameters", "")
    found |= {("constraint", name) for name in re.findall(r"[<,]\s*(lower|upper|offset|multiplier)\s*=", parameters)}
    found |= {("constraint", name) for name in TYPES[5:] if re.search(rf"\b{name}\s*\[", parameters)}
    if re.search(r"<\s*lower\s*=[^;>]*,\s*upper", parameters):
        found.add(("constraint", "lower and upper"))
    found |= {("type", name) for name in TYPES if re.search(rf"\b{name}\b", text)}
    unconstrained = re.sub(r"<\s*(?:lower|upper|offset|multiplier)\b[^;]*?>(?=\s*[\w\[])", " ", text)
    found |= {("operator", name) for name in OPERATORS.findall(unconstrained)}
    return found


def coverage():
    table = defaultdict(lambda: defaultdict(list))
    for expected in sorted(FIXTURES.glob("*.expected.json")):
        name = expected.name[:-len(".expected.json")]
        for kind, item in uses((FIXTURES / f"{name}.stan").read_text()):
            table[kind][item].append(name)
    return {kind: dict(sorted(items.items())) for kind, items in sorted(table.items())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", action="store_true", help="print the names only")
    table = coverage()
    if parser.parse_args().names:
        print("\n".join(f"{kind} {item}" for kind, items in table.items() for item in items))
    else:
        print(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
