"""Tests of sgmcmc factorize: ratings in every format, scores, files, predictions, errors.

    test_factorize.py PROGRAM [unittest arguments]
"""

import csv
import gzip
import json
import math
import pathlib
import random
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import test_program


class Factorize(test_program.ProgramTest):
    """Ratings of two factors and biases with noise of standard deviation 0.4."""

    USERS, ITEMS = 90, 70

    def setUp(self):
        super().setUp()
        chance = random.Random(3)
        normal = lambda count: [chance.gauss(0, 1) for _ in range(count)]
        u, v = [normal(3) for _ in range(self.USERS)], [normal(3) for _ in range(self.ITEMS)]
        self.ratings = [(100 + i, 7 * j, 3 + 0.4 * (u[i][2] + v[j][2]) + u[i][0] * v[j][0] + u[i][1] * v[j][1] + 0.4 * chance.gauss(0, 1))
                        for i in range(self.USERS) for j in range(self.ITEMS) if chance.random() < 0.5]
        self.write("ratings.csv", "user,item,rating\n" + self.lines(","))

    def lines(self, separator):
        return "".join(f"{u}{separator}{i}{separator}{r:.4f}\n" for u, i, r in self.ratings)

    def factorize(self, *words):
        return self.assert_runs("factorize", "ratings.csv", "--factors", "2", "--iterations", "80", *words)

    def test_scores_are_those_of_the_noise(self):
        report = json.loads(self.factorize("--json"))
        self.assertEqual((report["method"], report["users"], report["items"]), ("gibbs", self.USERS, self.ITEMS))
        self.assertEqual(report["held_out"], round(0.1 * len(self.ratings)))
        self.assertEqual(report["ratings"] + report["held_out"], len(self.ratings))
        self.assertAlmostEqual(report["rmse"], 0.43, delta=0.06)
        self.assertAlmostEqual(report["coverage"], 0.9, delta=0.06)
        self.assertAlmostEqual(report["log_predictive"], -0.5 * math.log(2 * math.pi * 0.43 ** 2) - 0.5, delta=0.15)
        self.assertEqual(len(report["trace"]), 80)

    def test_every_format_gives_the_same_scores(self):
        expected = json.loads(self.factorize("--json"))["rmse"]
        number = len(self.ratings)
        self.write("a.dat", self.lines("::"))
        self.write("b.tsv", self.lines("\t"))
        self.write("c.mtx", f"%%MatrixMarket matrix coordinate real general\n1000 1000 {number}\n"
                   + "".join(f"{u} {i + 1} {r:.4f}\n" for u, i, r in self.ratings))
        self.write("d.libfm", "".join(f"{r:.4f} {u}:1 {i}:1\n" for u, i, r in self.ratings))
        with gzip.open(self.folder / "e.csv.gz", "wt") as file:
            file.write(self.lines(","))
        self.write("f.csv", "when,rating,item,user\n" + "".join(f"1,{r:.4f},{i},{u}\n" for u, i, r in self.ratings))
        for name, words in {"a.dat": [], "b.tsv": [], "c.mtx": [], "d.libfm": [], "e.csv.gz": [],
                            "f.csv": ["--columns", "user,item,rating"]}.items():
            report = json.loads(self.assert_runs("factorize", name, "--factors", "2", "--iterations", "80", "--json", *words))
            self.assertEqual(report["rmse"], expected, name)

    def test_run_leaves_draws_and_the_way_it_went(self):
        self.write("pairs.csv", "user,item\n100,0\n100,5\n1,0\n1,5\n")  # item 5 and user 1 have no ratings
        printed = self.factorize("--out", "run", "--predict", "pairs.csv", "--recommend", "3")
        self.assertRegex(printed, r"^rmse +0\.\d{4}\nlog predictive -?\d\.\d{4}\ncoverage +0\.\d{4} of intervals of 90 %\nof \d+ held-out ratings\n")
        names = sorted(path.name for path in (self.folder / "run").iterdir())
        self.assertEqual(names, ["factor_priors.npy", "item_factors.npy", "item_ids.txt", "model.json", "predictions.csv",
                                 "recommendations.csv", "run.json", "trace.csv", "user_factors.npy", "user_ids.txt"])
        rows = list(csv.DictReader((self.folder / "run/predictions.csv").read_text().splitlines()))
        self.assertEqual([(row["user"], row["item"]) for row in rows], [("100", "0"), ("100", "5"), ("1", "0"), ("1", "5")])
        for row in rows:
            self.assertLess(float(row["lower"]), float(row["mean"]))
            self.assertLess(float(row["mean"]), float(row["upper"]))
        sd = [float(row["sd"]) for row in rows]
        self.assertLess(sd[0], min(sd[1:]))
        best = [row for row in csv.DictReader((self.folder / "run/recommendations.csv").read_text().splitlines()) if row["user"] == "100"]
        self.assertEqual([row["rank"] for row in best], ["1", "2", "3"])
        rated = {str(i) for u, i, _ in self.ratings if u == 100}
        self.assertFalse(rated & {row["item"] for row in best})
        self.assert_runs("factorize", "pairs.csv", "--apply", "run", "--out", "found")
        self.assertEqual((self.folder / "found/predictions.csv").read_text(), (self.folder / "run/predictions.csv").read_text())
        report = json.loads(self.assert_runs("factorize", "pairs.csv", "--apply", "run", "--json"))
        self.assertAlmostEqual(report["predictions"][0]["mean"], float(rows[0]["mean"]), places=4)
        self.assert_fails(2, "sgmcmc: --out: 'run' holds the draws to be applied; name another folder\n", "factorize", "pairs.csv",
                          "--apply", "run", "--out", "run", "--overwrite")

    def test_ratings_of_a_file_can_be_predicted(self):
        self.write("train.csv", "".join(f"{u},{i},{r:.4f}\n" for u, i, r in self.ratings[50:]))
        self.write("test.csv", "".join(f"{u},{i},{r:.4f}\n" for u, i, r in self.ratings[:50]) + "5000,0,3\n")
        report = json.loads(self.assert_runs("factorize", "train.csv", "--test", "test.csv", "--factors", "2", "--iterations", "60",
                                             "--json"))
        self.assertEqual((report["ratings"], report["held_out"]), (len(self.ratings) - 50, 51))
        self.assertLess(report["rmse"], 1.3)  # the first users have no ratings but those

    def test_draws_do_not_depend_on_threads(self):
        for threads in ("1", "2"):
            self.factorize("--threads", threads, "--out", f"run{threads}")
        for name in ("user_factors.npy", "item_factors.npy", "factor_priors.npy"):
            self.assertEqual((self.folder / "run1" / name).read_bytes(), (self.folder / "run2" / name).read_bytes(), name)

    def test_other_observations_have_scores_and_predictions_of_their_kind(self):
        chance = random.Random(4)
        u, v = [[chance.expovariate(1) for _ in range(2)] for _ in range(50)], [[chance.expovariate(1) for _ in range(2)] for _ in range(40)]

        def poisson(mean):
            count, product = 0, chance.random()
            while product > math.exp(-mean):
                count, product = count + 1, product * chance.random()
            return count

        def modulus(mean, a=0.75):
            """A Rayleigh number times the root of a positive stable one, by Kanter's formula; a is half of alpha."""
            turn, wait = math.pi * chance.random(), chance.expovariate(1)
            stable = math.sin(a * turn) / math.sin(turn) ** (1 / a) * (math.sin((1 - a) * turn) / wait) ** ((1 - a) / a)
            return mean ** (0.5 / a) * math.sqrt(4 * stable * chance.expovariate(1))

        x = [[u[i][0] * v[j][0] + u[i][1] * v[j][1] for j in range(40)] for i in range(50)]
        draw = {"poisson": poisson, "bernoulli": lambda mean: int(mean + chance.gauss(0, 1) > 1.5),
                "stable": modulus}
        for name in ("poisson", "bernoulli", "stable"):
            self.write(f"{name}.csv", "".join(f"{i},{j},{draw[name](x[i][j]):g}\n" for i in range(50) for j in range(40)))
            words = ["factorize", f"{name}.csv", "--observations", name, "--factors", "2", "--iterations", "60"]
            report = json.loads(self.assert_runs(*words, "--out", name, "--predict", "ratings.csv", "--json"))
            self.assertEqual(report["observations"], name)
            self.assertIsNone(report["noise_precision"])
            self.assertIsNone(report["trace"][-1]["noise_precision"])
            trace = list(csv.DictReader((self.folder / name / "trace.csv").read_text().splitlines()))
            self.assertEqual({row["noise_precision"] for row in trace}, {""})
            self.assertGreater(report["coverage"], 0.84, name)
            self.assertLess(report["log_predictive"], 0)
            rows = list(csv.DictReader((self.folder / name / "predictions.csv").read_text().splitlines()))
            self.assertTrue(all(float(row["lower"]) <= float(row["upper"]) for row in rows))
            self.assertEqual(all(row["sd"] == "" for row in rows), name == "stable")
            self.write("one.csv", "3,4\n3,9999\n")
            applied = json.loads(self.assert_runs("factorize", "one.csv", "--apply", name, "--json"))["predictions"]
            self.assertEqual(applied[1]["sd"] is None, name == "stable")
            for threads in ("1", "2"):
                again = json.loads(self.assert_runs(*words, "--threads", threads, "--json"))
                self.assertEqual(again["log_predictive"], report["log_predictive"])
        scores = json.loads(self.assert_runs("factorize", "bernoulli.csv", "--observations", "bernoulli", "--method", "sgld", "--factors",
                                             "2", "--json"))
        self.assertGreater(scores["log_predictive"], -0.69)

    def test_chains_that_learnt_nothing_carry_a_warning(self):
        words = ["factorize", "ratings.csv", "--factors", "2", "--iterations", "80", "--json"]
        self.assertEqual(json.loads(self.factorize("--json"))["warnings"], [])
        for step, cause in (["--method", "psgld", "--step-size", "1.5"], "the chain has diverged"), \
                           (["--method", "sgld", "--step-size", "1e-6"], "the chain has not learnt the ratings"):
            for held_out in [], ["--hold-out", "0"]:
                done = self.run_program(*words, *step, *held_out, "--out", "run", "--overwrite")
                report = json.loads(done.stdout)
                self.assertFalse(report["usable"])
                self.assertRegex(report["warnings"][0], f"^do not use these predictions: {cause}. The error of predicted training ratings is "
                                 "[0-9.e+]+ times that of predicting their mean. Use --method gibbs, which needs no step size")
                self.assertIn("sgmcmc: warning: do not use these predictions", done.stderr)
                self.assertEqual(json.loads((self.folder / "run/run.json").read_text())["warnings"], report["warnings"])

    def test_chains_that_hardly_moved_carry_a_warning(self):
        report = json.loads(self.run_program("factorize", "ratings.csv", "--method", "sgld", "--blocks", "60", "--iterations", "120",
                                             "--json").stdout)
        self.assertFalse(report["usable"])
        self.assertTrue(any("each rating was used in 2 iterations only" in text for text in report["warnings"]), report["warnings"])

    def test_pairs_of_the_training_in_the_test_are_counted(self):
        self.write("test.csv", self.lines(",")[:200].rpartition("\n")[0] + "\n5000,0,3\n")
        report = json.loads(self.run_program("factorize", "ratings.csv", "--factors", "2", "--iterations", "80", "--test", "test.csv",
                                             "--json").stdout)
        number = report["held_out"] - 1
        self.assertEqual(report["warnings"], [f"{number} of the {number + 1} pairs of --test are also rated in the training: the scores are "
                                              "better than those of new ratings"])

    def test_ids_keep_their_text(self):
        self.write("zeros.csv", "".join(f"{u:05d},{i:03d},{r:.4f}\n" for u, i, r in self.ratings))
        self.write("pairs.csv", "00100,007\n")
        self.assert_runs("factorize", "zeros.csv", "--factors", "2", "--iterations", "20", "--recommend", "1", "--out", "run")
        rows = list(csv.DictReader((self.folder / "run/recommendations.csv").read_text().splitlines()))
        self.assertEqual(sorted(row["user"] for row in rows), [f"{100 + u:05d}" for u in range(self.USERS)])
        self.assertTrue(all(len(row["item"]) == 3 for row in rows))
        known = json.loads(self.assert_runs("factorize", "pairs.csv", "--apply", "run", "--json"))["predictions"][0]
        self.assertEqual((known["user"], known["item"]), ("00100", "007"))
        self.write("numbers.csv", "100,7\n")
        new = json.loads(self.assert_runs("factorize", "numbers.csv", "--apply", "run", "--json"))["predictions"][0]
        self.assertGreater(new["sd"], 1.2 * known["sd"])  # another user

    def test_application_takes_an_interval_and_refuses_what_has_no_effect(self):
        self.factorize("--out", "run")
        self.write("pairs.csv", "100,7\n")
        apply = ["factorize", "pairs.csv", "--apply", "run"]
        width = lambda *words: (lambda row: row["upper"] - row["lower"])(json.loads(self.assert_runs(*apply, "--json", *words))["predictions"][0])
        self.assertAlmostEqual(width("--interval", "0.5") / width(), 0.6745 / 1.6449, delta=0.02)
        self.assert_fails(2, "sgmcmc: --apply: predicts from draws that exist, so --factors, --recommend have no effect; leave them out\n", *apply,
                          "--factors", "3", "--recommend", "2")
        self.assert_fails(2, "sgmcmc: --apply: predicts from draws that exist, so --hold-out has no effect; leave it out\n", *apply, "--hold-out",
                          "0.5")
        self.assert_fails(2, "sgmcmc: interval is 2; it must be a probability between 0 and 1\n", *apply, "--interval", "2")
        self.assert_runs(*apply, "--out", "found")
        done = self.run_program("resume", "found")
        self.assertEqual((done.returncode, done.stderr), (0, "sgmcmc: the run in 'found' is finished: all pairs were predicted\n"))

    def test_steps_of_gibbs_are_refused(self):
        self.assert_fails(2, "sgmcmc: --step-size: --method gibbs has no steps; leave it out, or choose another method\n", "factorize",
                          "ratings.csv", "--step-size", "0.1")
        self.assert_fails(2, "sgmcmc: --blocks: --method gibbs uses all ratings at a time; leave it out, or choose another method\n", "factorize",
                          "ratings.csv", "--blocks", "8")
        self.assert_fails(2, "sgmcmc: --friction: only --method sghmc has a friction\n", "factorize", "ratings.csv", "--friction", "0.1",
                          "--method", "sgld")

    def test_observations_that_do_not_fit_are_refused(self):
        self.write("half.csv", "1,2,1\n1,3,0.5\n")
        self.assert_fails(1, "sgmcmc: the rating of user 1 for item 3 is '0.5'; poisson observations are the counts 0, 1, 2, .... Correct it, "
                          "or choose other observations\n", "factorize", "half.csv", "--observations", "poisson")
        self.assert_fails(2, "sgmcmc: method hamcmc does not suit poisson observations, whose factors must not be negative; use method gibbs, sgld or "
                          "sgld-saga\n",
                          "factorize", "half.csv", "--observations", "poisson", "--method", "hamcmc")
        self.assert_fails(2, "sgmcmc: noise_precision: bernoulli observations have no noise with a precision; leave it out\n", "factorize",
                          "half.csv", "--observations", "bernoulli", "--noise-precision", "1")
        self.assert_fails(2, "sgmcmc: alpha is 2; it must be above 1 and below 2. For 2 use gaussian observations\n", "factorize", "half.csv",
                          "--observations", "stable", "--alpha", "2")
        self.assert_fails(2, "sgmcmc: --alpha: only --observations stable has an exponent\n", "factorize", "half.csv", "--alpha", "1.4")

    def write_features(self, users):
        """A first factor that is nearly the feature x; a second feature says nothing."""
        chance = random.Random(5)
        self.x = {i: chance.gauss(0, 1) for i in users}
        self.write("users.csv", "id,x,noise\n" + "".join(f"{i},{10 + 3 * x:.5f},{chance.random():.3f}\n" for i, x in self.x.items()))
        v = {j: chance.gauss(0, 1) for j in range(30)}
        rating = lambda i, j: 3 + 1.5 * self.x[i] * v[j] + 0.3 * chance.gauss(0, 1)
        self.write("known.csv", "".join(f"{i},{j},{rating(i, j):.4f}\n" for i in list(users)[:150] for j in v if (i * j) % 5 < 2))
        self.write("new.csv", "".join(f"{i},{j},{rating(i, j):.4f}\n" for i in list(users)[150:] for j in v))

    def test_features_predict_new_users(self):
        self.write_features(range(180))
        words = ["factorize", "known.csv", "--test", "new.csv", "--factors", "2", "--iterations", "80", "--json"]
        without = json.loads(self.assert_runs(*words))["rmse"]
        found = json.loads(self.assert_runs(*words, "--user-features", "users.csv"))
        self.assertLess(found["rmse"], 0.5 * without)
        self.assertGreater(found["coverage"], 0.8)
        # Users who are not in the chain, and the same after the run.
        words = ["factorize", "known.csv", "--factors", "2", "--iterations", "80", "--user-features", "users.csv"]
        self.write("pairs.csv", "".join(f"{i},3\n" for i in range(150, 180)))
        self.assert_runs(*words, "--out", "run", "--predict", "pairs.csv")
        self.assert_runs("factorize", "pairs.csv", "--apply", "run", "--user-features", "users.csv", "--out", "applied")
        predicted = (self.folder / "run/predictions.csv").read_text()
        self.assertEqual((self.folder / "applied/predictions.csv").read_text(), predicted)
        by_user = {int(row["user"]): float(row["mean"]) for row in csv.DictReader(predicted.splitlines())}
        order = sorted(by_user, key=by_user.get)
        slope = [self.x[i] for i in order]
        self.assertGreater(abs(sum(slope[15:]) - sum(slope[:15])), 10)  # predictions are sorted by the feature
        self.assert_runs("factorize", "pairs.csv", "--apply", "run", "--out", "blind")
        means = {row["mean"] for row in csv.DictReader((self.folder / "blind/predictions.csv").read_text().splitlines())}
        self.assertEqual(len(means), 1)  # all are the mean user

    def test_features_belong_to_the_run(self):
        self.write_features(range(180))
        (self.folder / "in").mkdir()
        for name in "known.csv", "users.csv":
            (self.folder / name).rename(self.folder / "in" / name)
        words = [test_program.PROGRAM, "factorize", "known.csv", "--factors", "2", "--iterations", "10000000", "--user-features", "users.csv",
                 "--checkpoint-every", "0.01", "--out", "run"]
        run = subprocess.Popen(words, cwd=self.folder / "in", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        deadline = time.monotonic() + 60
        while not list((self.folder / "in/run").glob("*.checkpoint")):
            self.assertLess(time.monotonic(), deadline, "no checkpoint appears")
            with self.assertRaises(subprocess.TimeoutExpired, msg="the run ended by itself"):
                run.wait(timeout=0.02)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        resumed = subprocess.Popen([test_program.PROGRAM, "resume", "in/run"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(resumed.kill)
        with self.assertRaises(subprocess.TimeoutExpired, msg="the run does not go on from another folder"):
            resumed.wait(timeout=1)
        resumed.send_signal(signal.SIGINT)
        resumed.communicate(timeout=60)
        with open(self.folder / "in/users.csv", "a") as file:
            file.write("1000,3,0.5\n")
        done = self.run_program("resume", "in/run")
        self.assertEqual((done.returncode, "'users.csv' has changed since that run" in done.stderr), (2, True), done.stderr)

    def test_runs_replace_the_features_of_those_before(self):
        self.write_features(range(180))
        run = ["factorize", "known.csv", "--factors", "2", "--iterations", "10", "--out", "run", "--overwrite"]
        self.assert_runs(*run, "--user-features", "users.csv")
        self.assertTrue((self.folder / "run/user_features.tsv").exists())
        self.assertTrue((self.folder / "run/user_weights.npy").exists())
        self.assert_runs(*run)
        self.assertFalse([path.name for path in (self.folder / "run").iterdir() if path.name.startswith(("user_features", "user_weights"))])

    def test_runs_that_are_refused_leave_the_draws_before(self):
        self.write_features(range(180))
        run = ["factorize", "known.csv", "--factors", "2", "--iterations", "10", "--out", "run"]
        self.assert_runs(*run)
        kept = {path.name: path.read_bytes() for path in (self.folder / "run").iterdir()}
        self.write("fewer.csv", "id,x\n0,1\n")
        self.write("test.csv", "1,2,nan\n")
        for words in (["--user-features", "users.csv", "--method", "sgld"], ["--observations", "bernoulli"],
                      ["--user-features", "fewer.csv"], ["--test", "test.csv"]):
            self.assertNotEqual(self.run_program(*run, "--overwrite", *words).returncode, 0)
            self.assertEqual({path.name: path.read_bytes() for path in (self.folder / "run").iterdir()}, kept, words)

    def test_wrong_features_are_refused_in_one_message(self):
        self.write_features(range(160))
        run = ["factorize", "known.csv", "--factors", "2", "--iterations", "10"]
        self.write("fewer.csv", "id,x\n0,1\n")
        self.assert_fails(1, "sgmcmc: there are ratings by user 1 and no side features. Add a line with its features to the file\n", *run,
                          "--user-features", "fewer.csv")
        self.write("words.csv", "id,sex\n0,F\n")
        self.assert_fails(1, "sgmcmc: words.csv:2: column 'sex' is 'F', which is not a number. Give categories as columns of 0 and 1\n", *run,
                          "--item-features", "words.csv")
        self.assert_fails(2, "sgmcmc: user_features: method sgld has no side features; use method gibbs\n", *run, "--method", "sgld",
                          "--user-features", "users.csv")
        self.assert_fails(2, "sgmcmc: user_features: prior_precision fixes the prior mean at 0, which side features predict; leave it out\n",
                          *run, "--prior-precision", "1", "--user-features", "users.csv")
        self.assert_runs(*run, "--user-features", "users.csv", "--out", "run")
        self.write("constant.csv", "id,x,y\n" + "".join(f"{i},{x},3\n" for i, x in self.x.items()))
        report = json.loads(self.run_program(*run, "--user-features", "constant.csv", "--json").stdout)
        self.assertIn("--user-features: column y has the same number for all, and so no effect", report["warnings"])
        self.write("pairs.csv", "0,1\n")
        self.write("other.csv", "id,y\n0,1\n")
        self.assert_fails(2, "sgmcmc: --user-features: the columns are y; those of the run are x, noise\n", "factorize", "pairs.csv", "--apply",
                          "run", "--user-features", "other.csv")

    def test_mistakes_are_told_in_one_message(self):
        def refused(name, text, message, *words):
            self.assert_fails(1, f"sgmcmc: {message}\n", "factorize", self.write(name, text), *words)

        refused("a.csv", "1,2,3\n1,3,4\n1,2,5\n", "a.csv:3: user 1 has rated item 2 already on line 1. Keep one rating of each pair")
        refused("b.csv", "1,2,3\n9223372036854775808,3,4\n",
                "b.csv:2: the id of the user 9223372036854775808 is too large: ids that are whole numbers are below 2^63")
        refused("c.csv", "1,2,3\n1,3,nan\n", "c.csv:2: the rating is 'nan'; ratings must be finite. Remove the line, or give a number")
        refused("d.csv", "1;2;3\n1,3,4\n1;4;4\n", "d.csv:2: the line has 1 field separated by ';', the first line has 3")
        (self.folder / "e.gz").write_bytes(gzip.compress(self.lines(",").encode())[:-200])
        self.assert_fails(1, "sgmcmc: e.gz: the gzip data end in the middle. Copy or download the file again\n", "factorize", "e.gz")
        self.assert_fails(2, "sgmcmc: name the ratings: sgmcmc factorize RATINGS ...; a file with user, item and rating on each line, or "
                          "a MatrixMarket file\n", "factorize")
        self.assert_fails(2, "sgmcmc: --recommend: name a folder for the file with --out DIR\n", "factorize", "ratings.csv",
                          "--recommend", "3")
        self.assert_fails(2, "sgmcmc: factors is 0; it must be from 1 to 1000\n", "factorize", "ratings.csv", "--factors", "0")


if __name__ == "__main__":
    test_program.PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
