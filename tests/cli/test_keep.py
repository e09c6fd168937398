"""Runs that write the draws of some variables only (--keep), or only draws.nc (--compress).

    test_keep.py PROGRAM [unittest arguments]
"""

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # the sources stay as they are
import test_program

MODEL = """data {
  int<lower=0> N;
  int<lower=0> D;
  matrix[N, D] X;
  vector[N] y;
}
parameters {
  vector[D] beta;
  real<lower=0> sigma;
}
transformed parameters {
  matrix[2, 2] products = beta[1:2] * beta[3:4]';
}
model {
  beta ~ normal(0, 1);
  sigma ~ normal(0, 1);
  y ~ normal(X * beta, sigma);
}
generated quantities {
  int count = poisson_rng(4 * sigma);
  real constant = 1.5;
}
"""
NAMES = [f"beta[{k}]" for k in range(1, 7)] + ["sigma", "products[1,1]", "products[1,2]", "products[2,1]", "products[2,2]", "count",
                                              "constant"]

GROUPS = """data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] y; }
parameters { real mu; real<lower=0> tau; vector[J] z; }
transformed parameters { vector[J] theta = mu + tau * z; }
model { mu ~ normal(0, 2); tau ~ normal(0, 1); z ~ normal(0, 1); y ~ normal(theta[g], 1); }
"""


class KeepTest(test_program.ProgramTest):
    def setUp(self):
        super().setUp()
        chance = random.Random(5)
        rows = [[round(chance.gauss(0, 1), 4) for _ in range(6)] for _ in range(150)]
        y = [row[0] - 0.5 * row[1] + chance.gauss(0, 1) for row in rows]
        self.write("model.stan", MODEL)
        self.write("data.json", json.dumps({"N": 150, "D": 6, "X": rows, "y": y}))
        self.words = ("sample", "model.stan", "--data", "data.json", "--method", "nuts", "--chains", "2", "--iterations", "1000")

    def columns(self, path):
        return [name for name in self.draws(path)[0] if not name.endswith("__")]

    def record(self, folder):
        return json.loads((self.folder / folder / "run.json").read_text())

    def summary(self, folder):
        with open(self.folder / folder / "summary.csv", newline="") as file:
            return {row["name"]: {key: float(value) if value != "NA" else None for key, value in row.items() if key != "name"}
                    for row in csv.DictReader(file)}

    def is_netcdf_readable(self):
        done = subprocess.run(["/usr/bin/python3", "-c", "import netCDF4"], capture_output=True)
        return done.returncode == 0


class Keep(KeepTest):
    def test_files_have_the_columns_and_the_table_has_all(self):
        table = self.assert_runs(*self.words, "--out", "run", "--keep", "beta[2:3],count", "--keep", "products[1:2,2]")
        self.assertEqual([line.split()[0] for line in table.splitlines()[1:14]], NAMES)
        self.assertEqual(self.columns("run/chain-2.csv"), ["beta.2", "beta.3", "products.1.2", "products.2.2", "count"])
        self.assertEqual(list(self.draws("run/chain-1.csv")[0])[:2], ["lp__", "accept_stat__"])
        record = self.record("run")
        self.assertEqual(record["options"]["keep"], ["beta[2:3],count", "products[1:2,2]"])
        self.assertEqual(record["kept"], {"numbers": 5, "of": 13, "all_parameters": False, "summary": "summary.csv"})
        only = self.assert_runs("summary", "run", "--only", "beta[2],sigma").splitlines()
        self.assertEqual([line.split()[0] for line in only[:2]], ["name", "beta[2]"])
        self.assertIn("8 other variables are summarised in run/summary.csv", only)
        self.assertIn("verdict", record)
        self.assertEqual(list(self.summary("run")), NAMES)

    def test_summaries_agree_with_those_of_all_draws(self):
        for method in (("--method", "nuts"), ("--method", "sgld-cv", "--step-size", "2e-3", "--iterations", "5000")):
            exact = json.loads(self.assert_runs(*self.words, *method, "--json"))
            kept = json.loads(self.assert_runs(*self.words, *method, "--json", "--keep", "sigma,beta[1]", "--out", method[1]))
            summary = self.summary(method[1])
            self.assertEqual([row["name"] for row in kept["parameters"]], NAMES)
            for row, found in zip(exact["parameters"], kept["parameters"]):
                written = summary[row["name"]]
                if row["name"] in ("sigma", "beta[1]"):
                    self.assertEqual({**row, "atuc": 0}, {**found, "atuc": 0})
                    self.assertEqual((written["ess"], written["rhat"]), (row["ess_bulk"], row["rhat"]))
                for key in ("mean", "sd"):
                    self.assertAlmostEqual(found[key], row[key], delta=1e-9 * abs(row[key]))
                    self.assertEqual(written[key], found[key])
                for key in ("q5", "q50", "q95"):
                    self.assertAlmostEqual(found[key], row[key], delta=0.06 * row["sd"])
                    self.assertEqual(written[key], found[key])
                if row["name"] == "constant":
                    self.assertEqual((found["rhat"], found["ess_bulk"], written["rhat"], written["ess"]), (None,) * 4)
                    continue
                self.assertAlmostEqual(found["rhat"], row["rhat"], delta=0.03)
                self.assertLess(abs(found["ess_bulk"] / row["ess_mean"] - 1), 0.8, row["name"])
            # The verdict uses complete draws of all parameters, thinned.
            self.assertEqual(kept["verdict"]["trust"], exact["verdict"]["trust"])

    def test_draws_are_those_of_a_run_that_keeps_all(self):
        self.assert_runs(*self.words, "--out", "all", "--quiet")
        self.assert_runs(*self.words, "--out", "run", "--keep", "sigma", "--quiet")
        for whole, part in zip(self.draws("all/chain-1.csv"), self.draws("run/chain-1.csv")):
            self.assertEqual(part, {name: value for name, value in whole.items() if name.endswith("__") or name == "sigma"})

    def test_none_leaves_the_summary_alone(self):
        table = self.assert_runs(*self.words, "--out", "run", "--keep", "none")
        self.assertEqual([line.split()[0] for line in table.splitlines()[1:14]], NAMES)
        self.assertEqual(self.columns("run/chain-1.csv"), [])
        self.assertEqual(list(self.summary("run")), NAMES)
        self.assertEqual(self.assert_runs("summary", "run"), "no draws were kept; 13 variables are summarised in run/summary.csv\n")
        self.assertEqual(json.loads(self.assert_runs("summary", "run", "--json"))["kept"]["numbers"], 0)

    def test_without_a_folder_the_table_is_the_same(self):
        table = self.assert_runs(*self.words, "--out", "run", "--keep", "sigma").splitlines()[:14]
        self.assertEqual(self.assert_runs(*self.words, "--keep", "sigma").splitlines()[:14], table)

    def test_wrong_names_are_told_before_the_run(self):
        words = (*self.words, "--out", "run", "--keep")
        for name, message in (
                ("gamma,beta", "there is no variable 'gamma'. There are: 'beta', 'sigma', 'products', 'count', 'constant'."),
                ("sigm", "there is no variable 'sigm'. Did you mean 'sigma'?"),
                ("beta[7]", "there is no 'beta[7]'; 'beta' goes from beta[1] to beta[6]"),
                ("beta[2:7]", "there is no 'beta[2:7]'; 'beta' goes from beta[1] to beta[6]"),
                ("beta[3:2]", "there is no 'beta[3:2]'; 'beta' goes from beta[1] to beta[6]"),
                ("products[1]", "there is no 'products[1]'; 'products' goes from products[1,1] to products[2,2]"),
                ("none,beta", "none stands alone, without names")):
            self.assert_fails(2, f"sgmcmc: --keep: {message}\n", *words, name)
        self.assert_fails(2, "sgmcmc: --keep: 'count' is not computed at each draw; --outputs all computes it\n", *words, "count",
                          "--outputs", "none")
        self.assert_fails(2, "sgmcmc: --log-likelihood: it needs the draws of all parameters, and --keep leaves out sigma; keep that "
                             "too, or leave --keep away\n", *words, "beta", "--log-likelihood")
        self.assertFalse((self.folder / "run").exists())
        self.assert_runs(*words, "beta,sigma", "--log-likelihood", "--quiet")

    def test_summary_and_diagnose_say_where_the_others_are(self):
        self.assert_runs(*self.words, "--out", "run", "--keep", "beta", "--quiet")
        text = self.assert_runs("summary", "run")
        self.assertEqual([line.split()[0] for line in text.splitlines()[1:7]], NAMES[:6])
        self.assertIn("\n7 other variables are summarised in run/summary.csv\n", text)
        trust = self.record("run")["verdict"]["trust"]
        self.assert_fails(1, "sgmcmc: the run in 'run' did not keep the draws of all parameters (--keep); its verdict, "
                             f'"{trust}", is in run/run.json\n', "diagnose", "run")
        self.assert_runs(*self.words, "--out", "parameters", "--keep", "beta,sigma", "--quiet")
        self.assertIn("verdict: ", self.assert_runs("diagnose", "parameters"))

    def test_the_limit_counts_what_is_kept(self):
        # 13 numbers of 28 bytes, 2 chains of 1000 draws: 0.73 MB; one number: 0.056 MB.
        words = (*self.words, "--draws-limit", "1e-4", "--quiet")
        self.assert_runs(*words, "--out", "all")
        self.assertLess(len(self.draws("all/chain-1.csv")), 200)
        self.assert_runs(*words, "--out", "run", "--keep", "sigma")
        self.assertEqual(len(self.draws("run/chain-1.csv")), 1000)

    def test_an_output_that_goes_wrong_is_left_out(self):
        self.write("wrong.stan", MODEL.replace("real constant = 1.5;", "vector[2] rare = [count > 8 ? log(-1) : 1.0, sigma]';"))
        words = ("sample", "wrong.stan", *self.words[2:])
        for number, keep in enumerate(("rare[2],beta[1]", "beta[1]")):
            done = self.run_program(*words, "--keep", keep, "--out", f"run-{number}")
            self.assertIn("rare is left out of the files and the summary", " ".join(done.stderr.split()))
            self.assertEqual(list(self.summary(f"run-{number}")), NAMES[:12])
            self.assertEqual(self.columns(f"run-{number}/chain-1.csv"), ["beta.1"])
            self.assertNotIn("\nrare", done.stdout)

    def test_groups_that_are_not_drawn_cannot_be_kept(self):
        groups, rows = 60, 240
        self.write("groups.stan", GROUPS)
        self.write("groups.json", json.dumps({"N": rows, "J": groups, "g": [i % groups + 1 for i in range(rows)],
                                              "y": [(i * 0.618) % 2 for i in range(rows)]}))
        words = ("sample", "groups.stan", "--data", "groups.json", "--method", "marginal-nuts", "--warmup", "200", "--iterations",
                 "300", "--chains", "2")
        table = self.assert_runs(*words, "--keep", "mu,z[1:5]", "--out", "all", "--all")
        self.assertEqual(self.columns("all/chain-1.csv"), ["mu"] + [f"z.{k}" for k in range(1, 6)])
        self.assertEqual(len(self.summary("all")), 2 + 2 * groups)
        self.assertIn("\ntheta[60]", table)
        self.assertIn("verdict", self.record("all"))
        done = self.run_program(*words, "--keep", "mu,z", "--groups", "3,7:8", "--out", "some")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.columns("some/chain-1.csv"), ["mu", "z.3", "z.7", "z.8"])
        self.assertEqual(list(self.summary("some")), ["mu", "tau", "z[3]", "z[7]", "z[8]"])
        for name in ("z[4]", "theta"):
            self.assert_fails(2, f"sgmcmc: --keep: '{name}' is not drawn: it needs groups that --groups leaves out\n", *words, "--keep",
                              name, "--groups", "3", "--out", "none")
            self.assertFalse((self.folder / "none").exists())

    def test_a_repeated_run_keeps_the_same(self):
        self.assert_runs(*self.words, "--out", "run", "--keep", "beta[1]", "--quiet")
        self.assert_runs("sample", "--config", "run/run.json", "--out", "again", "--quiet", "--exit-status", "plain")
        for file in ("summary.csv", "draws.nc"):
            self.assertEqual((self.folder / "run" / file).read_bytes(), (self.folder / "again" / file).read_bytes())


    def test_a_file_of_that_name_of_someone_else_is_left_alone(self):
        (self.folder / "run").mkdir()
        self.write("run/summary.csv", "mine")
        self.assert_runs(*self.words, "--out", "run", "--quiet")
        self.assert_runs(*self.words, "--out", "run", "--overwrite", "--quiet")
        self.assertEqual((self.folder / "run" / "summary.csv").read_text(), "mine")
        self.assert_runs(*self.words, "--out", "run", "--overwrite", "--keep", "sigma", "--quiet")
        self.assert_runs(*self.words, "--out", "run", "--overwrite", "--quiet")
        self.assertFalse((self.folder / "run" / "summary.csv").exists())


class Resumed(KeepTest):
    def outputs(self, folder):
        run = self.folder / folder
        return [self.chain_lines(f"{folder}/chain-{chain}.csv") for chain in (1, 2)], (run / "summary.csv").read_bytes(), \
            (run / "draws.nc").read_bytes(), self.record(folder)["verdict"]

    def killed(self, words, folder, wait):
        process = subprocess.Popen([test_program.PROGRAM, *words, "--out", folder, "--checkpoint-every", "0.02", "--quiet"],
                                   cwd=self.folder)
        while process.poll() is None and not all((self.folder / folder / f"chain-{chain}.checkpoint").exists() for chain in (1, 2)):
            time.sleep(0.005)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        return self.record(folder)["status"] != "finished"

    def test_a_killed_run_ends_with_the_same_bytes(self):
        words = ("sample", "model.stan", "--data", "data.json", "--method", "sgld-cv", "--step-size", "2e-3", "--iterations", "60000",
                 "--thin", "3", "--chains", "2", "--exit-status", "plain")
        stopped = 0
        for number, keep in enumerate(("sigma,products[1,2]", "none", "beta,sigma")):
            words_kept = (*words, "--keep", keep)
            self.assert_runs(*words_kept, "--out", f"whole-{number}", "--quiet")
            for wait in (0.0, 0.1):
                folder = f"killed-{number}-{wait}"
                stopped += self.killed(words_kept, folder, wait)
                self.run_program("resume", folder, "--quiet")
                self.assertEqual(self.outputs(folder), self.outputs(f"whole-{number}"))
        self.assertGreater(stopped, 0)

    def test_an_extended_run_is_a_longer_one(self):
        words = (*self.words, "--keep", "beta[2]", "--quiet")
        self.assert_runs(*words, "--out", "whole")
        self.assert_runs(*words, "--iterations", "700", "--out", "run")
        self.assert_runs("resume", "run", "--iterations", "1000", "--quiet")
        # The comments of the files give the requested length of the run.
        self.assertEqual(self.outputs("run")[1:], self.outputs("whole")[1:])
        self.assertEqual(self.draws("run/chain-2.csv"), self.draws("whole/chain-2.csv"))


class Compress(KeepTest):
    def test_draws_are_in_the_netcdf_file_alone(self):
        self.assert_runs(*self.words, "--out", "plain", "--quiet")
        self.assert_runs(*self.words, "--out", "run", "--compress", "--quiet")
        self.assertEqual(sorted(os.listdir(self.folder / "run")), ["diagnosis.json", "draws.nc", "run.json"])
        size = [(self.folder / folder / "draws.nc").stat().st_size for folder in ("run", "plain")]
        self.assertLess(size[0], 0.9 * size[1])
        self.assertEqual(self.assert_runs("summary", "run", "--all"), self.assert_runs("summary", "plain", "--all"))
        self.assertEqual(*(json.loads(self.assert_runs("diagnose", run, "--json"))["coordinates"] for run in ("run", "plain")))
        self.assertEqual(self.assert_runs("compare", "run", "plain"), self.assert_runs("compare", "plain", "plain"))

    def test_the_layout_is_that_of_a_plain_file(self):
        if not self.is_netcdf_readable():
            self.skipTest("netCDF4 is not installed for /usr/bin/python3")
        script = """
import sys, netCDF4
def show(group):
    print(group.name, {name: len(dimension) for name, dimension in group.dimensions.items()}, group.ncattrs())
    for name, variable in group.variables.items():
        print(name, variable.dtype, variable.dimensions, variable[...].tolist())
    for child in group.groups.values():
        show(child)
with netCDF4.Dataset(sys.argv[1]) as file:
    show(file)
"""
        texts = []
        for words in (("--out", "plain"), ("--out", "run", "--compress")):
            self.assert_runs(*self.words, *words, "--quiet")
            texts.append(subprocess.run(["/usr/bin/python3", "-c", script, self.folder / words[1] / "draws.nc"], check=True,
                                        capture_output=True, text=True).stdout)
        self.assertIn("beta_dim_0", texts[0])
        self.assertEqual(*texts)

    def test_without_the_library_the_csv_files_stay(self):
        names = {line.split("/")[-1] for line in subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout.splitlines()
                 if "libnetcdf.so" in line}
        (self.folder / "empty").mkdir()
        for name in names:
            (self.folder / "empty" / name).write_bytes(b"no library")
        done = self.run_program(*self.words, "--out", "run", "--compress", environment={"LD_LIBRARY_PATH": str(self.folder / "empty")})
        if (self.folder / "run" / "draws.nc").exists():
            self.skipTest("libnetcdf cannot be hidden here")
        self.assertIn("draws.nc is not written, since libnetcdf is not installed", " ".join(done.stderr.split()))
        self.assertEqual(len(self.draws("run/chain-2.csv")), 1000)
        self.assert_runs("resume", "run", "--iterations", "1100", "--quiet")

    def test_it_cannot_be_extended(self):
        self.assert_runs(*self.words, "--out", "run", "--compress", "--quiet")
        done = self.run_program("resume", "run")
        self.assertEqual((done.returncode, done.stderr), (0, "sgmcmc: the run in 'run' is finished: all 1000 iterations were made\n"))
        self.assert_fails(2, "sgmcmc: the run in 'run' cannot be extended: its draws were compressed and are only in draws.nc, and there "
                             "are no checkpoints. Start a new run with more iterations\n", "resume", "run", "--iterations", "2000")

    def test_with_keep_both_hold(self):
        self.assert_runs(*self.words, "--out", "run", "--compress", "--keep", "beta[1:2]", "--quiet")
        self.assertEqual(sorted(os.listdir(self.folder / "run")), ["diagnosis.json", "draws.nc", "run.json", "summary.csv"])
        self.assertIn("11 other variables are summarised", self.assert_runs("summary", "run"))
        self.assert_runs(*self.words, "--out", "none", "--compress", "--keep", "none", "--quiet")
        self.assertIn("no draws were kept; 13 variables", self.assert_runs("summary", "none"))

    def test_a_variable_that_the_file_would_rename_keeps_the_csv_files(self):
        self.write("draw.stan", "parameters { real draw; } model { draw ~ normal(0, 1); }")
        done = self.run_program("sample", "draw.stan", "--method", "nuts", "--chains", "1", "--out", "run", "--compress")
        self.assertIn("the CSV files stay beside draws.nc, where some variables have other names", " ".join(done.stderr.split()))
        self.assertTrue((self.folder / "run" / "chain-1.csv").exists())

    def test_a_folder_is_needed(self):
        self.assert_fails(2, "sgmcmc: --compress: it is about the files of a run; add --out DIR\n", *self.words, "--compress")


class Sizes(KeepTest):
    def test_large_runs_are_told_how_to_write_less(self):
        def remark(*words):
            process = subprocess.Popen([test_program.PROGRAM, "sample", "model.stan", "--data", "data.json", "--method", "sgld-cv",
                                        "--step-size", "2e-3", "--iterations", "1000000", "--out", "run", "--overwrite",
                                        "--draws-limit", "4", *words], cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "1000"})
            line = process.stderr.readline()
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return line
        self.assertEqual(remark(), "sgmcmc: draws of 13 numbers will take about 1.46 GB in run. --keep NAME writes some variables and "
                                   "summarises the others, --compress leaves only a compressed draws.nc\n")
        self.assertEqual(remark("--keep", "beta,sigma"), "sgmcmc: draws of 7 numbers will take about 0.784 GB in run. --compress leaves "
                                                         "only a compressed draws.nc\n")


if __name__ == "__main__":
    test_program.PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
