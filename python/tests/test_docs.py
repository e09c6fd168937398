"""The Python blocks of the pages on the package run, one after the other, and print what the pages show.

    ```python           run; its output is compared with a block ```text output or ```text output about that follows.
    ```python peer      code for another package: shown only.
    ```stan NAME        a file that the blocks read."""

import contextlib
import gzip
import importlib.util
import io
import lzma
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import check_docs  # noqa: E402

DATA = pathlib.Path(os.environ.get("SGMCMC_DATA", ROOT.parent / "shared" / "data")) / "covertype"


def lines_of(text):
    """The lines without parts that depend on the machine: times, and the numbers of a verdict."""
    lines = [re.sub(r"^(verdict: [a-z ]+)\..*", r"\1", line) for line in text.rstrip().splitlines()]
    return [re.sub(r", [\d.]+ s$", "", line) for line in lines]


def simulated_cover(path, rows=20_000):
    """Random rows in the format of covtype.data.gz."""
    random = np.random.default_rng(1)
    measures = random.normal(1000, 200, size=(rows, 10)).round()
    area, soil = np.eye(4)[random.integers(0, 4, rows)], np.eye(40)[random.integers(0, 40, rows)]
    pine = random.random(rows) < 1 / (1 + np.exp(1 - measures[:, 0] / 1000))
    np.savetxt(path, np.column_stack([measures, area, soil, 1 + pine]), delimiter=",", fmt="%d")


class Docs(unittest.TestCase):
    def run_page(self, name, prepare=None, compare=True, shorter=()):
        """shorter: pairs of what to replace in the blocks, so that they take less time."""
        page = ROOT / "docs" / name
        ran = 0
        space = {}
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                if prepare:
                    prepare(pathlib.Path("covtype.data.gz"))
                for block in check_docs.blocks_of(page):
                    if block.language == "stan" and block.mark:
                        pathlib.Path(block.mark).write_text(block.text)
                    if block.language != "python" or block.mark == "peer":
                        continue
                    self.assertEqual(block.mark, "", f"{block.where()}: unknown mark")
                    if any(word in block.text and not importlib.util.find_spec(package)
                           for word, package in (("sg.sklearn", "sklearn"), ("matplotlib", "matplotlib"))):
                        print(f"{block.where()}: skipped, a package that it needs is missing", file=sys.stderr)
                        continue
                    text = block.text
                    for shown, instead in shorter:
                        text = text.replace(shown, instead)
                    printed = io.StringIO()
                    with contextlib.redirect_stdout(printed):
                        exec(compile("\n" * block.line + text, str(page), "exec"), space)
                    ran += 1
                    if compare and block.output is not None:
                        self.assertTrue(check_docs.same_output(lines_of(block.output), lines_of(printed.getvalue()), block.about),
                                        f"{block.where()}: the page shows other output than\n{printed.getvalue()}")
            finally:
                os.chdir(before)
        self.assertGreater(ran, 2)
        return space

    def test_python(self):
        space = self.run_page("python.md")
        self.assertEqual(len(set(space["clusters"])), 2)

    def test_coming_from(self):
        space = self.run_page("coming-from.md", shorter=[("100_000", "20_000"), ("10_000", "2_000"), ("1e-5", "5e-5")])
        self.assertTrue((space["fit"]["beta"][0] == space["draws"]).all())

    def test_forest(self):
        """On simulated rows; in the long tests on the forest cover data in the folder SGMCMC_DATA/covertype, or ../shared/data/covertype."""
        os.environ["MPLBACKEND"] = "agg"
        published, binary = DATA / "covtype.data.gz", DATA / "covtype.binary.csv.xz"
        if not os.environ.get("SGMCMC_LONG_TESTS"):
            self.run_page("python-forest.md", simulated_cover, compare=False)
            return
        if published.exists():
            space = self.run_page("python-forest.md", lambda path: shutil.copyfile(published, path))
        elif binary.exists():  # the label first: 1 for pine
            def reorder(path):
                with lzma.open(binary, "rt") as source, gzip.open(path, "wt", compresslevel=1) as target:
                    target.writelines(f"{line[2:-1]},{1 + int(line[0])}\n" for line in source)

            space = self.run_page("python-forest.md", reorder)
        else:
            print(f"python-forest.md: no forest cover data in {DATA}; runs on simulated rows, output not compared", file=sys.stderr)
            self.run_page("python-forest.md", simulated_cover, compare=False)
            return
        self.assertEqual(len(space["table"]), 581_012)
