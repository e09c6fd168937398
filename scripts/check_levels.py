#!/usr/bin/env python3
"""Checks the objects of the instruction levels of a portable build: each defines symbols only in its own namespace.

usage: check_levels.py [--nm NM] OBJECT...   (build/levels/avx2.o ...; the name of the file is the level)

A function compiled for AVX-512 that another object could be linked with would crash on processors without it: inline
functions, templates and their static variables are such symbols, unless they have been made local. cmake/levels.cmake does
that; this script fails where a symbol was missed, where a level defines nothing, or where two levels define different things. It
also fails where a level calls a function of the rest with matrices of Eigen, which each level aligns and frees in its own way.
"""
import pathlib
import subprocess
import sys


def defined(nm, path):
    """Name and kind of every global symbol in the object."""
    text = subprocess.run([nm, "--extern-only", "--defined-only", "--format=posix", path], check=True,
                          capture_output=True, text=True).stdout
    return [line.split()[:2] for line in text.splitlines() if line]


def undefined(nm, path):
    """Name of every symbol that the object wants from others."""
    text = subprocess.run([nm, "--undefined-only", "--format=posix", path], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in text.splitlines() if line]


def main(arguments):
    nm = "nm"
    if arguments[:1] == ["--nm"]:
        nm, arguments = arguments[1], arguments[2:]
    if not arguments:
        sys.exit(__doc__)
    mistakes = []
    entries = {}
    for path in arguments:
        level = pathlib.Path(path).stem
        prefix = f"_ZN6sgmcmc{len(level)}{level}"
        symbols = defined(nm, path)
        for name, kind in symbols:
            if not name.startswith(prefix) or kind != "T":
                mistakes.append(f"{path}: defines {name} ({kind})")
        for name in undefined(nm, path):
            if "5Eigen" in name:
                mistakes.append(f"{path}: calls {name} with matrices of Eigen")
        entries[path] = {name.removeprefix(prefix) for name, _ in symbols}
        if not symbols:
            mistakes.append(f"{path}: defines nothing")
    first = arguments[0]
    for path in arguments[1:]:
        for name in sorted(entries[path] ^ entries[first]):
            mistakes.append(f"{path} and {first}: only one of them defines {name}")
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    print(f"{len(arguments)} levels of {len(entries[first])} functions: {len(mistakes)} mistakes")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
