"""Tests of subposteriors and sgmcmc combine as their users meet them: parts, rules, folders, mistakes.

    test_combine.py PROGRAM [unittest arguments]
"""

import json
import math
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import test_program

MODEL = """
data { int N; vector[N] y; }
parameters { real mu; real<lower=0> sigma; }
transformed parameters { real twice = 2 * mu; }
model { mu ~ normal(0, 1); sigma ~ exponential(1); y ~ normal(mu, sigma); }
generated quantities { real precision = 1 / square(sigma); }
"""
PARTS = 4


class Combine(test_program.ProgramTest):
    """A normal sample of 400: four parts, each with a hundred rows."""

    def setUp(self):
        super().setUp()
        chance = random.Random(5)
        self.y = [chance.gauss(1, 2) for _ in range(400)]
        self.write("m.stan", MODEL)
        self.write("d.json", json.dumps({"N": len(self.y), "y": self.y}))

    def sample(self, *words):
        return self.assert_runs("sample", "m.stan", "--data", "d.json", "--method", "nuts", "--iterations", "800", "--chains", "2", *words)

    def sample_parts(self, out="parts", *words):
        return self.sample("--subposterior", f"all/{PARTS}", "--out", out, *words)

    def assert_refused(self, *arguments, words):
        done = self.run_program(*arguments)
        self.assertIn(words, " ".join(done.stderr.split()))
        self.assertNotIn(done.returncode, (0, 3, 4))
        self.assertEqual(done.stdout, "")

    def exact(self):
        """Posterior means and sds of mu and sigma on a grid."""
        n, mean = len(self.y), sum(self.y) / len(self.y)
        square = sum((y - mean) ** 2 for y in self.y)
        points = []
        for i in range(-60, 61):
            for j in range(-60, 61):
                mu, log_sigma = mean + i * 0.012, math.log(math.sqrt(square / n)) + j * 0.0045
                sigma = math.exp(log_sigma)
                density = (-n * log_sigma - (square + n * (mu - mean) ** 2) / (2 * sigma ** 2) - mu ** 2 / 2 - sigma + log_sigma)
                points.append((density, mu, sigma))
        top = max(point[0] for point in points)
        total = sum(math.exp(p - top) for p, _, _ in points)
        result = {}
        for name, at in (("mu", 1), ("sigma", 2)):
            first = sum(math.exp(p[0] - top) * p[at] for p in points) / total
            second = sum(math.exp(p[0] - top) * (p[at] - first) ** 2 for p in points) / total
            result[name] = (first, math.sqrt(second))
        return result

    def test_combinations_are_the_posterior_of_all_rows(self):
        printed = self.sample_parts()
        self.assertRegex(printed, r"part +rows method +seconds +verdict\n +1/4 +100 nuts")
        self.assertIn("sgmcmc combine parts", printed)
        exact = self.exact()
        for method in ("consensus", "parametric", "semiparametric", "swiss", "weierstrass", "barycentre", "nonparametric"):
            report = json.loads(self.assert_runs("combine", "parts", "--method", method, "--json", "--exit-status", "plain"))
            found = {entry["name"]: entry for entry in report["parameters"]}
            for name, (mean, sd) in exact.items():
                # 0.15 sd and 10 % for what parts of 1,600 draws and their kernels leave; beyond it four Monte Carlo errors.
                entry = found[name]
                self.assertLess(abs(entry["mean"] - mean), 0.15 * sd + 4 * entry["mcse_mean"], method + " " + name)
                self.assertLess(abs(entry["sd"] - sd), 0.1 * sd + 4 * entry["mcse_sd"], method + " " + name)
            self.assertAlmostEqual(found["twice"]["mean"], 2 * found["mu"]["mean"], places=6)
            self.assertIn("precision", found)
            self.assertEqual((report["parts"], report["rows"], report["method"]), (PARTS, len(self.y), method))
        # A part alone is nothing like it: its sd is about twice as large.
        alone = json.loads(self.assert_runs("summary", "parts/part-1", "--json"))["parameters"][0]
        self.assertGreater(alone["sd"] / exact["mu"][1], 1.6)

    def test_folder_is_that_of_a_run(self):
        self.sample_parts()
        printed = self.assert_runs("combine", "parts", "--out", "all")
        self.assertRegex(printed, r"consensus of 4 parts of 400 rows, 2 chains of 800 draws")
        self.assertIn("verdict: trust", printed)
        record = json.loads((self.folder / "all/run.json").read_text())
        self.assertEqual((record["command"], record["status"], len(record["parts"])), ("combine", "finished", PARTS))
        self.assertEqual(record["bound"]["rows"], len(self.y))
        for name in ("chain-1.csv", "chain-2.csv", "diagnosis.json"):
            self.assertTrue((self.folder / "all" / name).exists(), name)
        self.assertIn("precision", self.assert_runs("summary", "all"))
        self.assertIn("verdict: trust", self.assert_runs("diagnose", "all"))
        self.sample("--out", "exact")
        self.assert_runs("compare", "all", "exact")
        self.assert_runs("report", "all")
        page = (self.folder / "all/report.html").read_text()
        self.assertIn("4 parts of the rows", page)
        self.assert_refused("combine", "parts", "--out", "all", words="holds a previous run")
        self.assert_runs("combine", "parts", "--out", "all", "--overwrite", "--method", "swiss", "--quiet")

    def test_part_says_that_it_is_one(self):
        printed = self.sample("--subposterior", "2/4", "--out", "second", "--report")
        self.assertIn("part 2/4 of the rows with the prior to the power 1/4", " ".join(printed.split()))
        record = json.loads((self.folder / "second/run.json").read_text())
        self.assertEqual((record["options"]["subposterior"], record["bound"]["rows"]), ("2/4", 100))
        self.assertIn("2 of 4, with the prior to the power 1/4", (self.folder / "second/report.html").read_text())
        self.assertIn("verdict: trust", self.assert_runs("diagnose", "second"))
        again = json.loads(self.sample("--subposterior", "2/4", "--json", "--threads", "1"))
        known = json.loads(self.assert_runs("summary", "second", "--json"))
        self.assertEqual(again["parameters"][0]["mean"], known["parameters"][0]["mean"])  # whatever the threads
        self.assertEqual(again["subposterior"], "2/4")

    def test_parts_that_are_finished_are_not_sampled_again(self):
        self.sample_parts()
        before = {path: path.stat().st_mtime_ns for path in self.folder.glob("parts/*/chain-1.csv")}
        shutil.rmtree(self.folder / "parts/part-3")
        printed = self.sample_parts()
        self.assertEqual(printed.count("(sampled before)"), 3)
        for path, time in before.items():
            self.assertEqual(path.stat().st_mtime_ns == time, "part-3" not in str(path))
        self.assert_refused("sample", "m.stan", "--data", "d.json", "--method", "nuts", "--iterations", "700", "--chains", "2",
                            "--subposterior", "all/4", "--out", "parts", words="iterations was 800 and is 700")
        self.write("d.json", json.dumps({"N": 399, "y": self.y[:399]}))
        self.assert_refused("sample", "m.stan", "--data", "d.json", "--method", "nuts", "--iterations", "800", "--chains", "2",
                            "--subposterior", "all/4", "--out", "parts", words="'d.json' has changed")

    def test_an_interrupted_part_goes_on(self):
        self.sample_parts()
        whole = (self.folder / "parts/part-2/chain-1.csv").read_text()
        record = json.loads((self.folder / "parts/part-2/run.json").read_text())
        record["status"] = "interrupted"
        (self.folder / "parts/part-2/run.json").write_text(json.dumps(record))
        self.assert_refused("combine", "parts", words="is interrupted: continue it with sgmcmc resume parts/part-2")
        self.sample_parts()
        draws = lambda text: [line for line in text.splitlines() if not line.startswith("#")]
        self.assertEqual(draws((self.folder / "parts/part-2/chain-1.csv").read_text()), draws(whole))
        self.assert_runs("combine", "parts", "--quiet")

    def draws_of(self, folder):
        """Of all chains; every line but comments, which hold times."""
        files = sorted((self.folder / folder).glob("chain-*.csv"))
        self.assertTrue(files, folder)
        return [[line for line in file.read_text().splitlines() if not line.startswith("#")] for file in files]

    def test_parts_sampled_at_once_have_the_draws_of_parts_sampled_alone(self):
        for threads in ("1", "2", "3", "8"):
            self.sample_parts("by-" + threads, "--threads", threads, "--report")
        for part in range(1, PARTS + 1):
            self.sample("--subposterior", f"{part}/{PARTS}", "--out", f"alone-{part}")
            expected = self.draws_of(f"alone-{part}")
            for threads in ("1", "2", "3", "8"):
                self.assertEqual(self.draws_of(f"by-{threads}/part-{part}"), expected, (part, threads))
                self.assertTrue((self.folder / f"by-{threads}/part-{part}/report.html").exists())

    def begin_parts(self, *words):
        """Starts all parts, and waits until two of them are being sampled. The folder is `long`."""
        call = ["sample", "m.stan", "--data", "d.json", "--method", "sgld-cv", "--step-size", "0.0005", "--batch-size", "10", "--chains", "1",
                "--iterations", "400000", "--thin", "100", "--checkpoint-every", "0.05", "--threads", "2", "--diagnose", "none",
                "--subposterior", "all/4", "--out", "long", *words]
        run = subprocess.Popen([test_program.PROGRAM, *call], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        begun = lambda: len(list(self.folder.glob("long/part-*/chain-1.checkpoint")))
        end = time.time() + 60
        while begun() < 2:  # one at a time would remove the checkpoints of the first before the second begins
            self.assertIsNone(run.poll(), "the run ended before two parts were being sampled")
            self.assertLess(time.time(), end)
            time.sleep(0.005)
        return run, call

    def test_parts_are_sampled_at_once_and_go_on_after_an_interrupt_or_a_kill(self):
        run, call = self.begin_parts()
        run.send_signal(signal.SIGINT)
        printed, words = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, words)
        self.assertIn("to continue, give the same command again\n", words)
        self.assertRegex(printed, r"part +rows method")
        states = [json.loads(path.read_text())["status"] for path in self.folder.glob("long/part-*/run.json")]
        self.assertGreaterEqual(states.count("interrupted"), 2)
        self.assertNotIn("running", states)
        times = lambda: {path: path.stat().st_mtime_ns for path in self.folder.glob("long/part-*/chain-1.checkpoint")}
        before = times()
        self.assertGreaterEqual(len(before), 2)
        again = subprocess.Popen([test_program.PROGRAM, *call], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        end = time.time() + 60
        while not any(changed != before.get(path) for path, changed in times().items()):
            self.assertIsNone(again.poll(), "the run ended before a part went on")
            self.assertLess(time.time(), end)
            time.sleep(0.005)
        self.assertIsNone(again.poll(), "the run ended before it was killed")
        again.kill()
        again.communicate()
        self.assert_runs(*call)
        for part in (1, 3):
            alone = ["--subposterior" if word == "--subposterior" else f"{part}/4" if word == "all/4" else f"alone-{part}" if word == "long"
                     else word for word in call]
            self.assert_runs(*alone)
            self.assertEqual(self.draws_of(f"long/part-{part}"), self.draws_of(f"alone-{part}"))

    def test_a_part_that_fails_ends_the_others_with_its_message(self):
        self.write("positive.stan", "data { int N; vector[N] x; vector[N] y; } parameters { real mu; } "
                   "model { mu ~ normal(0, 1); for (n in 1:N) target += log(x[n] * exp(mu)) - 0.5 * square(y[n] - mu); }")
        x = [1.0] * 400
        x[7] = -1.0  # in one part
        self.write("x.json", json.dumps({"N": 400, "x": x, "y": self.y}))
        call = ["sample", "positive.stan", "--data", "x.json", "--method", "nuts", "--subposterior", "all/4", "--out", "failing", "--threads", "2"]
        result = self.run_program(*call)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(" ".join(result.stderr.split()), r"^sgmcmc: part (\d)/4 failed; it is in 'failing/part-\1': .*no starting point found")
        states = [json.loads(path.read_text())["status"] for path in self.folder.glob("failing/part-*/run.json")]
        self.assertEqual(states.count("failed"), 1)
        self.assertNotIn("running", states)
        x[7] = 1.0
        self.write("x.json", json.dumps({"N": 400, "x": x, "y": self.y}))
        self.assert_runs(*call, "--overwrite")
        self.assert_runs("combine", "failing", "--quiet")

    def test_parts_to_be_overwritten_are_not_taken_for_new_ones_after_an_interrupt(self):
        run, call = self.begin_parts()
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        for path in self.folder.glob("long/part-*/run.json"):
            record = json.loads(path.read_text())
            path.write_text(json.dumps({**record, "status": "finished"}))
        shutil.copytree(self.folder / "long/part-1", self.folder / "long/part-4", dirs_exist_ok=True)
        record = json.loads((self.folder / "long/part-4/run.json").read_text())
        record["options"]["subposterior"] = "4/4"
        (self.folder / "long/part-4/run.json").write_text(json.dumps(record))
        for path in self.folder.glob("long/part-*/chain-1.checkpoint"):
            path.unlink()
        run, call = self.begin_parts("--overwrite", "--step-size", "0.0004")
        run.send_signal(signal.SIGINT)
        printed, words = run.communicate(timeout=60)
        self.assertIn("to continue, give the same command again without --overwrite, which would start all parts anew\n", words)
        self.assertNotIn(" 4/4 ", printed)  # it was not begun
        self.assertFalse((self.folder / "long/part-4").exists())
        printed = self.assert_runs(*[word for word in call if word != "--overwrite"])
        self.assertNotIn("sampled before", printed)
        steps = [json.loads(path.read_text())["options"]["step_size"] for path in sorted(self.folder.glob("long/part-*/run.json"))]
        self.assertEqual(steps, [0.0004] * 4)

    def test_what_does_not_belong_together_is_refused(self):
        self.sample_parts()
        self.sample("--out", "whole")
        self.assert_refused("combine", words="name the folders of the parts")
        self.assert_refused("combine", "whole", words="draws of the posterior given all rows, not of a part")
        self.assert_refused("combine", "nowhere", words="'nowhere' is no folder of a run")
        self.assert_refused("combine", "parts/part-1", "parts/part-2", words="parts 3, 4 of 4 are missing; sample with --subposterior 3/4")
        self.assert_refused("combine", "parts", "parts/part-1", words="part 1/4 is given twice")
        self.sample("--subposterior", "1/3", "--out", "third")
        self.assert_refused("combine", "parts", "third", words="is part 1/3")
        shutil.rmtree(self.folder / "parts/part-4")
        self.write("other.json", json.dumps({"N": 400, "y": self.y[::-1]}))
        self.assert_runs("sample", "m.stan", "--data", "other.json", "--method", "nuts", "--iterations", "100", "--subposterior", "4/4",
                         "--out", "parts/part-4", "--exit-status", "plain")
        self.assert_refused("combine", "parts", words="have different data")
        shutil.rmtree(self.folder / "parts/part-4")
        self.sample("--subposterior", "4/4", "--out", "parts/part-4", "--keep", "mu")
        self.assert_refused("combine", "parts", words="does not hold the draws of all parameters")
        self.assert_refused("combine", "parts", "--method", "median", words="'median' is not a valid value")

    def test_a_combination_does_not_replace_its_parts(self):
        self.sample_parts()
        (self.folder / "link").symlink_to("parts/part-2")
        before = {path: path.read_bytes() for path in self.folder.glob("parts/part-*/*")}
        single = [f"parts/part-{part}" for part in range(1, PARTS + 1)]
        for given, out in ((["parts"], "parts/part-1"), (["parts"], "link"), (single, "parts/part-4"), (["parts"], "./parts/../parts/part-3")):
            self.assert_refused("combine", *given, "--out", out, "--overwrite",
                                words=f"--out: '{out}' holds one of the parts; name another folder")
        self.assert_refused("combine", "parts", "--out", "./parts", "--overwrite", words="--out: './parts' holds the parts; name another folder")
        self.assertEqual({path: path.read_bytes() for path in self.folder.glob("parts/part-*/*")}, before)
        self.assert_runs("combine", "parts", "--out", "parts/all", "--quiet")

    def test_parts_of_another_division_are_refused_or_replaced(self):
        words = ["sample", "m.stan", "--data", "d.json", "--method", "nuts", "--iterations", "200", "--chains", "1", "--diagnose", "none"]
        for before, after in ((4, 5), (4, 2), (4, 10)):  # of 10 parts, folders have other names
            self.assert_runs(*words, "--subposterior", f"all/{before}", "--out", "parts", "--overwrite")
            kept = {path: path.read_bytes() for path in self.folder.glob("parts/*/*")}
            self.assert_refused(*words, "--subposterior", f"all/{after}", "--out", "parts",
                                words="--out: 'parts' holds parts of another division (part-1, for example, is part 1/4); name another "
                                "folder, or add --overwrite to replace them")
            self.assertEqual({path: path.read_bytes() for path in self.folder.glob("parts/*/*")}, kept)
            printed = self.assert_runs(*words, "--subposterior", f"all/{after}", "--out", "parts", "--overwrite")
            self.assertNotIn("sampled before", printed)
            self.assertEqual(len(list(self.folder.glob("parts/part-*"))), after)
            self.assertEqual(json.loads(self.run_program("combine", "parts", "--json").stdout)["parts"], after)

    def test_draws_beyond_those_of_the_parts_are_refused_or_cost_precision(self):
        self.sample_parts()
        for method in ("consensus", "swiss", "barycentre"):
            self.assert_refused("combine", "parts", "--method", method, "--draws", "801", words="at most 800 draws of each chain")
        plain, many = (json.loads(self.assert_runs("combine", "parts", "--method", "parametric", "--draws", count, "--json", "--out", count))
                       for count in ("800", "40000"))
        for usual, entry in zip(plain["parameters"], many["parameters"]):
            # The parts have 2 x 800 draws each; without their error it would be the sd by the root of 80,000.
            self.assertGreater(entry["mcse_mean"], 3 * entry["sd"] / math.sqrt(80_000), entry["name"])
            self.assertLess(entry["ess_bulk"], 8_000, entry["name"])
            self.assertLess(entry["mcse_mean"], usual["mcse_mean"], entry["name"])
        again = json.loads(self.assert_runs("summary", "40000", "--json"))
        for entry, read in zip(many["parameters"], again["parameters"]):
            for key in ("mcse_mean", "mcse_sd", "mcse_q5", "ess_bulk", "ess_tail", "ess_mean"):
                self.assertAlmostEqual(read[key] / entry[key], 1, places=3, msg=entry["name"] + " " + key)

    def test_parts_whose_files_are_not_complete_are_refused(self):
        self.sample_parts()
        file = self.folder / "parts/part-2/chain-1.csv"
        (self.folder / "parts/part-2/draws.nc").unlink(missing_ok=True)
        whole = file.read_text()
        file.write_text(whole[: len(whole) * 9 // 10])
        self.assert_refused("combine", "parts", words="'parts/part-2' is not complete: its chains made 800, 800 draws")
        file.unlink()
        self.assert_refused("combine", "parts", words="'parts/part-2' is not complete: its chains made 800, 800 draws, and its files hold 800")
        file.write_text(whole)
        self.assert_runs("combine", "parts", "--quiet")

    def test_a_run_is_not_written_beside_parts(self):
        self.sample_parts()
        for words in ([], ["--overwrite"]):
            self.assert_refused("sample", "m.stan", "--data", "d.json", "--out", "parts", *words, words="'parts' holds parts of a posterior")
        self.assertFalse((self.folder / "parts/run.json").exists())
        self.sample_parts()
        self.assert_runs("combine", "parts", "--quiet")

    def test_elements_that_few_rows_use_are_not_taken_for_exchangeable(self):
        chance = random.Random(6)
        x = [[float(i % 200 == 3 + 100 * k) for k in range(2)] for i in range(1200)]
        y = [row[0] - row[1] + chance.gauss(0, 1) for row in x]
        self.write("rare.json", json.dumps({"N": 1200, "x": x, "y": y}))
        self.write("rare.stan", "data { int N; matrix[N, 2] x; vector[N] y; } parameters { vector[2] beta; } "
                   "model { beta ~ normal(0, 1); y ~ normal(x * beta, 1); }")
        self.assert_runs("sample", "rare.stan", "--data", "rare.json", "--method", "nuts", "--iterations", "300", "--chains", "2",
                         "--subposterior", "all/2", "--out", "rare", "--diagnose", "none")
        self.assert_runs("combine", "rare", "--quiet", "--exit-status", "plain")

    def test_arms_of_a_trial_with_as_many_successes_are_not_taken_for_exchangeable(self):
        x = [[float(i < 50), float(i >= 50)] for i in range(100)]
        self.write("trial.json", json.dumps({"N": 100, "x": x, "y": [int(i % 50 < 18) for i in range(100)]}))
        self.write("trial.stan", "data { int N; matrix[N, 2] x; array[N] int y; } parameters { vector[2] beta; } "
                   "model { beta ~ normal(0, 1); y ~ bernoulli_logit(x * beta); }")
        self.assert_runs("sample", "trial.stan", "--data", "trial.json", "--method", "nuts", "--subposterior", "all/2", "--out", "trial")
        self.assert_runs("combine", "trial", "--quiet")

    def test_parts_that_are_not_trusted_are_named(self):
        self.sample_parts("parts", "--diagnose", "none")
        result = self.run_program("combine", "parts")
        self.assertEqual(result.returncode, 0)
        self.assertIn("part 1/4 in 'parts/part-1' was not judged", " ".join(result.stderr.split()))

    def test_bad_parts_are_refused(self):
        for text in ("5/4", "0/4", "3", "a/4", "3/0", "all/0", "3/4/5", "-1/4"):
            self.assert_refused("sample", "m.stan", "--data", "d.json", "--subposterior=" + text, words="is not a part such as 3/20")
        self.assert_refused("sample", "m.stan", "--data", "d.json", "--subposterior", "1/401", words="400 rows cannot be dealt into 401 parts")
        self.assert_refused("sample", "m.stan", "--data", "d.json", "--subposterior", "all/4", words="add --out DIR")
        self.write("flat.stan", "parameters { real x; } model { x ~ normal(0, 1); }")
        self.assert_refused("sample", "flat.stan", "--subposterior", "1/2", words="no rows that could be dealt into parts")

    def test_models_that_cannot_be_taken_apart_are_refused_with_the_reason(self):
        self.write("groups.stan", """
data { int N; int J; array[N] int<lower=1, upper=J> group; vector[N] y; }
parameters { real mu; real<lower=0> tau; vector[J] effect; }
model { mu ~ normal(0, 1); tau ~ normal(0, 1); effect ~ normal(mu, tau); y ~ normal(effect[group], 1); }
""")
        self.write("groups.json", json.dumps({"N": 400, "J": 10, "group": [1 + i % 10 for i in range(400)], "y": self.y}))
        self.assert_refused("sample", "groups.stan", "--data", "groups.json", "--subposterior", "1/4", words="the model is hierarchical: 'effect'")
        self.write("mixture.stan", """
data { int N; vector[N] y; }
parameters { vector[2] mu; }
model { mu ~ normal(0, 3); for (n in 1:N) target += log_mix(0.5, normal_lpdf(y[n] | mu[1], 1), normal_lpdf(y[n] | mu[2], 1)); }
""")
        for part in ("1/2", "2/2"):
            self.assert_runs("sample", "mixture.stan", "--data", "d.json", "--method", "nuts", "--iterations", "200", "--subposterior", part,
                             "--out", "mixture/" + part[0], "--exit-status", "plain")
        self.assert_refused("combine", "mixture", words="elements of 'mu' are exchanged")
        self.write("cauchy.stan", "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ cauchy(0, 1); y ~ normal(mu, 2); }")
        result = self.run_program("sample", "cauchy.stan", "--data", "d.json", "--method", "nuts", "--iterations", "200", "--subposterior", "1/4")
        self.assertIn("the prior of 'mu' is proper, but not its power 1/4", " ".join(result.stderr.split()))

    def test_other_runs_are_refused(self):
        self.write("ratings.csv", "user,item,rating\n" + "".join(f"{u},{i},{(u * i) % 5}\n" for u in range(30) for i in range(20)))
        self.run_program("factorize", "ratings.csv", "--factors", "2", "--iterations", "20", "--out", "factors")
        self.assert_refused("combine", "factors", words="have no coordinates that mean the same in all parts")

    def test_minibatch_parts_combine(self):
        self.assert_runs("sample", "m.stan", "--data", "d.json", "--method", "sgld-cv", "--step-size", "0.002", "--batch-size", "20",
                         "--iterations", "4000", "--subposterior", "all/4", "--out", "mini", "--exit-status", "plain")
        report = json.loads(self.run_program("combine", "mini", "--json", "--exit-status", "plain").stdout)  # parts may be in doubt
        mean, sd = self.exact()["mu"]
        self.assertAlmostEqual((report["parameters"][0]["mean"] - mean) / sd, 0, delta=0.5)


if __name__ == "__main__":
    test_program.PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
