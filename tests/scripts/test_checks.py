"""Tests of the check_*.py scripts on small trees and objects with planted violations, and of count_tests.py."""

import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
sys.dont_write_bytecode = True
import check_layers  # noqa: E402
import check_levels  # noqa: E402
import check_purpose  # noqa: E402
import count_tests  # noqa: E402


class CountTests(unittest.TestCase):
    def test_ShardsOfPrograms_AreAddedUp(self):
        log = ("[       OK ] A.B (0 ms)\n[==========] 30 tests from 2 test suites ran. (1 ms total)\n[  PASSED  ] 28 tests.\n"
               "[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] A.C\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.D\n"
               "[  PASSED  ] 1 test.\n")
        self.assertEqual(count_tests.counts(log), {"PASSED": 29, "FAILED": 1, "SKIPPED": 1})


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        for name in ("src", "include/sgmcmc", "tests", "examples"):
            (self.root / name).mkdir(parents=True)
        self.write("CMakeLists.txt", "set(SGMCMC_LAYERS base data graph stan)\nset(SGMCMC_QUICK_LAYERS stan)\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Levels(Tree):
    """Objects made by cmake/levels.cmake, of a function that uses an inline function with a static variable."""

    def joined(self, level, steps, declared="", called="0"):
        self.write("a.cpp", f"inline int& count() {{ static int value = 0; return value; }}\n{declared}\n"
                   f"namespace sgmcmc {{ namespace {level} {{ int* next() {{ count() += {called}; return &count(); }} }} }}\n")
        base = str(self.root / level)
        subprocess.run(["g++", "-O0", "-fno-gnu-unique", "-c", self.root / "a.cpp", "-o", base + ".1"], check=True)
        subprocess.run(["ld", "-r", "--force-group-allocation", "-o", base + ".o", base + ".1"], check=True)
        if "localise" in steps:
            subprocess.run(["objcopy", "--wildcard", f"--keep-global-symbol=_ZN6sgmcmc{len(level)}{level}*", base + ".o"],
                           check=True)
        return base + ".o"

    def run_check(self, *objects):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
            status = check_levels.main(list(objects))
        return status, errors.getvalue()

    def test_ObjectsWithLocalSymbols_AreAccepted(self):
        objects = [self.joined(level, ["localise"]) for level in ("avx2", "avx512")]
        self.assertEqual(self.run_check(*objects), (0, ""))

    def test_CallOfAFunctionWithMatrices_IsRefused(self):
        declared = "namespace Eigen { struct Matrix; } int size_of(const Eigen::Matrix*);"
        status, errors = self.run_check(self.joined("avx2", ["localise"], declared, "size_of(nullptr)"))
        self.assertEqual(status, 1)
        self.assertIn("with matrices of Eigen", errors)

    def test_InlineFunctionThatTheLinkerSees_IsRefused(self):
        status, errors = self.run_check(self.joined("avx2", []))
        self.assertEqual(status, 1)
        self.assertIn("_Z5countv", errors)
        self.assertIn("_ZZ5countvE5value", errors)


class Layers(Tree):
    def problems_of(self, name, text):
        self.write(name, text)
        return check_layers.check(self.root)

    def assert_one(self, problems, beginning):
        self.assertEqual(len(problems), 1, problems)
        self.assertTrue(problems[0].startswith(beginning), problems[0])

    def test_DecompositionOfEigen_IsUsedThroughBaseOnly(self):
        text = "// a\nconst Eigen::LLT<Eigen::MatrixXd> factor(a);\n"
        self.assertEqual(self.problems_of("src/base/decompositions.cpp", text), [])
        self.assert_one(self.problems_of("src/data/a.cpp", text), "src/data/a.cpp:2: instantiates a decomposition of Eigen")

    def test_EigenInALayerOptimisedForCompileTime_IsRefused(self):
        self.assert_one(self.problems_of("src/stan/a.cpp", "// a\nEigen::VectorXd x;\n"), "src/stan/a.cpp:2: stan/ is optimised")

    def test_own_and_earlier_layers_are_accepted(self):
        text = '#include "graph/a.hpp"\n#include "base/b.hpp"\n#include <sgmcmc/dataset.hpp>\n#include <Eigen/Core>\n'
        self.assertEqual(self.problems_of("src/graph/a.cpp", text), [])

    def test_later_layer_is_refused(self):
        self.assert_one(self.problems_of("src/data/a.cpp", '// A.\n#include "graph/a.hpp"\n'), "src/data/a.cpp:2:")

    def test_public_header_of_later_layer_is_refused(self):
        self.assert_one(self.problems_of("src/data/a.cpp", "#include <sgmcmc/expression.hpp>\n"), "src/data/a.cpp:1:")

    def test_indented_include_is_seen(self):
        self.assert_one(self.problems_of("src/data/a.cpp", '#  include "graph/a.hpp"\n'), "src/data/a.cpp:1:")

    def test_include_without_layer_is_refused(self):
        self.assert_one(self.problems_of("src/data/a.cpp", '#include "a.hpp"\n'), "src/data/a.cpp:1:")

    def test_folder_outside_the_order_is_refused(self):
        self.assert_one(self.problems_of("src/attic/a.cpp", ""), "src/attic/a.cpp:1:")

    def test_public_header_with_dependency_is_refused(self):
        self.assert_one(self.problems_of("include/sgmcmc/error.hpp", "#include <Eigen/Core>\n"), "include/sgmcmc/error.hpp:1:")

    def test_public_header_without_layer_is_refused(self):
        self.assert_one(self.problems_of("include/sgmcmc/stray.hpp", ""), "include/sgmcmc/stray.hpp:1:")

    def test_test_reaching_above_its_layer_is_refused(self):
        self.assert_one(self.problems_of("tests/base/a.cpp", '#include "data/a.hpp"\n'), "tests/base/a.cpp:1:")

    def test_example_with_internal_header_is_refused(self):
        self.assert_one(self.problems_of("examples/a.cpp", '#include "data/a.hpp"\n'), "examples/a.cpp:1:")

    def test_option_of_the_command_line_in_a_message_is_refused(self):
        self.write("src/data/a.cpp", 'throw Error("give --step-size");\n')
        self.assertEqual(check_layers.check(self.root),
                         ["src/data/a.cpp:1: a text names an option of the command line; name the setting, without dashes"])

    def test_program_with_headers_of_the_run_service_is_accepted(self):
        self.write("CMakeLists.txt", "set(SGMCMC_LAYERS base data graph service)\nset(SGMCMC_QUICK_LAYERS service)\n")
        self.write("apps/cli/words.hpp", "")
        self.write("src/service/run.hpp", "#include <sgmcmc/dataset.hpp>\n")
        self.write("src/service/run.cpp", '#include "service/run.hpp"\n#include "data/a.hpp"\n')
        self.write("src/data/a.hpp", "")
        self.assertEqual(self.problems_of("apps/cli/a.cpp", '#include "cli/words.hpp"\n#include "service/run.hpp"\n'), [])

    def test_program_with_internal_header_is_refused(self):
        self.write("src/data/a.hpp", "")
        self.assert_one(self.problems_of("apps/cli/a.cpp", '#include "data/a.hpp"\n'), "apps/cli/a.cpp:1:")

    def test_program_with_internal_header_through_the_run_service_is_refused(self):
        self.write("CMakeLists.txt", "set(SGMCMC_LAYERS base data graph service)\nset(SGMCMC_QUICK_LAYERS service)\n")
        self.write("src/data/a.hpp", "")
        self.write("src/service/run.hpp", '// A.\n#include "data/a.hpp"\n')
        self.assert_one(self.problems_of("apps/cli/a.cpp", '#include "service/run.hpp"\n'), "src/service/run.hpp:2:")


class Purpose(Tree):
    def test_file_with_purpose_is_accepted(self):
        self.write("src/base/a.cpp", "// What this is for.\n")
        self.assertEqual(check_purpose.check(self.root), [])

    def test_file_without_purpose_is_refused(self):
        self.write("src/base/a.cpp", "#include <vector>\n")
        self.write("include/sgmcmc/error.hpp", "// TODO\n")
        self.assertEqual(len(check_purpose.check(self.root)), 2)


if __name__ == "__main__":
    unittest.main()
