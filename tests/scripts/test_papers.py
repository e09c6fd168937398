#!/usr/bin/env python3
"""Tests of scripts/papers.py with programs that only write what experiments write."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "scripts" / "papers.py"
NAMES = sorted(path.stem for path in (ROOT / "examples" / "papers").glob("*.cpp"))
PROGRAM = """#!/bin/sh
echo "$0" >> "{log}"
while [ $# -gt 0 ]; do [ "$1" = --out ] && out="$2"; shift; done
{body}
"""


class Papers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.build = pathlib.Path(self.folder.name)
        self.log = self.build / "log"
        (self.build / "examples/papers").mkdir(parents=True)
        for name in NAMES:
            self.program(name, 'echo "<svg/>" > "$out/figure.svg"')
        self.program("divide_and_conquer", 'printf "# Page\\n\\n![f](f.svg)\\n\\n| the paper | here | same? |\\n|---|---|---|\\n'
                     '| claim one | number one | same |\\n| claim two | number two | not |\\n'
                     '| claim three | number three | not shown |\\n" > "$out/divide-and-conquer.md"')

    def tearDown(self):
        self.folder.cleanup()

    def program(self, name, body):
        path = self.build / "examples/papers" / name
        path.write_text(PROGRAM.format(log=self.log, body=body))
        path.chmod(0o755)

    def run_script(self, *words):
        environment = {**os.environ, "PATH": "/usr/bin:/bin"}
        return subprocess.run([sys.executable, SCRIPT, "--quick", "--build", self.build, *words], capture_output=True, text=True, env=environment)

    def started(self):
        return [pathlib.Path(line).name for line in self.log.read_text().split()] if self.log.exists() else []

    def test_every_experiment_runs_once(self):
        self.assertEqual(self.run_script().returncode, 0)
        self.assertEqual(sorted(self.started()), NAMES)
        self.assertEqual(self.run_script().returncode, 0)
        self.assertEqual(len(self.started()), len(NAMES))
        self.program("binomial_n", "true; true")  # another program: its results are out of date
        self.run_script()
        self.assertEqual(len(self.started()), len(NAMES) + 1)

    def test_index_has_the_claims_of_pages(self):
        self.run_script()
        index = (self.build / "papers/quick/README.md").read_text()
        self.assertIn("| claim one | number one | same | [figure](f.svg) |", index)
        self.assertIn("| claim two | number two | not |", index)
        by_hand = [finding[2] for entry in json.loads((ROOT / "docs/papers/claims.json").read_text()) for finding in entry["findings"]]
        count = {verdict: 1 + by_hand.count(verdict) for verdict in ("same", "not", "not shown")}
        self.assertIn(f"Of {3 + len(by_hand)} claims, {count['same']} were found here, too, and {count['not']} were not", index)
        self.assertIn(f"For {count['not shown']}, \"not shown\"", index)
        for entry in json.loads((ROOT / "docs/papers/claims.json").read_text()):
            self.assertTrue((ROOT / "docs/papers" / entry["page"]).exists(), entry["page"])
            self.assertTrue(not entry["figure"] or (ROOT / "docs/papers" / entry["figure"]).exists(), entry["figure"])
            for claim, found, verdict in entry["findings"]:
                self.assertIn(verdict, ("same", "not", "not shown"))
                self.assertIn(claim, index)

    def test_figures_in_the_docs_have_an_experiment_and_a_page(self):
        sys.path.insert(0, str(SCRIPT.parent))
        import papers  # noqa: the script itself
        pages = "".join(path.read_text() for path in papers.DOCS.glob("*.md"))
        for experiment in papers.EXPERIMENTS:
            self.assertTrue(experiment.command or experiment.name in NAMES, experiment.name)
            for name in experiment.figures.values():
                self.assertTrue((papers.DOCS / name).exists(), name)
            if experiment.page:
                self.assertIn(experiment.page, [page for page, _ in papers.PAGES])
        self.assertEqual(sorted(NAMES), sorted(each.name for each in papers.EXPERIMENTS if not each.command))
        for figure in papers.DOCS.glob("*.svg"):
            self.assertIn(f"]({figure.name})", pages)
        for page in (page for page, _ in papers.PAGES if (papers.DOCS / page).exists()):  # others were not run yet
            for figure in re.findall(r"\]\(([^)]+\.svg)\)", (papers.DOCS / page).read_text()):
                self.assertTrue((papers.DOCS / figure).exists(), figure)

    def test_a_failure_is_told_and_tried_again(self):
        self.program("simplex_dirichlet", "echo it broke; exit 3")
        done = self.run_script()
        self.assertEqual(done.returncode, 1)
        self.assertIn("simplex_dirichlet: FAILED with status 3:\nit broke", done.stdout)
        self.assertIn("failed: simplex_dirichlet; the others are finished", done.stderr)
        self.assertFalse((self.build / "papers/quick/simplex_dirichlet").exists())
        before = len(self.started())
        self.run_script()
        self.assertEqual(len(self.started()), before + 1)

    def test_killed_it_loses_the_experiment_under_way_only(self):
        started, never = self.build / "started", self.build / "never"
        os.mkfifo(started)
        os.mkfifo(never)
        self.program("binomial_n", f'[ -e "{self.build}/go" ] && exit 0; exec 3> "{started}"; echo here >&3; read x < "{never}"')
        process = subprocess.Popen([sys.executable, SCRIPT, "--quick", "--build", self.build], stdout=subprocess.DEVNULL)
        with open(started) as experiment:
            self.assertEqual(experiment.readline(), "here\n")  # waits until it is in the middle of that experiment
            process.kill()
            process.wait()
            self.assertEqual(experiment.read(), "")  # which ends, too: it cannot write into the next one's folder
        finished = self.started()
        self.assertIn("divide_and_conquer", finished)
        (self.build / "go").touch()
        self.assertEqual(self.run_script().returncode, 0)
        again = self.started()[len(finished):]
        self.assertEqual(again.count("binomial_n"), 1)
        self.assertNotIn("divide_and_conquer", again)
        self.assertEqual(sorted(set(finished) | set(again)), NAMES)

    def test_killed_at_any_instant_it_loses_one_experiment_at_most(self):
        alive = self.build / "alive"
        os.mkfifo(alive)
        for name in NAMES:  # writes line by line, and holds the pipe open until it ends
            self.program(name, f'exec 3> "{alive}"; for k in $(seq 20); do echo {name} >> "$out/lines"; done')
        kills, finished = 8, {}
        for instant in range(1, kills + 1):
            holders = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
            process = subprocess.Popen([sys.executable, SCRIPT, "--quick", "--build", self.build], stdout=subprocess.PIPE, text=True)
            for _ in range(2 * instant):  # lines that it prints: then it is in an experiment, or between two
                process.stdout.readline()
            process.kill()
            process.communicate()
            os.set_blocking(holders, True)
            self.assertEqual(os.read(holders, 1), b"")  # no experiment is left
            os.close(holders)
            started = self.started()
            for name, times in finished.items():
                self.assertEqual(started.count(name), times, name)
            notes = (self.build / "papers/quick").glob("*/finished.json")
            finished = {note.parent.name: started.count(note.parent.name) for note in notes if note.parent.suffix != ".partial"}
        os.set_blocking(holders := os.open(alive, os.O_RDONLY | os.O_NONBLOCK), True)
        self.assertEqual(self.run_script().returncode, 0)
        os.close(holders)
        for name in NAMES:
            self.assertEqual((self.build / "papers/quick" / name / "lines").read_text(), 20 * f"{name}\n")
        self.assertLessEqual(len(self.started()), len(NAMES) + kills)

    def test_runs_of_a_killed_experiment_are_kept_for_the_same_program_only(self):
        quick = self.build / "papers/quick"
        saves = 'mkdir -p "$out/runs"; ls "$out/runs" > "$out/found"; echo 1 > "$out/runs/first.csv"; touch "$out/other"; '
        fails, ends = saves + "exit 3", saves + "exit 0"
        self.program("scaling", f'[ -e "{self.build}/go" ] || exit_status=3; {saves} exit ${{exit_status:-0}}')
        self.assertEqual(self.run_script("--only", "scaling").returncode, 1)
        (self.build / "go").touch()
        self.assertEqual(self.run_script("--only", "scaling").returncode, 0)
        self.assertEqual((quick / "scaling/found").read_text(), "first.csv\n")
        self.program("scaling", fails)
        self.run_script("--only", "scaling")
        self.program("scaling", ends)  # another program
        self.assertEqual(self.run_script("--only", "scaling").returncode, 0)
        self.assertEqual((quick / "scaling/found").read_text(), "")

    def test_an_unknown_name_is_refused(self):
        done = self.run_script("--only", "figure9")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no experiment 'figure9'", done.stderr)


if __name__ == "__main__":
    unittest.main()
