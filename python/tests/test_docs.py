"""The code blocks of docs/python.md run, one after the other."""

import importlib.util
import os
import pathlib
import re
import tempfile
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


class Docs(unittest.TestCase):
    def test_blocks_run(self):
        blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.S | re.M)
        self.assertGreater(len(blocks), 2)
        space = {}
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for block in blocks:
                    if "sg.sklearn" in block and not importlib.util.find_spec("sklearn"):
                        continue
                    exec(compile(block, str(PAGE), "exec"), space)
            finally:
                os.chdir(before)
