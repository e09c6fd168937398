#!/usr/bin/env python3
"""Checks that every file of src/ and include/ opens with a comment that says what it is for."""

import pathlib
import re
import sys

PURPOSE = re.compile(r"^// \S+ \S+")  # at least two words


def check(root):
    problems = []
    for folder in ("src", "include"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".cpp", ".hpp", ".cu"}:
                first_line = path.read_text().partition("\n")[0]
                if not PURPOSE.match(first_line):
                    problems.append(f"{path.relative_to(root)}:1: open the file with one sentence saying what it is for")
    return problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    problems = check(root)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
