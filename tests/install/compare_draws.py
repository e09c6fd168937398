"""Compares the draws printed by a program that uses the library with those in the files of `sgmcmc sample`, bit by bit.

Call: compare_draws.py SAMPLE_STAN SGMCMC MODEL DATA SEED FOLDER. DATA: a file, or a number of rows that are made up.
"""

import json
import math
import pathlib
import random
import subprocess
import sys


def draws_of_program(folder):
    draws = {}
    for path in sorted(folder.glob("chain-*.csv")):
        chain = int(path.stem.removeprefix("chain-"))
        lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
        names = lines[0].split(",")
        for number, line in enumerate(lines[1:], start=1):
            for name, text in zip(names, line.split(",")):
                if not name.endswith("__"):
                    variable, *index = name.split(".")
                    draws[chain, number, variable + (f"[{','.join(index)}]" if index else "")] = float(text)
    return draws


def draws_of_library(text):
    draws = {}
    for line in text.splitlines():
        chain, draw, name, value = line.split(" ")
        draws[int(chain), int(draw), name] = float(value)
    return draws


def make_up(rows, path):
    source = random.Random(1)
    x = [source.gauss(0, 1) for _ in range(rows)]
    y = [int(source.random() < 1 / (1 + math.exp(-0.5 - each))) for each in x]
    path.write_text(json.dumps({"N": rows, "x": x, "y": y}))


def main():
    library, program, model, data, seed, folder = sys.argv[1:]
    if data.isdigit():
        file = pathlib.Path(folder + ".json")
        make_up(int(data), file)
        data = str(file)
    subprocess.run([program, "sample", model, "--data", data, "--seed", seed, "--out", folder, "--overwrite", "--quiet",
                    "--exit-status", "plain"], check=True)
    expected = draws_of_program(pathlib.Path(folder))
    found = draws_of_library(subprocess.run([library, model, data, seed], check=True, capture_output=True, text=True).stdout)
    if not expected:
        sys.exit("the program wrote no draws")
    if found.keys() != expected.keys():
        sys.exit(f"{len(found)} numbers of the library, {len(expected)} of the program, or other names: "
                 f"{sorted(found.keys() ^ expected.keys())[:3]}")
    different = [key for key in expected if expected[key] != found[key]]
    if different:
        sys.exit(f"{len(different)} of {len(expected)} numbers differ, first {different[0]}: "
                 f"{expected[different[0]]!r} of the program, {found[different[0]]!r} of the library")


main()
