"""Tests of the built program: its output, exit status and files.

    test_program.py PROGRAM [unittest arguments]
"""

import json
import math
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
PROGRAM = ""

NORMAL = """data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
transformed parameters {
  real variance = square(sigma);
}
model {
  mu ~ normal(0, 10);
  sigma ~ normal(0, 5);
  y ~ normal(mu, sigma);
}
generated quantities {
  vector[2] pair;
  pair[1] = mu + sigma;
  pair[2] = normal_rng(mu, sigma);
}
"""

# An autoregression in the residuals: row n needs row n - 1, so nothing can be minibatched.
MOVING_AVERAGE = """data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real theta;
  real<lower=0> sigma;
}
model {
  vector[N] error;
  error[1] = y[1];
  for (n in 2:N) error[n] = y[n] - theta * error[n - 1];
  theta ~ normal(0, 1);
  sigma ~ normal(0, 1);
  error ~ normal(0, sigma);
}
"""


class ProgramTest(unittest.TestCase):
    maxDiff = None

    def open_terminal(self):
        """The two ends of a pseudo-terminal: ours and the program's."""
        try:
            return pty.openpty()
        except OSError as error:  # a machine without terminals, such as a bare chroot
            self.skipTest(f"no pseudo-terminal here: {error}")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.values = [math.sin(0.7 * i) + 0.3 * math.cos(2.3 * i) + 1 for i in range(200)]
        self.write("normal.stan", NORMAL)
        self.write("normal.json", json.dumps({"N": 200, "y": self.values}))
        self.write("moving.stan", MOVING_AVERAGE)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def run_program(self, *words, environment=None, stdout=subprocess.PIPE):
        """Runs here are too short for a verdict of trust: unless a test says otherwise, only completion counts."""
        if words and words[0] == "sample" and "--exit-status" not in words:
            words = (*words, "--exit-status", "plain")
        return subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, stdout=stdout, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "COLUMNS": "80", **(environment or {})}, timeout=120)

    def assert_fails(self, status, message, *words):
        done = self.run_program(*words)
        self.assertEqual(done.stderr, message)
        self.assertEqual(done.returncode, status)
        self.assertEqual(done.stdout, "")

    def assert_runs(self, *words):
        done = self.run_program(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def sample(self, *words):
        return self.assert_runs("sample", "normal.stan", "--data", "normal.json", "--step-size", "1e-3", "--batch-size", "50",
                                "--iterations", "400", "--chains", "2", *words)

    def chain_lines(self, path):
        """A chain file without the lines with its name and the elapsed time."""
        lines = (self.folder / path).read_text().splitlines()
        return [line for line in lines if not line.startswith("#") or not ("seconds" in line or "chain-" in line)]

    def draws(self, path):
        """The draws of a chain file, as dictionaries."""
        lines = [line.split(",") for line in self.chain_lines(path) if not line.startswith("#")]
        return [dict(zip(lines[0], map(float, line))) for line in lines[1:]]


class Usage(ProgramTest):
    def test_no_arguments_show_help_as_an_error(self):
        done = self.run_program()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("usage: sgmcmc COMMAND ...", done.stderr)

    def test_help_and_version_go_to_stdout(self):
        self.assertRegex(self.assert_runs("--version"), r"^sgmcmc \d+\.\d+\.\d+\n$")
        self.assertIn("Commands:", self.assert_runs("--help"))
        self.assertEqual(self.assert_runs("sample", "--help"), self.assert_runs("help", "sample"))
        self.assertIn("--trajectory-length NUMBER", self.assert_runs("sample", "-h"))

    def test_help_fits_a_narrow_terminal(self):
        done = self.run_program("optimize", "--help", environment={"COLUMNS": "50"})
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 50)

    def test_options_page_is_the_table_of_the_program(self):
        page = ROOT / "docs" / "options.md"
        self.assertEqual(self.assert_runs("--options-markdown"), page.read_text(),
                         "run: build/sgmcmc --options-markdown > docs/options.md")

    def test_calibrate_ranks_true_values_whatever_the_threads(self):
        words = ["calibrate", "normal.stan", "--data", "normal.json", "--replications", "12", "--draws", "15", "--warmup", "200",
                 "--iterations", "200"]
        report = json.loads(self.assert_runs(*words, "--json", "--threads", "1"))
        self.assertEqual(json.loads(self.assert_runs(*words, "--json", "--threads", "2")), report)
        self.assertEqual([quantity["name"] for quantity in report["quantities"]], ["mu", "sigma", "lp__"])
        for quantity in report["quantities"]:
            self.assertEqual(len(quantity["ranks"]), 12)
            self.assertTrue(all(0 <= rank <= 15 for rank in quantity["ranks"]))
        self.assertTrue(report["calibrated"])  # false-alarm rate 1 %, one fixed seed
        self.assertEqual(len(report["ecdf_band"]["thresholds"]), 15)
        text = self.assert_runs(*words, "--only", "mu")
        self.assertRegex(text, "(?s)^name chi-square p  moments p  ECDF p  ECDF band  ranks, low to high\nmu .*\n\n12 replications; .*\n"
                         "Calibrated: the ranks of all 3 quantities are uniform as far as 12 replications\ncan tell ")
        self.assertEqual(self.assert_runs(*words, "--quiet"), "")

    def test_calibrate_takes_a_simulator(self):
        self.write("mixture.stan", (MODELS / "gaussian_mixture.stan").read_text())
        self.write("mixture.json", (MODELS / "gaussian_mixture.json").read_text())
        self.write("simulate.stan", """data { int<lower=1> N; int<lower=1> K; }
generated quantities {
  vector[K] weight = dirichlet_rng(rep_vector(2, K));
  vector[K] mu;
  vector[K] sigma;
  vector[N] y;
  for (k in 1:K) mu[k] = normal_rng(0, 3);
  mu = sort_asc(mu);
  for (k in 1:K) sigma[k] = lognormal_rng(0, 1);
  for (n in 1:N) {
    int k = categorical_rng(weight);
    y[n] = normal_rng(mu[k], sigma[k]);
  }
}
""")
        self.write("sizes.json", json.dumps({"N": 40, "K": 2}))
        words = ["calibrate", "mixture.stan", "--data", "sizes.json", "--replications", "2", "--draws", "7", "--warmup", "100",
                 "--iterations", "100", "--longest", "1"]
        report = json.loads(self.assert_runs(*words, "--simulate", "simulate.stan", "--json"))
        self.assertEqual(report["replications"], 2)
        words[3] = "mixture.json"
        done = self.run_program(*words)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr,
                         "mixture.stan:20:5: error: this adds to the log density without a distribution to draw from\n"
                         "   |\n"
                         "20 |     target += log_sum_exp(terms);\n"
                         "   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
                         "help: write it as `y ~ distribution(...)`, or give a program to simulate from, whose generated "
                         "quantities draw the parameters and the data\n")

    def test_calibrate_tells_mistakes(self):
        self.assert_fails(2, "sgmcmc: --only: there is no variable 'mo'. Did you mean 'mu'?\n", "calibrate", "normal.stan", "--data",
                          "normal.json", "--only", "mo")
        self.assert_fails(2, "sgmcmc: --draws: a number from 1 to 100000 is expected\n", "calibrate", "normal.stan", "--data",
                          "normal.json", "--draws", "0")
        self.assert_fails(1, "sgmcmc: cannot read the model file simulate.stan; check the path\n", "calibrate", "normal.stan",
                          "--data", "normal.json", "--simulate", "simulate.stan")

    def test_mistakes_are_told_in_one_message(self):
        self.assert_fails(2, "sgmcmc: unknown command 'sampel'. Did you mean 'sample'? See sgmcmc --help\n", "sampel")
        self.assert_fails(2, "sgmcmc: --sead: sample has no such option. Did you mean --seed?\n", "sample", "--sead", "1")
        self.assert_fails(2, "sgmcmc: --batch-size: '5oo' is not a count or a fraction\n", "sample", "--batch-size", "5oo")
        self.assert_fails(2, "sgmcmc: name the model: sgmcmc sample MODEL ...; a file in the Stan language\n", "sample")
        self.assert_fails(2, "sgmcmc: expected one model, but 'normal.stan' and 'normal.json' are given; give data files with --data\n", "sample", "normal.stan", "normal.json")
        self.assert_fails(2, "sgmcmc: --at: give a JSON file with the points: {\"unconstrained\": [[...], ...]}\n",
                          "log-density", "normal.stan", "--data", "normal.json")
        self.assert_fails(2, "sgmcmc: give a folder or files of draws: sgmcmc summary DIR, sgmcmc summary chain-1.csv "
                          "chain-2.csv\n", "summary")

    def test_mistakes_about_the_model_are_told_in_one_message(self):
        normal = ("sample", "normal.stan", "--data", "normal.json")
        self.assert_fails(2, "sgmcmc: --step-size: a method chooses its own step size; name the method too\n", *normal, "--method",
                          "auto", "--step-size", "1e-3")
        self.assert_fails(2, "sgmcmc: --step-size: there is no parameter 'sigmma'. Did you mean 'sigma'?\n", *normal,
                          "--step-size", "1e-3,sigmma=1")
        self.assert_fails(2, "sgmcmc: --step-size: nothing is said of 'mu'; name them too, or add a number for all that are not "
                          "named, as in 1e-5,sigma=1e-4\n", *normal, "--step-size", "sigma=1")
        self.assert_fails(2, "sgmcmc: --step-size: 3 numbers are given; the model has 2 unconstrained parameters\n", *normal,
                          "--step-size", "1,2,3")
        self.assert_fails(2, "sgmcmc: --friction: sgld has no such option; it is one of 'sghmc', 'baoab'\n", *normal, "--step-size",
                          "1e-3", "--friction", "0.5")
        self.assert_fails(2, "sgmcmc: --thin: 20 of 10 iterations: no draw would be kept\n", *normal, "--step-size", "1e-3",
                          "--iterations", "10", "--thin", "20")
        self.assert_fails(2, "sgmcmc: --chains: ask for at least 1\n", *normal, "--step-size", "1e-3", "--chains", "0")

    def test_mistakes_in_files_are_told_in_one_message(self):
        self.write("wrong.stan", NORMAL.replace("sigma ~ normal(0, 5);", "sigma ~ normal(0, 5)"))
        done = self.run_program("check", "wrong.stan")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertTrue(done.stderr.startswith("wrong.stan:1"), done.stderr)
        done = self.run_program("check", "absent.stan")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith("sgmcmc: "), done.stderr)
        self.assertIn("absent.stan", done.stderr)
        self.write("points.json", '{"unconstrained": [[1, 2, 3]]}')
        self.assert_fails(1, "sgmcmc: points.json: point 1 has 3 coordinates; the model has 2 unconstrained parameters\n",
                          "log-density", "normal.stan", "--data", "normal.json", "--at", "points.json")
        self.write("points.json", '{"unconstrained": [1, 2]}')
        self.assert_fails(1, "sgmcmc: points.json: point 1 is not a list of numbers: one list per point\n",
                          "log-density", "normal.stan", "--data", "normal.json", "--at", "points.json")
        self.write("points.json", '{"unconstrained": [[1,\n 2]}')
        self.assert_fails(1, "sgmcmc: points.json:2:4: not JSON: unexpected '}'; expected ']'\n",
                          "log-density", "normal.stan", "--data", "normal.json", "--at", "points.json")

        self.write("start.json", '{"mu": 1, "sigma": -2}')
        done = self.run_program("sample", "normal.stan", "--data", "normal.json", "--step-size", "1e-3", "--initial", "start.json")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^sgmcmc: start.json: .*sigma.*-2")
        self.write("empty.stan", "parameters { }\nmodel { }\n")
        self.assert_fails(1, "sgmcmc: empty.stan: the model has no parameters, so there is nothing to sample\n", "sample",
                          "empty.stan")
        self.assert_fails(2, "sgmcmc: config: cannot read '.'\n", "sample", "--config", ".")

    def test_full_device_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = self.run_program("sample", "--help", stdout=full)
        self.assertEqual((done.returncode, done.stderr), (1, "sgmcmc: cannot write the output\n"))


    def test_names_of_files_need_not_be_utf8(self):
        model, data, out = b"caf\xe9.stan", b"d\xe9.json", b"run-\xe9"
        try:
            (pathlib.Path(os.fsdecode(os.fsencode(self.folder) + b"/" + model))).write_text(NORMAL)
        except OSError as error:
            self.skipTest(f"no such names on this file system: {error}")
        pathlib.Path(os.fsdecode(os.fsencode(self.folder) + b"/" + data)).write_text(json.dumps({"N": 200, "y": self.values}))
        done = subprocess.run([os.fsencode(PROGRAM), b"sample", model, b"--data", data, b"--method", b"nuts", b"--iterations", b"100",
                               b"--chains", b"2", b"--out", out, b"--report", b"--exit-status", b"plain"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        folder = pathlib.Path(os.fsdecode(os.fsencode(self.folder) + b"/" + out))
        json.loads((folder / "run.json").read_text(encoding="utf-8"))
        (folder / "report.html").read_text(encoding="utf-8")


class ExactSampling(ProgramTest):
    def exact(self, *words):
        return self.assert_runs("sample", "normal.stan", "--data", "normal.json", "--chains", "2", "--warmup", "300", "--iterations",
                                "200", *words)

    def test_no_step_size_is_needed_and_statistics_are_in_the_files(self):
        for method, columns in (("nuts", ["treedepth__", "n_leapfrog__"]), ("hmc", ["n_leapfrog__"]), ("mala", ["n_leapfrog__"])):
            lines = self.exact("--method", method, "--out", method).splitlines()
            self.assertRegex("\n".join(lines), rf"\n{method}, 2 chains of 200 draws, [\d.e-]+ s; draws in {method}\nverdict: ")
            draws = self.draws(f"{method}/chain-1.csv")
            self.assertEqual(len(draws), 200)
            self.assertEqual(list(draws[0]), ["lp__", "accept_stat__", "stepsize__", *columns, "divergent__", "energy__", "weight__",
                                              "mu", "sigma", "variance", "pair.1", "pair.2"])
            for row in draws:
                self.assertGreater(row["energy__"], -row["lp__"])
                self.assertEqual((row["weight__"], row["stepsize__"]), (1, draws[0]["stepsize__"]))
            stored = (self.folder / method / "draws.nc").read_bytes()
            for name in (b"acceptance_rate", b"step_size", b"n_steps", b"diverging", b"energy", b"lp"):
                self.assertIn(name, stored)
            self.assertEqual(b"tree_depth" in stored, method == "nuts")

    def test_lengths_left_out_are_a_thousand_each(self):
        self.assert_runs("sample", "normal.stan", "--data", "normal.json", "--method", "nuts", "--chains", "1", "--out", "run", "--quiet")
        options = json.loads((self.folder / "run" / "run.json").read_text())["options"]
        self.assertEqual([options[key] for key in ("iterations", "warmup", "initial_radius")], [1000, 1000, 2])
        self.assertEqual(len(self.draws("run/chain-1.csv")), 1000)

    def test_record_repeats_the_run_with_any_number_of_threads(self):
        self.exact("--method", "mala", "--metric", "dense", "--out", "run", "--threads", "1")
        self.assert_runs("sample", "--config", "run/run.json", "--out", "again", "--threads", "2", "--quiet")
        self.assertEqual(self.chain_lines("run/chain-2.csv"), self.chain_lines("again/chain-2.csv"))

    def test_troubles_are_told_after_the_run_and_by_summary(self):
        # Step sizes so large that every trajectory diverges, then so small that every one is cut off, for any rounding.
        for step, words, key in (("1000", r"50 of 50 draws \(100 %\) ended in a divergence: .* Raise target_acceptance", "divergences"),
                                 ("1e-4", r"50 of 50 draws \(100 %\) reached max_tree_depth 2: ", "at_max_tree_depth")):
            told = self.assert_runs("sample", "normal.stan", "--data", "normal.json", "--method", "nuts", "--max-tree-depth", "2",
                                    "--adapt", "false", "--step-size", step, "--warmup", "0", "--iterations", "25", "--chains", "2",
                                    "--out", "run", "--overwrite")
            for text in (told, self.assert_runs("summary", "run")):
                self.assertRegex(" ".join(text.split()), words)
            sampler = json.loads(self.assert_runs("summary", "run", "--json"))["sampler"]
            self.assertEqual((sampler["draws"], sampler[key], len(sampler["ebfmi"])), (50, 50, 2))

    def test_energy_that_hardly_moves_is_told(self):
        self.exact("--method", "nuts", "--out", "run", "--quiet")
        path = self.folder / "run" / "chain-1.csv"
        lines, column, row = [], None, 0
        for line in path.read_text().splitlines():
            if not line.startswith("#"):
                cells = line.split(",")
                if column is None:
                    column = cells.index("energy__")
                else:
                    cells[column] = str(abs(row % 40 - 20))  # up and down in small steps
                    row += 1
                line = ",".join(cells)
            lines.append(line)
        path.write_text("\n".join(lines) + "\n")
        self.assertRegex(" ".join(self.assert_runs("summary", "run").split()), r"E-BFMI is 0\.0\d+ \(chain 1\)")

    def test_refusals(self):
        start = ("sample", "normal.stan", "--data", "normal.json", "--method")
        self.assert_fails(2, "sgmcmc: --method: there is no method 'nuts-cv': nuts uses all rows at every step. Use nuts\n", *start, "nuts-cv")
        self.assert_fails(2, "sgmcmc: --step-size: nuts takes one number, or none and finds it: its metric adapts to the scales of "
                          "parameters\n", *start, "nuts", "--step-size", "0.1,mu=0.2")
        self.assert_fails(2, "sgmcmc: --friction: nuts has no such option; it is one of 'sghmc', 'baoab'\n", *start, "nuts", "--friction", "0.2")


class Sampling(ProgramTest):
    def test_output_in_a_pipe_is_the_summary_alone(self):
        lines = self.sample().splitlines()
        names = [line.split()[0] for line in lines if line.strip()]
        for name in ("mu", "sigma", "variance", "pair[1]", "pair[2]"):
            self.assertIn(name, names)
        self.assertRegex("\n".join(lines), r"\nsgld-cv, 2 chains of 400 draws, minibatches of 50 of 200 rows, settled after 200\n"
                         r"iterations of warm-up, [\d.e-]+ s\nverdict: ")
        self.assertEqual(self.sample("--quiet"), "")

    def test_warmup_is_found_told_and_recorded(self):
        (self.folder / "far.json").write_text(json.dumps({"mu": 4, "sigma": 1}))
        far = ("--method", "sgld", "--iterations", "4000", "--initial", "far.json", "--json", "--exit-status", "plain", "--quiet")
        found = json.loads(self.sample(*far, "--out", "run"))
        record = json.loads((self.folder / "run" / "run.json").read_text())
        self.assertGreaterEqual(found["warmup"], 200)
        self.assertEqual(found["warmup"], max(chain["iterations"] for chain in record["warmup"]))
        self.assertEqual(found["settled"], all(chain["settled"] for chain in record["warmup"]))
        self.assertIsNone(record["options"]["warmup"])
        self.assertEqual(len(self.draws("run/chain-1.csv")), 4000)
        self.sample(*far, "--warmup", "auto", "--out", "auto")
        self.assertEqual(self.draws("auto/chain-1.csv"), self.draws("run/chain-1.csv"))
        asked = json.loads(self.sample(*far, "--warmup", "0", "--out", "asked"))
        self.assertEqual((asked["warmup"], asked["settled"]), (0, True))
        self.assertNotIn("warmup", json.loads((self.folder / "asked" / "run.json").read_text()))
        # The draws now include burn-in.
        sds = [{row["name"]: row["sd"] for row in one["parameters"]}["mu"] for one in (found, asked)]
        self.assertGreater(sds[1], 2 * sds[0])

    def test_chains_that_still_drift_are_told(self):
        text = self.sample("--method", "sgld", "--step-size", "1e-9", "--iterations", "500", "--initial-radius", "5", "--exit-status",
                           "plain")
        text = " ".join(text.split())
        self.assertIn("2 of 2 chains still drifted after 800 iterations of warm-up,", text)
        self.assertIn("verdict: do not trust. They were not settled: 2 of 2 chains still drifted after 800 iterations of warm-up.", text)

    def test_the_limit_counts_the_groups_that_are_drawn(self):
        groups, rows = 4000, 8000
        (self.folder / "groups.stan").write_text(
            "data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] y; }\n"
            "parameters { real mu; real<lower=0> tau; vector[J] z; }\n"
            "transformed parameters { vector[J] theta = mu + tau * z; }\n"
            "model { mu ~ normal(0, 2); tau ~ normal(0, 1); z ~ normal(0, 1); y ~ normal(theta[g], 1); }\n")
        (self.folder / "groups.json").write_text(json.dumps(
            {"N": rows, "J": groups, "g": [i % groups + 1 for i in range(rows)], "y": [(i * 0.618) % 2 for i in range(rows)]}))
        # 3,002 numbers of 28 bytes, 2 chains of 20 draws: 3.4 MB. All 8,002 would be 9 MB.
        words = ("sample", "groups.stan", "--data", "groups.json", "--method", "marginal-nuts", "--warmup", "20", "--iterations", "20",
                 "--chains", "2", "--diagnose", "none", "--quiet", "--draws-limit", "0.004")
        self.assert_runs(*words, "--out", "run")
        self.assertEqual(len(self.draws("run/chain-1.csv")), 20)
        self.assert_runs(*words, "--groups", "all", "--out", "all")
        self.assertLess(len(self.draws("all/chain-1.csv")), 20)

    def test_draws_stay_below_the_limit_and_it_is_said(self):
        # 5 numbers of 28 bytes, 2 chains of 4000 draws: 1.12 MB.
        words = ("sample", "normal.stan", "--data", "normal.json", "--step-size", "1e-3", "--batch-size", "50", "--iterations", "4000",
                 "--chains", "2", "--draws-limit")
        done = self.run_program(*words, "1e-4", "--out", "run")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(" ".join(done.stderr.split()),
                         "sgmcmc: draws of 5 numbers will take about 9.32e-05 GB in run: one in 12 iterations is kept, since all that "
                         "were asked for take 0.00112 GB and --draws-limit is 1e-4")
        self.assertEqual(len(self.draws("run/chain-1.csv")), 333)
        self.assertEqual(self.run_program(*words, "1", "--out", "other").stderr, "")
        self.assert_fails(2, "sgmcmc: --draws-limit: a positive number of gigabytes is expected\n", *words, "0", "--out", "none")

    def test_exit_status_is_the_verdict(self):
        words = ("sample", "normal.stan", "--data", "normal.json", "--batch-size", "50", "--chains", "2", "--quiet")
        wide = (*words, "--method", "sgld", "--step-size", "5e-3", "--iterations", "4000", "--warmup", "500")
        self.assertEqual(self.run_program(*wide, "--exit-status", "plain").returncode, 0)
        self.assertEqual(subprocess.run([PROGRAM, *wide, "--out", "wide"], cwd=self.folder).returncode, 3)  # by default
        self.assertEqual(json.loads((self.folder / "wide/run.json").read_text())["verdict"]["trust"], "do not trust")
        self.assertRegex(self.assert_runs("summary", "wide"), r"\nverdict of the run: do not trust\n$")
        right = self.run_program(*words, "--exit-status", "verdict", "--out", "right")
        self.assertEqual(right.returncode, 0)
        none = self.run_program(*wide, "--exit-status", "verdict", "--diagnose", "none", "--out", "none")
        self.assertEqual(none.returncode, 0)
        self.assertNotIn("verdict", json.loads((self.folder / "none/run.json").read_text()))

    def test_json_has_every_field(self):
        summary = json.loads(self.sample("--json", "--quiet"))
        self.assertEqual([row["name"] for row in summary["parameters"]], ["mu", "sigma", "variance", "pair[1]", "pair[2]"])
        for row in summary["parameters"]:
            self.assertLessEqual({"name", "mean", "sd", "mcse_mean", "q5", "q50", "q95", "ess_bulk", "ess_tail", "rhat"}, set(row))

    def test_zero_variance_estimates(self):
        def row(*words):
            found = json.loads(self.sample("--json", "--quiet", *words))["parameters"][0]
            del found["atuc"]  # seconds
            return found
        automatic, linear, none = row(), row("--zero-variance", "linear"), row("--zero-variance", "none")
        self.assertEqual(automatic, linear)
        self.assertEqual({key: value for key, value in linear.items() if not key.endswith("_zv")}, none)
        self.assertEqual(set(linear) - set(none), {"mean_zv", "mcse_zv", "gain_zv"})
        self.assertGreater(linear["gain_zv"], 1)
        self.assertNotIn("mean (zv)", self.sample())
        self.assertIn("mean (zv)", self.sample("--zero-variance", "quadratic"))
        done = self.run_program("sample", "normal.stan", "--data", "normal.json", "--method", "laplace", "--zero-variance",
                                "linear")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("zero_variance is linear, but laplace takes no gradients; use zero_variance none", done.stderr)

    def test_posterior_is_about_right(self):
        rows = {row["name"]: row for row in json.loads(self.sample("--json", "--iterations", "4000"))["parameters"]}
        mean = sum(self.values) / len(self.values)
        sd = math.sqrt(sum((y - mean) ** 2 for y in self.values) / len(self.values))
        self.assertAlmostEqual(rows["mu"]["mean"], mean, delta=0.03)
        self.assertAlmostEqual(rows["sigma"]["mean"], sd, delta=0.03)
        self.assertAlmostEqual(rows["mu"]["sd"], sd / math.sqrt(len(self.values)), delta=0.015)

    def test_files_hold_the_draws(self):
        self.sample("--out", "run", "--thin", "4")
        self.assertEqual(sorted(os.listdir(self.folder / "run")),
                         ["chain-1.checkpoint", "chain-1.csv", "chain-2.checkpoint", "chain-2.csv", "diagnosis.json", "draws.nc", "run.json",
                          "setup.checkpoint"])
        draws = self.draws("run/chain-1.csv")
        self.assertEqual(len(draws), 100)
        self.assertEqual(list(draws[0]), ["lp__", "stepsize__", "weight__", "mu", "sigma", "variance", "pair.1", "pair.2"])
        for row in draws:
            self.assertAlmostEqual(row["variance"], row["sigma"] ** 2, places=5)
            self.assertAlmostEqual(row["pair.1"], row["mu"] + row["sigma"], places=4)
        record = json.loads((self.folder / "run" / "run.json").read_text())
        self.assertEqual((record["status"], record["command"], record["draws"]), ("finished", "sample", [100, 100]))
        self.assertEqual(record["options"]["method"], "sgld-cv")
        self.assertEqual(record["options"]["batch_size"], 50)
        self.assertEqual(record["options"]["rows"], "N")
        self.assertEqual(record["data"][0]["bytes"], (self.folder / "normal.json").stat().st_size)
        self.assertRegex(record["model"]["xxh64"], r"^[0-9a-f]{16}$")

    def test_log_density_column_is_the_log_density(self):
        self.sample("--out", "run", "--log-density", "always", "--chains", "1", "--iterations", "20")
        draws = self.draws("run/chain-1.csv")
        self.write("points.json", json.dumps({"unconstrained": [[row["mu"], math.log(row["sigma"])] for row in draws]}))
        known = json.loads(self.assert_runs("log-density", "normal.stan", "--data", "normal.json", "--at", "points.json", "--json"))
        for row, density in zip(draws, known["log_density"]):
            self.assertAlmostEqual(row["lp__"], density, delta=1e-3 * abs(density))

    def test_previous_run_is_kept_unless_told(self):
        self.sample("--out", "run")
        before = self.chain_lines("run/chain-1.csv")
        self.assert_fails(2, "sgmcmc: --out: 'run' holds a previous run (chain-1.checkpoint and others); name another folder, or add "
                          "--overwrite to replace it\n", "sample", "normal.stan", "--data", "normal.json", "--step-size", "1e-3",
                          "--out", "run")
        self.assertEqual(self.chain_lines("run/chain-1.csv"), before)
        self.sample("--out", "run", "--overwrite", "--chains", "1")
        self.assertEqual(sorted(os.listdir(self.folder / "run")), ["chain-1.checkpoint", "chain-1.csv", "diagnosis.json", "draws.nc", "run.json",
                                                                   "setup.checkpoint"])

    def test_run_record_repeats_the_run_exactly(self):
        self.write("start.json", '{"mu": 1.5}')
        self.sample("--out", "run", "--method", "sghmc-svrg", "--trajectory-length", "3", "--seed", "12345678901234567890",
                    "--batch-size", "0.1", "--initial", "start.json", "--schedule", "decay(100,0.5)", "--warmup", "7", "--step-size",
                    "1e-4,sigma=2e-4", "--precision", "float", "--threads", "1")
        self.assert_runs("sample", "--config", "run/run.json", "--out", "again", "--threads", "2", "--quiet")
        for name in ("chain-1.csv", "chain-2.csv"):
            self.assertEqual(self.chain_lines(f"run/{name}"), self.chain_lines(f"again/{name}"))
        self.assertNotEqual(self.chain_lines("run/chain-1.csv"), self.chain_lines("run/chain-2.csv"))
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        done = subprocess.run([PROGRAM, "sample", "--config", "../run/run.json", "--out", "there", "--quiet"], cwd=elsewhere,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # The comments give the path of the data relative to the working directory.
        draws = [line for line in self.chain_lines("run/chain-1.csv") if not line.startswith("#")]
        there = [line for line in self.chain_lines("elsewhere/there/chain-1.csv") if not line.startswith("#")]
        self.assertEqual(draws, there)

    def test_changed_data_are_noticed_when_a_run_is_repeated(self):
        self.sample("--out", "run")
        self.write("normal.json", json.dumps({"N": 200, "y": self.values[::-1]}))
        done = self.run_program("sample", "--config", "run/run.json", "--out", "again")
        self.assertEqual(done.stderr, "sgmcmc: warning: run/run.json: 'normal.json' has changed since that run\n")
        self.assertEqual(done.returncode, 0)

    def test_configuration_file_serves(self):
        self.write("run.toml", "model = 'normal.stan'\ndata = ['normal.json']\nstep_size = {mu = 1e-3, sigma = 1e-3}\n"
                   "iterations = 50\nchains = 2\n")
        self.assertIn("2 chains of 50 draws", self.assert_runs("sample", "--config", "run.toml"))
        self.assertIn("2 chains of 60 draws", self.assert_runs("sample", "--config", "run.toml", "--iterations", "60"))
        self.assertIn("Rows: N = 200", self.assert_runs("check", "--config", "run.toml"))

    def test_record_may_list_the_defaults_of_other_samplers(self):
        for option in ("friction = 0.01", "target_acceptance = 0.8", "diffusion = 0.01"):
            self.write("run.toml", "model = 'normal.stan'\ndata = ['normal.json']\nstep_size = 1e-3\nmethod = 'sgld'\n"
                       f"iterations = 20\nchains = 1\n{option}\n")
            self.assertIn("1 chain of 20 draws", self.assert_runs("sample", "--config", "run.toml"))

    def test_model_without_rows_is_sampled_in_full_and_minibatches_are_refused(self):
        words = ("sample", "moving.stan", "--data", "normal.json", "--step-size", "1e-4", "--iterations", "20", "--chains", "1")
        self.assertIn("sgld-full, 1 chain of 20 draws", self.assert_runs(*words, "--method", "sgld-full"))
        self.assertIn("nuts, 1 chain of 20 draws", self.assert_runs(*words))
        done = self.run_program(*words, "--method", "sgld")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertTrue(done.stderr.startswith("sgmcmc: --method: sgld needs rows to draw minibatches from, and this model has "
                                               "none:\nmoving.stan:"), done.stderr)
        self.assertTrue(done.stderr.endswith("\nUse --method nuts or sgld-full, which take all data at every step\n"), done.stderr)

    def test_divergence_ends_the_run_with_its_files_in_order(self):
        done = self.run_program("sample", "normal.stan", "--data", "normal.json", "--step-size", "10", "--out", "run",
                                "--recoveries", "0")
        self.assertEqual(done.returncode, 1)
        # Which chain fails first, and whether in its coordinates or its values, depends on timing.
        self.assertRegex(done.stderr, r"^sgmcmc: chain \d+(, | diverged at )iteration \d+: .*[Tt]ry a smaller step size")
        record = json.loads((self.folder / "run" / "run.json").read_text())
        self.assertEqual(record["status"], "failed")
        self.assertIn("smaller step size", record["error"])

    def test_chain_that_diverges_is_taken_back_and_it_is_said(self):
        done = self.run_program("sample", "normal.stan", "--data", "normal.json", "--step-size", "10", "--out", "run", "--outputs",
                                "none", "--log-density", "always")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^sgmcmc: warning: chains diverged and went on from an earlier state with smaller\nsteps: chain 1 "
                         r"at iteration \d+, from 0 on with a\s+factor of 0.5; ")
        reductions = json.loads((self.folder / "run" / "run.json").read_text())["step_reductions"]
        self.assertEqual({entry["chain"] for entry in reductions}, {1, 2, 3, 4})
        for entry in reductions:
            self.assertLess(entry["step_factor"], 1)
        for chain in range(1, 5):
            for line in self.chain_lines(f"run/chain-{chain}.csv"):
                self.assertNotRegex(line, r"(?i)\b(nan|inf)\b")
            last = self.draws(f"run/chain-{chain}.csv")[-1]  # the step that was taken; draws weigh as they would with the whole
            factor = [entry["step_factor"] for entry in reductions if entry["chain"] == chain][-1]
            self.assertEqual((last["stepsize__"], last["weight__"]), (10 * factor, 10))

    def test_thinning_is_not_for_the_exact_sampler_that_was_chosen(self):
        words = ("sample", "normal.stan", "--data", "normal.json", "--thin", "2000", "--chains", "1", "--out", "run")
        done = self.run_program(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "sgmcmc: auto chose nuts, whose 1000 draws are all kept: --thin counts only\ntogether with "
                         "--iterations, or with a method that is named\n")
        self.assertEqual(len(self.draws("run/chain-1.csv")), 1000)
        self.assert_runs("resume", "run", "--iterations", "1200", "--quiet")
        self.assertEqual(len(self.draws("run/chain-1.csv")), 1200)
        self.assert_runs(*words, "--iterations", "2000", "--quiet", "--overwrite")
        self.assertEqual(len(self.draws("run/chain-1.csv")), 1)

    def test_steps_are_found_and_a_record_repeats_what_was_found(self):
        words = ("sample", "normal.stan", "--data", "normal.json", "--batch-size", "50", "--iterations", "2000", "--chains", "2")
        said = self.assert_runs(*words, "--method", "sgld-cv", "--out", "run")
        self.assertRegex(said, r"^tried +step +rows +iterations +sds +means +MC +error\nsgld-cv .* \*\n")
        self.assertIn("has the smallest expected error", said)
        record = json.loads((self.folder / "run" / "run.json").read_text())
        chosen = record["tuning"]["candidates"][0]
        self.assertTrue(chosen["chosen"])
        self.assertEqual(record["options"]["step_size"], chosen["step_size"])
        self.assertGreaterEqual(len(record["tuning"]["candidates"]), 5)
        self.assert_runs("sample", "--config", "run/run.json", "--out", "again", "--quiet")
        self.assertEqual(self.chain_lines("run/chain-2.csv"), self.chain_lines("again/chain-2.csv"))
        done = self.run_program(*words, "--out", "small")
        self.assertEqual(done.stderr, "sgmcmc: warning: --batch-size has no effect: nuts uses all rows at every step\n")
        said = done.stdout
        self.assertTrue(said.startswith("nuts: with 200 rows and 2 coordinates full gradients are cheap"), said)
        self.assert_runs("sample", "--config", "small/run.json", "--out", "small-again", "--quiet")
        self.assertEqual(self.chain_lines("small/chain-2.csv"), self.chain_lines("small-again/chain-2.csv"))

    def test_generated_quantities_that_fail_are_left_out_and_all_else_is_kept(self):
        self.write("failing.stan", NORMAL.replace("pair[1] = mu + sigma;", "pair[1] = poisson_rng(mu - 1);").replace(
            "vector[2] pair;", "vector[2] pair; real kept = 2 * mu; real root = sqrt(1 - mu);"))
        words = ("sample", "failing.stan", "--data", "normal.json", "--step-size", "1e-3", "--batch-size", "50", "--iterations", "100",
                 "--chains", "2")
        done = self.run_program(*words, "--json", "--out", "run")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr.replace("\n", " "),
                         r"^sgmcmc: warning: pair is left out of the files and the summary: no finite number at \d+ draws, first at "
                         r"draw \d+ of chain 1: failing.stan:19:13: .* sgmcmc: warning: root is left out of the files and the "
                         r"summary: no finite number at \d+ draws, first at draw \d+ of chain 1: root is not a number $")
        self.assertEqual([row["name"] for row in json.loads(done.stdout)["parameters"]], ["mu", "sigma", "variance", "kept"])
        for chain in (1, 2):
            rows = self.draws(f"run/chain-{chain}.csv")
            self.assertEqual(len(rows), 100)
            self.assertEqual(list(rows[0]), ["lp__", "stepsize__", "weight__", "mu", "sigma", "variance", "kept"])
            self.assertTrue(all(math.isclose(row["kept"], 2 * row["mu"], rel_tol=1e-12) for row in rows))
        left = {entry["name"]: entry for entry in json.loads((self.folder / "run" / "run.json").read_text())["left_out"]}
        both = [self.draws(f"run/chain-{chain}.csv") for chain in (1, 2)]
        above = [[row["mu"] > 1 for row in rows] for rows in both]
        self.assertEqual(left["root"]["draws"], sum(map(sum, above)))
        self.assertEqual(left["pair"]["draws"], 200 - sum(map(sum, above)))
        first = next(chain for chain in (0, 1) if any(above[chain]))
        self.assertEqual((left["root"]["first_chain"], left["root"]["first_draw"]), (first + 1, above[first].index(True) + 1))
        # The summary is the same without files.
        self.assertEqual(json.loads(self.run_program(*words, "--json").stdout)["parameters"][3]["mean"],
                         json.loads(done.stdout)["parameters"][3]["mean"])
        done = self.run_program("optimize", "failing.stan", "--data", "normal.json", "--json")
        self.assertEqual(done.returncode, 0)
        json.loads(done.stdout, parse_constant=lambda word: self.fail(word))
        self.write("never.stan", NORMAL.replace("pair[1] = mu + sigma;", "pair[1] = poisson_rng(-sigma);"))
        done = self.run_program("optimize", "never.stan", "--data", "normal.json", "--json")
        self.assertIn("some outputs cannot be computed", done.stderr)
        done = self.run_program("optimize", "never.stan", "--data", "normal.json", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_log_density_that_was_not_computed_is_zero_and_said_to_be_none(self):
        self.sample("--out", "run", "--log-density", "never")
        self.assertEqual({row["lp__"] for row in self.draws("run/chain-1.csv")}, {0.0})
        self.assertIn("#   sgmcmc.lp__ = not computed\n", (self.folder / "run" / "chain-1.csv").read_text())

    def test_outputs_by_rows_are_kept_when_asked_for(self):
        self.write("rows.stan", NORMAL.replace("vector[2] pair;", "vector[2] pair; vector[N] residual = y - mu;"))
        self.write("many.json", json.dumps({"N": 1200, "y": self.values * 6}))
        words = ("sample", "rows.stan", "--data", "many.json", "--step-size", "1e-4", "--iterations", "8", "--chains", "1")
        done = self.run_program(*words, "--out", "run")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "sgmcmc: residual not kept: a number for every row at every draw; --outputs all\nkeeps them\n")
        self.assertEqual(len(self.draws("run/chain-1.csv")[0]), 8)
        self.assert_runs(*words, "--out", "all", "--outputs", "all")
        row = self.draws("all/chain-1.csv")[-1]
        self.assertEqual(len(row), 1208)
        self.assertAlmostEqual(row["residual.1200"], self.values[-1] - row["mu"], places=12)
        self.assert_runs(*words, "--out", "none", "--outputs", "none")
        self.assertEqual(len(self.draws("none/chain-1.csv")[0]), 5)

    def test_only_shows_what_is_asked_for(self):
        self.sample("--out", "run")
        rows = json.loads(self.assert_runs("summary", "run", "--json", "--only", "pair,mu"))["parameters"]
        self.assertEqual([row["name"] for row in rows], ["mu", "pair[1]", "pair[2]"])
        self.assert_fails(2, "sgmcmc: --only: there is no variable 'nu'. Did you mean 'mu'?\n", "summary", "run", "--only", "nu")


class Comparing(ProgramTest):
    """sgmcmc compare, and the related columns of sgmcmc summary."""

    def write_draws(self, name, columns, rows, weights=None):
        lines = [",".join((["weight__"] if weights else []) + columns)]
        for k, row in enumerate(rows):
            lines.append(",".join(map(repr, ([weights[k]] if weights else []) + list(row))))
        return self.write(name, "\n".join(lines) + "\n")

    def waves(self, count, shift=0.0, scale=1.0):
        """Numbers that fill the interval (-0.5, 0.5) evenly, in random order, shifted and scaled."""
        return [[shift + scale * ((0.618033988749895 * k) % 1 - 0.5), ((0.414213562373095 * k) % 1) ** 2] for k in range(count)]

    def test_a_difference_is_told_beside_its_error(self):
        self.write_draws("a.csv", ["x", "y"], self.waves(1000, shift=0.1, scale=1.5))
        self.write_draws("b.csv", ["x", "y"], self.waves(1200))
        text = self.assert_runs("compare", "a.csv", "b.csv")
        self.assertRegex(text, r"^name +mean diff +mcse +sd ratio +mcse +ks +p\nx \* +0\.3\d+ ")
        self.assertIn("E2 (covariances)", text)
        words = " ".join(text.split())
        self.assertIn("The mean of x differs by 0.35 sd, more than Monte Carlo error; the sd of x is 50 % larger than in the "
                      "reference.", words)
        self.assertEqual(text, self.assert_runs("compare", "a.csv", "b.csv", "--threads", "3"))
        found = json.loads(self.assert_runs("compare", "a.csv", "b.csv", "--json"))
        self.assertEqual([row["name"] for row in found["parameters"]], ["x", "y"])
        self.assertAlmostEqual(found["parameters"][0]["sd_ratio"], 1.5, places=2)
        self.assertEqual(set(found["distances"]), {"e1", "e2", "energy", "mmd", "gaussian_wasserstein", "sliced_wasserstein", "kl"})
        self.assertEqual((found["draws"], found["reference_draws"]), (1000, 1200))
        self.assertIn("the sd of x is 50 % larger", found["verdict"])
        only = json.loads(self.assert_runs("compare", "a.csv", "b.csv", "--json", "--only", "y"))
        self.assertEqual([row["name"] for row in only["parameters"]], ["y"])
        self.assertTrue(only["verdict"].startswith("Means agree within Monte Carlo error"))

    def test_a_run_against_itself_differs_in_nothing(self):
        self.sample("--out", "run")
        found = json.loads(self.assert_runs("compare", "run", "run", "--json"))
        self.assertEqual(len(found["parameters"]), 5)
        for row in found["parameters"]:
            self.assertEqual((row["mean_difference"], row["sd_ratio"], row["ks"]), (0, 1, 0))
        self.assertEqual(found["distances"]["e2"]["value"], 0)

    def test_narrow_terminals_get_narrow_tables(self):
        self.write_draws("a.csv", ["x", "y"], self.waves(100))
        done = self.run_program("compare", "a.csv", "a.csv", environment={"COLUMNS": "34"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 34)

    def test_weights_count(self):
        rows = [[float(k % 7)] for k in range(70)]
        weights = [1.0 + k % 2 for k in range(70)]
        repeated = [row for row, weight in zip(rows, weights) for _ in range(int(weight))]
        self.write_draws("weighted.csv", ["x"], rows, weights)
        self.write_draws("repeated.csv", ["x"], repeated)
        found = json.loads(self.assert_runs("compare", "weighted.csv", "repeated.csv", "--json"))
        self.assertAlmostEqual(found["parameters"][0]["mean_difference"], 0, places=12)
        self.assertAlmostEqual(found["distances"]["energy"]["value"], 0, places=6)

    def test_other_variables_are_named(self):
        rows = self.waves(50)
        self.write_draws("a.csv", ["x", "y"], rows)
        self.write_draws("b.csv", ["z", "x"], rows)
        text = self.assert_runs("compare", "a.csv", "b.csv")
        self.assertTrue(text.endswith("Only in 'a.csv': y.\nOnly in 'b.csv': z.\n"), text)

    def test_what_cannot_be_compared_is_refused(self):
        rows = self.waves(50)
        self.write_draws("a.csv", ["x", "y"], rows)
        self.write_draws("b.csv", ["u", "v"], rows)
        self.write_draws("one.csv", ["x", "y"], rows[:1])
        self.write_draws("nan.csv", ["x", "y"], rows[:3] + [[1.0, float("nan")]])
        self.write_draws("beta2.csv", ["beta.1", "beta.2"], rows)
        self.write_draws("beta1.csv", ["beta.1", "x"], rows)
        self.assert_fails(2, "sgmcmc: name two folders or files of draws, the reference last: sgmcmc compare A B\n", "compare", "a.csv")
        self.assert_fails(1, "sgmcmc: 'a.csv' and 'b.csv' have no variable in common: the first has 'x', 'y', the other 'u', 'v'. "
                          "Compare draws of one model\n", "compare", "a.csv", "b.csv")
        self.assert_fails(1, "sgmcmc: 'one.csv' has a single draw; a comparison needs at least two, and some hundred to say much\n",
                          "compare", "one.csv", "a.csv")
        self.assert_fails(1, "sgmcmc: 'nan.csv': y is nan in draw 4 of chain 1; draws that are not finite cannot be compared. Name the "
                          "variables to compare with --only\n", "compare", "a.csv", "nan.csv")
        self.assert_runs("compare", "a.csv", "nan.csv", "--only", "x")
        self.assert_fails(1, "sgmcmc: beta has 2 elements in 'beta2.csv' and 1 in 'beta1.csv': these are draws of different models, or "
                          "of other data. Compare draws of one model, or name the variables to compare with --only\n",
                          "compare", "beta2.csv", "beta1.csv")
        self.assert_fails(2, "sgmcmc: --only: there is no variable 'y'. There are: 'beta', 'x'. (in 'beta1.csv')\n",
                          "compare", "a.csv", "beta1.csv", "--only", "y")

    def test_simplex_against_a_dirichlet_law(self):
        # Dirichlet(1, 1, 1) by the inverse of Rosenblatt's transform, at evenly spaced points of the unit square.
        rows = []
        for k in range(400):
            u, v = (0.7548776662466927 * k + 0.01) % 1, (0.5698402909980532 * k + 0.01) % 1
            first = 1 - math.sqrt(1 - u)
            rows.append([first, (1 - first) * v, (1 - first) * (1 - v), 7.0])
        self.write_draws("simplex.csv", ["theta.1", "theta.2", "theta.3", "x"], rows)
        text = self.assert_runs("compare", "simplex.csv", "--dirichlet", "1,1,1", "--only", "theta")
        self.assertIn("The draws agree with this Dirichlet law (p = 1).", text)
        found = json.loads(self.assert_runs("compare", "simplex.csv", "--dirichlet", "1,1,1", "--only", "theta", "--json"))
        self.assertLess(found["ks"], 0.02)
        self.assertEqual(len(found["components"]), 2)
        text = self.assert_runs("compare", "simplex.csv", "--dirichlet", "2,1,1", "--only", "theta")
        self.assertIn("The draws do not have this Dirichlet law: theta[1]", text)
        self.assert_fails(2, "sgmcmc: --dirichlet: there are 3 concentrations, but the draws chosen from 'simplex.csv' have 4 "
                          "components; name one simplex with --only (there are 'theta', 'x')\n",
                          "compare", "simplex.csv", "--dirichlet", "1,1,1")
        self.assert_fails(2, "sgmcmc: --dirichlet: '0' is not a concentration; give numbers above 0, separated by commas: "
                          "--dirichlet 0.5,1,2\n", "compare", "simplex.csv", "--dirichlet", "1,0,1")
        self.assert_fails(2, "sgmcmc: draw 1 of chain 1 is not on a simplex: theta[1] to x add up to 7.990050; choose the components "
                          "of one simplex\n", "compare", "simplex.csv", "--dirichlet", "1,1,1", "--only", "theta[1],theta[3],x")

    def test_summary_has_more_columns(self):
        self.sample("--out", "run")
        text = self.assert_runs("summary", "run", "--columns", "sd,mcse_sd,iat,atuc")
        self.assertRegex(text, r"^name +sd +mcse_sd +iat +atuc\n")
        rows = json.loads(self.assert_runs("summary", "run", "--json"))["parameters"]
        seconds = max(float(re.search(r"([\d.e-]+) seconds \(Total\)", path.read_text()).group(1))
                      for path in (self.folder / "run").glob("chain-*.csv"))
        for row in rows:
            self.assertLessEqual({"mcse_sd", "mcse_q5", "mcse_q50", "mcse_q95", "ess_mean", "ess_sd", "iat", "atuc"}, set(row))
            self.assertAlmostEqual(row["iat"] * row["ess_mean"], 800, places=6)
            self.assertAlmostEqual(row["atuc"] * row["ess_mean"] / seconds, 1, places=9)
        for row in json.loads(self.sample("--json"))["parameters"]:
            self.assertGreater(row["atuc"], 0)
        self.assert_fails(2, "sgmcmc: --columns: unknown column 'mcse_sdd'. Did you mean 'mcse_sd'?\n",
                          "summary", "run", "--columns", "mean,mcse_sdd")

    def test_times_of_cmdstan_are_those_of_sampling(self):
        rows = "\n".join(f"{((0.618 * k) % 1)!r}" for k in range(100))
        for chain, seconds in ((1, 0.5), (2, 0.75)):
            self.write(f"{chain}.csv", f"x\n{rows}\n# \n#  Elapsed Time: 9 seconds (Warm-up)\n"
                       f"#                {seconds} seconds (Sampling)\n#                9.5 seconds (Total)\n# \n")
        row = json.loads(self.assert_runs("summary", "1.csv", "2.csv", "--json"))["parameters"][0]
        self.assertAlmostEqual(row["atuc"] * row["ess_mean"], 0.75)


class Interrupts(ProgramTest):
    def interrupted(self, number):
        run = subprocess.Popen([PROGRAM, "sample", "normal.stan", "--data", "normal.json", "--step-size", "1e-3", "--batch-size",
                                "50", "--chains", "2", "--iterations", "100000000", "--thin", "1000", "--out", "run"],
                               cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        chains = [self.folder / "run" / f"chain-{chain}.csv" for chain in (1, 2)]

        def draws(path):
            return sum(not line.startswith("#") for line in path.read_text().splitlines()) - 1 if path.exists() else 0

        deadline = time.monotonic() + 60
        while min(map(draws, chains)) < 2:
            self.assertLess(time.monotonic(), deadline, "no draws appear")
            with self.assertRaises(subprocess.TimeoutExpired, msg="the run ended by itself"):
                run.wait(timeout=0.02)
        run.send_signal(number)
        output, errors = run.communicate(timeout=60)
        return run.returncode, output, errors

    def test_interrupt_keeps_what_there_is(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            status, output, errors = self.interrupted(number)
            self.assertEqual(status, 130)
            self.assertEqual(errors, "sgmcmc: interrupted; the summary covers the draws made so far, which are in run. To continue: "
                         "sgmcmc resume run\n")
            self.assertIn("sigma", output)
            record = json.loads((self.folder / "run" / "run.json").read_text())
            self.assertEqual(record["status"], "interrupted")
            self.assertGreaterEqual(min(record["draws"]), 2)
            self.assertTrue((self.folder / "run" / "draws.nc").exists())
            rows = json.loads(self.assert_runs("summary", "run", "--json"))["parameters"]
            self.assertEqual(rows[0]["name"], "mu")
            for name in os.listdir(self.folder / "run"):
                (self.folder / "run" / name).unlink()


def shown_on(terminal):
    """All output at our end of a terminal until the other end is closed; closes ours."""
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # Linux's way of saying that the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(terminal)
    return shown.decode()


class Terminal(ProgramTest):
    def in_terminal(self, *words):
        """stderr on a terminal, stdout in a pipe."""
        ours, theirs = self.open_terminal()
        run = subprocess.Popen([PROGRAM, "sample", "normal.stan", "--data", "normal.json", "--step-size", "1e-3", "--batch-size",
                                "50", "--chains", "2", *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=theirs, text=True)
        os.close(theirs)
        output, _ = run.communicate(timeout=60)
        return run.returncode, output, shown_on(ours)

    def test_progress_is_one_line_per_chain(self):
        status, output, shown = self.in_terminal()
        self.assertEqual(status, 0)
        self.assertNotIn("\033", output)
        self.assertTrue(shown.endswith("\r\033[K"), "the word on judging is left behind")
        self.assertIn("judging the draws ...", shown)
        last = [line for line in re.sub(r"\r|\033\[\d*[KA]", "", shown).splitlines() if line.startswith("chain")][-2:]
        self.assertRegex(last[0], r"^chain 1  100%  .* gradients$")
        self.assertRegex(last[1], r"^chain 2  100%  .* gradients$")

    def test_quiet_shows_nothing(self):
        self.assertEqual(self.in_terminal("--quiet"), (0, "", ""))


class Topics(ProgramTest):
    """sgmcmc lda on texts about four things, and on bags of words."""

    THINGS = [
        "harbour sail anchor captain deck storm tide vessel crew mast",
        "oven flour butter recipe sugar bake dough salt kitchen spoon",
        "guitar chord melody rhythm concert singer piano drum tune choir",
        "goal keeper match referee league striker penalty stadium coach trophy",
    ]

    def setUp(self):
        super().setUp()
        lines = []
        for i in range(240):
            words = self.THINGS[i % 4].split()
            lines.append(" ".join(words[(i // 4 * 7 + j * (3 + i % 5)) % 10] for j in range(12)) + " the and of")
        self.write("texts.txt", "\n".join(lines) + "\n")

    def lda(self, *words):
        return self.assert_runs("lda", "texts.txt", "--topics", "4", "--iterations", "80", "--batch-size", "40", *words)

    def test_topics_are_those_of_the_texts(self):
        report = json.loads(self.lda("--json", "--topics", "8", "--top-words", "6", "--iterations", "150"))
        self.assertLess(report["perplexity"], 12)  # of 40 words
        self.assertGreater(report["token_updates_per_second"], 0)
        self.assertEqual((report["documents"], report["held_out"], report["words"]), (216, 24, 40))
        for thing in map(str.split, self.THINGS):
            self.assertTrue(any(len(set(words).intersection(thing)) >= 5 for words in report["topics"]), thing)

    def test_run_leaves_a_model_that_applies_to_new_documents(self):
        printed = self.lda("--out", "run")
        self.assertRegex(printed, r"perplexity \d+\.\d of 24 held-out documents\n$")
        names = sorted(path.name for path in (self.folder / "run").iterdir())
        self.assertEqual(names, ["model.json", "perplexity.csv", "run.json", "topics.npy", "topics.txt", "vocabulary.txt"])
        self.assertEqual(json.loads((self.folder / "run/run.json").read_text())["status"], "finished")
        self.write("new.txt", "The captain dropped anchor: sail, mast and tide!\nnothing known here\nflour sugar butter\n")
        done = self.run_program("lda", "new.txt", "--apply", "run", "--out", "found", "--json")
        self.assertEqual(done.stderr, "sgmcmc: warning: 1 documents without words were omitted\n")
        self.assertEqual(json.loads(done.stdout)["documents"], 2)
        lines = (self.folder / "found/proportions.csv").read_text().splitlines()
        self.assertEqual(lines[0], "topic.1,topic.2,topic.3,topic.4")
        shares = [[float(x) for x in line.split(",")] for line in lines[1:]]
        self.assertEqual(len(shares), 2)
        self.assertTrue(all(max(row) > 0.6 for row in shares))
        self.assertNotEqual(shares[0].index(max(shares[0])), shares[1].index(max(shares[1])))
        self.assertEqual(self.run_program("resume", "found").stderr,
                         "sgmcmc: the run in 'found' is finished: the shares of the topics in all documents were found\n")
        self.assert_fails(2, "sgmcmc: --out: 'run' holds a previous run (model.json and others); name another folder, or add "
                          "--overwrite to replace it\n", "lda", "texts.txt", "--out", "run")

    def test_same_seed_gives_the_same_topics_whatever_the_threads(self):
        keys = ("perplexity", "topics", "shares")
        one, two = (json.loads(self.lda("--json", "--threads", threads)) for threads in ("1", "2"))
        self.assertEqual([one[key] for key in keys], [two[key] for key in keys])

    def test_every_method_runs(self):
        for method in ("scir", "sgrld", "sgld", "sgld-cv"):
            report = json.loads(self.lda("--json", "--method", method))
            self.assertEqual(report["method"], method)
            self.assertLess(report["perplexity"], 41)

    def test_mistakes_are_told_in_one_message(self):
        def refused(name, text, message, *words):
            self.assert_fails(1, f"sgmcmc: {message}\n", "lda", self.write(name, text), *words)

        refused("a.txt", "2\n3\n2\n1 1 1\n2 4 1\n", "a.txt:5: word 4 is out of range: there are words 1 to 3")
        refused("b.txt", "2\n3\n2\n1 1 1\n2 3 -1\n", "b.txt:5: the count is -1; counts are from 1 to 16777216")
        refused("c.txt", "2\n3\n9\n1 1 1\n2 3 1\n",
                "c.txt:5: the file ends after 2 of 9 entries. The file is truncated: copy or unpack it again")
        refused("d.txt", "1 0:1\n0\n", "d.txt:2: document 2 has no words. Remove it, or use skip_empty to omit documents without words")
        self.assert_fails(2, "sgmcmc: name the documents: sgmcmc lda DOCS ...; a file of bags of words or text, or a folder of text files\n", "lda")
        self.assert_fails(2, "sgmcmc: --memory: 'much' is not a size of at least 1M, such as 256M or 2G\n", "lda", "texts.txt",
                          "--memory", "much")
        self.assert_fails(2, "sgmcmc: holdout is 1.5; it must be a share of the documents, from 0 to below 1\n", "lda",
                          "texts.txt", "--holdout", "1.5")

    def test_memory_stays_flat_when_documents_do_not_fit(self):
        def peak_of(documents):
            line = "60 " + " ".join(f"{(37 * j) % 900}:2" for j in range(60)) + "\n"
            with open(self.folder / "large.ldac", "w") as file:  # in pieces: the peak of a child begins with ours
                for _ in range(documents // 100):
                    file.write(line * 100)
            run = subprocess.Popen([PROGRAM, "lda", "large.ldac", "--topics", "5", "--iterations", "20", "--memory", "2M", "--out",
                                    f"run{documents}", "--json"], cwd=self.folder, stdout=subprocess.PIPE)
            report = json.loads(run.stdout.read())
            run.stdout.close()
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = status
            self.assertEqual(status, 0)
            return report["in_memory"], usage.ru_maxrss * 1024

        self.assertEqual(peak_of(100)[0], True)
        small, large = peak_of(5000), peak_of(40000)  # 2.4 and 19 million bytes of entries
        self.assertEqual((small[0], large[0]), (False, False))
        self.assertLess(large[1] - small[1], 2_000_000)


class Mixtures(ProgramTest):
    """sgmcmc dpmix on cases and votes of two kinds of users, and on bags of words."""

    HEAD = 'I,4,"www.site.org"\n' + "".join(f'A,{10 + w},1,"area {w}","/{w}"\n' for w in range(6))

    def setUp(self):
        super().setUp()
        text = self.HEAD
        for i in range(200):
            text += f'C,"{i}",{i}\n' + "".join(f"V,{10 + 3 * (i % 2) + (i // 2 * 7 + j) % 3},1\n" for j in range(4))
        self.write("users.data", text)

    def dpmix(self, *words):
        return self.assert_runs("dpmix", "users.data", "--iterations", "150", "--batch-size", "60", "--initial-clusters", "5",
                                *words)

    def test_clusters_are_those_of_the_users(self):
        for method in ("scir", "sgrld"):
            report = json.loads(self.dpmix("--json", "--method", method, "--step-size", "0.05", "--top-words", "3"))
            self.assertEqual((report["method"], report["documents"], report["held_out"], report["words"]), (method, 180, 20, 6))
            self.assertGreater(report["log_predictive"], -6.5)  # 4 log(1/6) = -7.2 where nothing is learnt
            self.assertEqual(report["clusters"], len(report["found"]))
            largest = report["found"][0]["words"]
            self.assertIn(sorted(largest), (["area 0", "area 1", "area 2"], ["area 3", "area 4", "area 5"]))

    def test_run_leaves_clusters_and_the_way_it_went(self):
        printed = self.dpmix("--out", "run", "--most-shown", "1")
        self.assertRegex(printed, r"log predictive -\d+\.\d{4} of 20 held-out documents\n$")
        names = sorted(path.name for path in (self.folder / "run").iterdir())
        self.assertEqual(names, ["clusters.csv", "clusters.txt", "run.json", "trace.csv"])
        lines = (self.folder / "run/clusters.csv").read_text().splitlines()
        self.assertEqual(lines[0], "weight,documents," + ",".join(f"area {w}" for w in range(6)))
        self.assertAlmostEqual(sum(float(x) for x in lines[1].split(",")[2:]), 1, places=4)
        record = json.loads((self.folder / "run/run.json").read_text())
        self.assertEqual((record["status"], record["clusters"]), ("finished", len(lines) - 1))
        self.assert_fails(2, "sgmcmc: --out: 'run' holds a previous run (clusters.csv and others); name another folder, or add "
                          "--overwrite to replace it\n", "dpmix", "users.data", "--out", "run")

    def test_same_seed_gives_the_same_clusters_whatever_the_threads(self):
        keys = ("log_predictive", "mean_concentration", "found")
        one, two = (json.loads(self.dpmix("--json", "--threads", threads)) for threads in ("1", "2"))
        self.assertEqual([one[key] for key in keys], [two[key] for key in keys])

    def test_mistakes_are_told_in_one_message(self):
        def refused(name, text, message, *words):
            self.assert_fails(1, f"sgmcmc: {message}\n", "dpmix", self.write(name, text), *words)

        refused("a.data", self.HEAD + 'C,"1",1\nV,99,1\n',
                'a.data:9: there is a vote for 99, which is not an attribute above; add a line A,99,1,"title"')
        refused("b.data", self.HEAD + 'C,"1",1\nC,"2",2\nV,10,1\n',
                "b.data:8: the case has no votes. Remove it, or use skip_empty to omit documents without words")
        refused("c.txt", "2\n3\n9\n1 1 1\n2 3 1\n",
                "c.txt:5: the file ends after 2 of 9 entries. The file is truncated: copy or unpack it again")
        self.assert_fails(2, "sgmcmc: name the data: sgmcmc dpmix DATA ...; a file of bags of words, cases or text, or a folder of text files\n", "dpmix")
        self.assert_fails(2, "sgmcmc: --concentration: expected a positive number\n", "dpmix", "users.data",
                          "--concentration", "-1")
        self.assert_fails(2, "sgmcmc: beta is 0; it must be positive and finite\n", "dpmix", "users.data", "--beta", "0")


class Densities(ProgramTest):
    def test_values_and_gradients_are_those_of_the_formula(self):
        points = [[0.5, 0.1], [-1.0, 0.7], [2.0, -0.4]]
        self.write("points.json", json.dumps({"unconstrained": points}))
        result = json.loads(self.assert_runs("log-density", "normal.stan", "--data", "normal.json", "--at", "points.json", "--json"))
        self.assertEqual(set(result), {"names", "log_density", "gradient"})
        self.assertEqual(result["names"], ["mu", "sigma"])

        def density(mu, log_sigma):
            sigma = math.exp(log_sigma)
            terms = sum((y - mu) ** 2 for y in self.values) / (2 * sigma**2) + len(self.values) * log_sigma
            return -mu**2 / 200 - sigma**2 / 50 - terms + log_sigma

        offset = result["log_density"][0] - density(*points[0])
        for point, value, gradient in zip(points, result["log_density"], result["gradient"]):
            self.assertAlmostEqual(value - offset, density(*point), delta=1e-9 * abs(value))
            sigma = math.exp(point[1])
            residuals = [y - point[0] for y in self.values]
            self.assertAlmostEqual(gradient[0], -point[0] / 100 + sum(residuals) / sigma**2, delta=1e-9 * abs(gradient[0]))
            by_sigma = 1 - sigma**2 / 25 - len(self.values) + sum(r * r for r in residuals) / sigma**2
            self.assertAlmostEqual(gradient[1], by_sigma, delta=1e-9 * abs(by_sigma))

    def test_table_names_points_and_parameters(self):
        self.write("points.json", '{"unconstrained": [[0, 0]]}')
        lines = self.assert_runs("log-density", "normal.stan", "--data", "normal.json", "--at", "points.json").splitlines()
        self.assertTrue(lines[0].startswith("point 1: log density -"), lines[0])
        self.assertEqual([line.split()[0] for line in lines[2:]], ["mu", "sigma"])

    def test_optimum_is_found_and_serves_as_a_start(self):
        mode = json.loads(self.assert_runs("optimize", "normal.stan", "--data", "normal.json", "--json", "--out", "mode"))
        mean = sum(self.values) / len(self.values)
        self.assertAlmostEqual(mode["parameters"]["mu"], mean, delta=1e-3)
        self.assertAlmostEqual(mode["outputs"]["variance"], mode["parameters"]["sigma"] ** 2, places=12)
        self.assertTrue(mode["converged"])
        self.assertEqual(json.loads((self.folder / "mode" / "mode.json").read_text()), mode["parameters"])
        self.sample("--method", "sgld", "--initial", "mode/mode.json")
        adam = json.loads(self.assert_runs("optimize", "normal.stan", "--data", "normal.json", "--json", "--method", "adam",
                                           "--batch-size", "50"))
        self.assertAlmostEqual(adam["parameters"]["mu"], mean, delta=0.05)
        table = self.assert_runs("optimize", "normal.stan", "--data", "normal.json")
        self.assertRegex(table, r"^mu +[\d.]+\nsigma +[\d.]+\nvariance +[\d.]+\n")
        self.assert_fails(2, "sgmcmc: --step-size: sgd needs one. Useful values are of the order of the smallest posterior "
                          "variance of a parameter: try --step-size 5e-03, then larger ones while the summary stays the same\n",
                          "optimize", "normal.stan", "--data", "normal.json", "--method", "sgd")


class Diagnosis(ProgramTest):
    def long_run(self, name, *words):
        self.assert_runs("sample", "normal.stan", "--data", "normal.json", "--iterations", "4000", "--chains", "4", "--batch-size",
                         "20", "--warmup", "500", "--outputs", "none", "--quiet", "--out", name, *words)

    def test_right_draws_are_trusted_and_wrong_ones_not_although_chains_agree(self):
        self.long_run("right", "--method", "sgld-cv", "--step-size", "5e-4,sigma=1e-3")
        self.long_run("wrong", "--method", "sgld", "--step-size", "1e-2")
        right = json.loads(self.assert_runs("diagnose", "right", "--json"))
        wrong = json.loads(self.assert_runs("diagnose", "wrong", "--json"))
        self.assertEqual(right["verdict"]["trust"], "trust", right["verdict"])
        self.assertEqual(wrong["verdict"]["trust"], "do not trust", wrong["verdict"])
        self.assertLess(wrong["worst_rhat"], 1.02)
        self.assertEqual([c["name"] for c in wrong["coordinates"]], ["mu", "sigma"])
        self.assertGreater(wrong["coordinates"][0]["sd_ratio"], 1.2)
        self.assertGreater(wrong["coordinates"][0]["noise_ratio"], right["coordinates"][0]["noise_ratio"])
        # Full gradients at 2000 draws, and the noise of the run's own ones at eight.
        self.assertEqual(wrong["rows_touched"], 2000 * 200 + 8 * 200)
        self.assertEqual(wrong["passes"], 2008)

    def test_table_ends_with_the_verdict(self):
        self.long_run("run", "--method", "sgld", "--step-size", "1e-2")
        text = self.assert_runs("diagnose", "run", "--halving", "400", "--draws", "400", "--gradients", "cv")
        for line in (r"400 of 16000 draws of 4 chains, gradients by control variates from \d+ rows each",
                     r"spent: \S+ rows, \S+ passes over the data; \S+ s", r"R-hat +1\.0\d\d +largest: \w+",
                     r"effective sample size +\d+ +least: \w+", r"finite-set discrepancy +\S+ \+- \S+ +squared.*",
                     r"kernel Stein, unbiased +\S+ +squared; .*",
                     r" +sd ratio +mean shift +noise +predicted +half step",
                     r"mu +\d\.\d\d \+- 0\.\d\d +-?0\.\d\d \+- 0\.\d\d +\d\.\d{3} +\d\.\d\d +\d\.\d\d \+- 0\.\d\d  do not trust",
                     r"verdict: do not trust", r"  Do not trust these draws: 2 of 2 coordinates are wrong\."):
            self.assertRegex(text, rf"(?m)^{line}$")
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_exact_draws_are_diagnosed_without_noise_or_steps(self):
        self.assert_runs("sample", "normal.stan", "--data", "normal.json", "--method", "nuts", "--out", "exact", "--quiet")
        text = self.assert_runs("diagnose", "exact")
        self.assertRegex(text, r"(?m)^ +sd ratio +mean shift$")
        self.assertRegex(text, r"(?m)^verdict: trust$")
        self.assert_fails(2, "sgmcmc: --halving: the draws of nuts do not depend on a step size; there is nothing to halve\n",
                          "diagnose", "exact", "--halving", "100")

    def test_what_cannot_be_diagnosed_is_refused(self):
        self.sample("--out", "run")
        self.assert_fails(2, "sgmcmc: name the folder of a run: sgmcmc diagnose DIR, the DIR of sgmcmc sample --out DIR\n",
                          "diagnose")
        self.assert_fails(1, "sgmcmc: nowhere/run.json: cannot be read; diagnose needs a folder written by sgmcmc sample --out "
                          "DIR\n", "diagnose", "nowhere")
        self.assert_fails(2, "sgmcmc: --draws: at least 10 draws must be looked at\n", "diagnose", "run", "--draws", "3")
        self.write("normal.json", json.dumps({"N": 200, "y": self.values[::-1]}))
        self.assert_fails(1, "sgmcmc: run/run.json: 'normal.json' has changed since that run: its draws cannot be compared with "
                          "what it says now. Sample again, or put the file back\n", "diagnose", "run")


class Checks(ProgramTest):
    def test_without_data_only_the_text_is_checked(self):
        self.assertEqual(self.assert_runs("check", "normal.stan"),
                         "normal.stan: no mistakes found\ndata: N, y\nparameters: mu, sigma\n\n"
                         "With --data, check also shows sizes, rows and likelihood.\n")
        result = json.loads(self.assert_runs("check", "normal.stan", "--json"))
        self.assertEqual((result["data"], [p["name"] for p in result["parameters"]]), (["N", "y"], ["mu", "sigma"]))

    def test_with_data_rows_and_statements_are_told(self):
        self.assertEqual(self.assert_runs("check", "normal.stan", "--data", "normal.json"), """normal.stan: no mistakes found

Parameters, 2 unconstrained in all:
  mu     scalar  real mu
  sigma  scalar  real<lower=0> sigma

Rows: N = 200

Prior:
  13:3   mu ~ normal(0, 10);
  14:3   sigma ~ normal(0, 5);

Likelihood, one term per row:
  15:3   y ~ normal(mu, sigma);

Also written for each draw:
  variance, pair[2]
""")
        result = json.loads(self.assert_runs("check", "normal.stan", "--data", "normal.json", "--json"))
        self.assertEqual(result["rows"], {"name": "N", "count": 200})
        self.assertEqual(result["dimension"], 2)
        self.assertEqual(result["parameters"][1], {"name": "sigma", "shape": [], "constraint": "lower", "unconstrained_size": 1})
        self.assertEqual([(s["kind"], s["line"]) for s in result["statements"]], [("prior", 13), ("prior", 14), ("likelihood", 15)])

    def test_reason_is_told_where_there_are_no_rows(self):
        text = self.assert_runs("check", "moving.stan", "--data", "normal.json")
        self.assertIn("Rows: none to draw minibatches from; sample uses all data at every step, by\ndefault with nuts\nmoving.stan:", text)
        self.assertIn("why_not_minibatched", json.loads(self.assert_runs("check", "moving.stan", "--data", "normal.json", "--json")))

    def test_every_model_of_the_project_is_accepted(self):
        for model in sorted(MODELS.glob("*.stan")):
            with self.subTest(model.name):
                text = self.run_program("check", model, "--data", model.with_suffix(".json"))
                self.assertEqual(text.returncode, 0, text.stderr)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
