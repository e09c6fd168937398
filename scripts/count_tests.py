#!/usr/bin/env python3
"""Counts the GoogleTest cases in a ctest log; ctest itself counts a shard of a test program as one test.

    scripts/count_tests.py build/Testing/Temporary/LastTest.log
"""

import pathlib
import re
import sys

COUNT = re.compile(r"^\[  (PASSED |SKIPPED|FAILED ) \] (\d+) tests?[.,]", re.MULTILINE)


def counts(log):
    found = {"PASSED": 0, "FAILED": 0, "SKIPPED": 0}
    for outcome, number in COUNT.findall(log):
        found[outcome.strip()] += int(number)
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = counts(pathlib.Path(sys.argv[1]).read_text(errors="replace"))
    print(f"{found['PASSED']} test cases passed, {found['FAILED']} failed, {found['SKIPPED']} skipped")


if __name__ == "__main__":
    main()
