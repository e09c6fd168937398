"""Tests of scripts/check_docs.py on small pages, some with planted errors."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_docs.py"
sys.path.insert(0, str(SCRIPT.parent))
sys.dont_write_bytecode = True
import check_docs  # noqa: E402


class Output(unittest.TestCase):
    def test_about_allows_a_fifth_and_a_factor_of_two_in_rough_numbers(self):
        self.assertTrue(check_docs.same_line("mean 1.277", "mean 1.500", about=True))
        self.assertFalse(check_docs.same_line("mean 1.277", "mean 1.600", about=True))
        self.assertTrue(check_docs.same_line("ess 3352 within 3.0 %", "ess 1700 within 1.6 %", about=True))
        self.assertTrue(check_docs.same_line("ess 1700 within 1.6 %", "ess 3352 within 3.0 %", about=True))
        self.assertFalse(check_docs.same_line("ess 3352", "ess 1600", about=True))
        self.assertFalse(check_docs.same_line("within 3.0 %", "within 1.4 %", about=True))
        self.assertFalse(check_docs.same_line("nuts 1.0", "sgld 1.0", about=True))

    def test_numbers_agree_to_the_last_digits_shown(self):
        self.assertTrue(check_docs.same_line("mean 1.234", "mean 1.235"))
        self.assertFalse(check_docs.same_line("mean 1.234", "mean 1.244"))
        self.assertTrue(check_docs.same_line("1.2e-05", "1.3e-05"))
        self.assertFalse(check_docs.same_line("1.2e-05", "1.2e-04"))
        self.assertFalse(check_docs.same_line("100", "101"))
        self.assertTrue(check_docs.same_line("1000", "1004"))
        self.assertFalse(check_docs.same_line("0", "1"))

    def test_dots_stand_for_any_lines(self):
        self.assertTrue(check_docs.same_output(["a", "...", "d"], ["a", "b", "c", "d"]))
        self.assertTrue(check_docs.same_output(["a", "...", "d"], ["a", "d"]))
        self.assertFalse(check_docs.same_output(["a", "...", "d"], ["a", "b"]))


class Pages(unittest.TestCase):
    def run_page(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text(text.replace("'''", "```"))
            library = pathlib.Path(folder) / "empty.a"
            subprocess.run(["ar", "rcs", str(library)], check=True)
            return subprocess.run([sys.executable, str(SCRIPT), "--library", str(library), str(page)], capture_output=True, text=True)

    def assert_refused(self, text, message):
        done = self.run_page(text)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(message, done.stdout)

    def test_true_page_is_accepted(self):
        done = self.run_page("'''sh\necho 1.50\n'''\n\n'''text output\n1.51\n'''\n'''sh no-test\nfalse\n'''\n'''cpp skeleton\n?\n'''\n"
                             "'''cpp\n#include <cstdio>\nint main() { std::puts(\"a\"); }\n'''\n'''text output\na\n'''\n")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("2 blocks", done.stdout)

    def test_session_keeps_its_files(self):
        done = self.run_page("'''stan a.stan\ndata {}\n'''\n'''sh session\ncat a.stan > b\n'''\n'''sh session\ncat b\n'''\n"
                             "'''text output\ndata {}\n'''\n")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("2 blocks", done.stdout)

    def test_wrong_output_is_refused(self):
        self.assert_refused("'''sh\necho a\n'''\n'''text output\nb\n'''\n", "page.md:1")

    def test_failing_command_is_refused(self):
        self.assert_refused("text\n\n'''sh\nfalse | true\n'''\n", "page.md:3")

    def test_program_that_does_not_compile_is_refused(self):
        self.assert_refused("'''cpp\n#include <vector>\nint main() { return vector; }\n'''\n", "page.md:3")

    def test_unknown_mark_is_refused(self):
        self.assert_refused("'''cpp skelton\n?\n'''\n", "unknown mark")


if __name__ == "__main__":
    unittest.main()
