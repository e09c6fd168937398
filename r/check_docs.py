#!/usr/bin/env python3
"""Runs the R blocks of docs/r.md, one after the other, and compares what they print with what the page shows."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import check_docs  # noqa: E402

MARK = "---- end of block ----"


def lines_of(text):
    """The lines without parts that depend on the machine: times, and the numbers of a verdict with its continuation lines."""
    text = re.sub(r"^(verdict: [a-z ]+)\..*\n((  .*\n)*)", r"\1\n", text, flags=re.MULTILINE)
    return [re.sub(r", [\d.]+ s$", "", line) for line in text.strip("\n").splitlines()]


def main():
    blocks = [block for block in check_docs.blocks_of(ROOT / "docs" / "r.md") if block.language == "r"]
    script = "".join(f"{block.text}\ncat('{MARK}\\n')\n" for block in blocks)
    # As typed at the prompt: values of expressions are printed.
    done = subprocess.run(["R", "--no-save", "--no-echo", "-q"], input=script, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"docs/r.md: R ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    problems = []
    for block, output in zip(blocks, done.stdout.split(MARK + "\n")):
        if block.output is not None and not check_docs.same_output(lines_of(block.output), lines_of(output), block.about):
            problems.append(f"{block.where()}: the output is not what the page shows, but\n{output}")
    print("\n".join(problems) or f"docs/r.md: {len(blocks)} blocks ran")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
