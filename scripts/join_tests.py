#!/usr/bin/env python3
"""Joins test files into one, which compiles faster than the separate files.

    scripts/join_tests.py OUT FILE...

Each unnamed namespace gets the name of its file, so that files may use the same names. Messages of the compiler and of failed
tests still point to the files themselves.
"""

import pathlib
import re
import sys


def main():
    out, *files = map(pathlib.Path, sys.argv[1:])
    parts = []
    for file in files:
        text, found = re.subn(r"^namespace \{$", f"namespace of_{file.stem} {{", file.read_text(), flags=re.MULTILINE)
        if found == 0:
            sys.exit(f"join_tests: {file} has no line 'namespace {{' around its own names")
        macros = re.findall(r"^#define (\w+)", text, flags=re.MULTILINE)
        undefine = "".join(f"#undef {name}\n" for name in dict.fromkeys(macros))
        parts.append(f'#line 1 "{file}"\n{text}\n{undefine}')
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(parts))


if __name__ == "__main__":
    main()
