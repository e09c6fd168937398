#!/usr/bin/env python3
"""Runs the code blocks of README.md, CONTRIBUTING.md, src/README.md and docs/, and compares their output.

    ```cpp            starts with #include: a program, compiled against the library and run.
                      Otherwise a fragment: the fragments of a page, in order, are the body of one program's main().
    ```cpp internal   a file of ours: compiled with src/ and our dependencies in reach, not linked.
    ```cpp skeleton   shown only.
    ```sh             run by bash in the project's root.      ```sh no-test   shown only.
    ```sh session     run by bash in a folder of the page's own, empty at first, the programs we build in reach.
    ```stan NAME      a file written into that folder; so are ```toml NAME and ```json NAME.
    ```python         not run here: python/tests/test_docs.py runs it.
    ```r              not run here: r/check_docs.py runs it.
    ```text output    what the block before it prints. Words must be equal, numbers agree to within two units of the last
                      digit shown, whole numbers to half a percent (processors round differently); a line `...` stands for
                      any number of lines.
    ```text output about    the same, but for draws that rounding changes altogether: numbers agree to a fifth and 0.02, and
                      those shown whole or with one or two digits (sizes of samples, bounds of errors) to a factor of two.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(\w*)[ \t]*([^\n]*)\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"^[-+]?\d+(\.\d*)?([eE][-+]?\d+)?$")


class Block:
    def __init__(self, page, found):
        self.language, self.mark, self.text = found.group(1), found.group(2).strip(), found.group(3)
        self.page = page
        self.line = page.read_text()[: found.start()].count("\n") + 1
        self.output = None
        self.about = False  # whether numbers need be about those of the page only: draws of NUTS differ by machine

    def where(self):
        return f"{self.page.name}:{self.line}"


def blocks_of(page):
    blocks = []
    for found in FENCE.finditer(page.read_text()):
        block = Block(page, found)
        if block.language == "text" and block.mark in ("output", "output about") and blocks:
            blocks[-1].output, blocks[-1].about = block.text, block.mark == "output about"
        else:
            blocks.append(block)
    return blocks


def same_word(expected, actual, about):
    if expected == actual:
        return True
    if not (NUMBER.match(expected) and NUMBER.match(actual)):
        return False
    mantissa, _, exponent = expected.lower().partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    if about:
        rough = "." not in mantissa or len(mantissa.lstrip("-+0.").replace(".", "")) <= 2
        allowed = 0.5 * max(abs(float(expected)), abs(float(actual))) if rough else 0.2 * abs(float(expected))
        return abs(float(expected) - float(actual)) <= 0.02 + allowed
    allowed = 2.001 * unit if "." in mantissa else 0.005 * abs(float(expected))
    return abs(float(expected) - float(actual)) <= allowed


def same_line(expected, actual, about=False):
    expected, actual = expected.split(), actual.split()
    return len(expected) == len(actual) and all(same_word(e, a, about) for e, a in zip(expected, actual))


def same_output(expected, actual, about=False):
    """Both as lists of lines."""
    if not expected:
        return not actual
    if expected[0].strip() == "...":
        return any(same_output(expected[1:], actual[skip:], about) for skip in range(len(actual) + 1))
    return bool(actual) and same_line(expected[0], actual[0], about) and same_output(expected[1:], actual[1:], about)


# Ignores the verdict in the exit status: runs in the docs are short.
PROGRAM_IN_PAGES = '''sgmcmc() {
  local status=0
  command sgmcmc "$@" || status=$?
  case "$1 $status" in "sample 3" | "sample 4" | "resume 3" | "resume 4") status=0 ;; esac
  return $status
}
'''


class Checker:
    def __init__(self, compiler, flags, library, folder, programs=()):
        self.compile_command = [compiler, "-std=c++20", *flags, f"-I{ROOT / 'include'}"]
        path = [str(program.resolve().parent) for program in programs]
        self.environment = {**os.environ, "COLUMNS": "100", "PATH": os.pathsep.join([*path, os.environ["PATH"]])}
        self.library, self.folder = library, pathlib.Path(folder)
        self.problems, self.checked = [], 0

    def execute(self, block, command, cwd=None):
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=self.environment)
        if done.returncode != 0:
            self.problems.append(f"{block.where()}: {command[0]} ended with {done.returncode}\n{done.stdout}")
        return done

    def execute_script(self, block, folder):
        # In the background, $! must be the process of the program itself, not of a shell that waits for it.
        text = re.sub(r"^sgmcmc (.*&)$", r"command sgmcmc \1", block.text, flags=re.MULTILINE)
        return self.execute(block, ["bash", "-euo", "pipefail", "-c", PROGRAM_IN_PAGES + text], cwd=folder)

    def compare(self, block, done):
        if block.output is None or done.returncode != 0:
            return
        if not same_output(block.output.rstrip().splitlines(), done.stdout.rstrip().splitlines(), block.about):
            self.problems.append(f"{block.where()}: the output is not what the page shows, but\n{done.stdout}")

    def run_program(self, block, text):
        source, program = self.folder / "block.cpp", self.folder / "block"
        source.write_text(f'#line {block.line + 1} "{block.page.name}"\n{text}')
        linked = [str(self.library), "-pthread", "-lz", "-llzma", "-lzstd"]  # a static library names no others
        done = self.execute(block, [*self.compile_command, str(source), *linked, "-o", str(program)])
        if done.returncode == 0:
            self.compare(block, self.execute(block, [str(program)], cwd=self.folder))

    def compile_internal(self, block):
        source = self.folder / "block.cpp"
        source.write_text(f'#line {block.line + 1} "{block.page.name}"\n{block.text}')
        self.execute(block, [*self.compile_command, f"-I{ROOT / 'src'}", "-isystem/usr/include/eigen3", "-fsyntax-only", str(source)])

    def run_page(self, page):
        fragments = []
        session = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for block in blocks_of(page):
            if (block.language, block.mark) == ("cpp", "") and block.text.startswith("#include"):
                self.run_program(block, block.text)
            elif (block.language, block.mark) == ("cpp", ""):
                fragments.append(block)
            elif (block.language, block.mark) == ("cpp", "internal"):
                self.compile_internal(block)
            elif (block.language, block.mark) == ("sh", ""):
                self.compare(block, self.execute_script(block, ROOT))
            elif (block.language, block.mark) == ("sh", "session"):
                self.compare(block, self.execute_script(block, session))
            elif block.language in ("stan", "toml", "json") and re.fullmatch(r"[\w.-]+", block.mark):
                (session / block.mark).write_text(block.text)
                continue
            elif block.language in ("cpp", "sh") and block.mark not in ("skeleton", "no-test"):
                self.problems.append(f"{block.where()}: unknown mark '{block.mark}'")
                continue
            else:
                continue
            self.checked += 1
        if fragments:
            body = "".join(f'#line {block.line + 1} "{page.name}"\n{block.text}' for block in fragments)
            self.run_program(fragments[0], f"#include <sgmcmc/sgmcmc.hpp>\n#include <iostream>\n"
                             f"using namespace sgmcmc;\nint main() {{\n{body}}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--flags", default="", help="flags to compile and link with, as one word")
    parser.add_argument("--library", default=ROOT / "build" / "libsgmcmc.a")
    parser.add_argument("--program", action="append", type=pathlib.Path, default=[], help="a program that sessions may call")
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    pages = options.pages or [page for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "src" / "README.md",
                                                *sorted((ROOT / "docs").rglob("*.md"))) if page.exists()]
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(options.compiler, options.flags.split(), options.library, folder, options.program)
        for page in pages:
            checker.run_page(page)
    print(f"{checker.checked} blocks of {len(pages)} pages checked")
    for problem in checker.problems:
        print(problem)
    sys.exit(1 if checker.problems else 0)


if __name__ == "__main__":
    main()
