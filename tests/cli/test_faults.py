"""Runs that are killed, interrupted, extended, or run out of disk: nothing is lost, and a resumed run ends with the same
bytes as an uninterrupted one.

    test_faults.py PROGRAM [KILLS]      KILLS: how many times a run is killed in all; default 10
"""

import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM = ""
KILLS = 10

MODEL = """data {
  int<lower=0> N;
  matrix[N, 3] X;
  vector[N] y;
}
parameters {
  vector[3] beta;
  real<lower=0> sigma;
}
model {
  beta ~ normal(0, 5);
  sigma ~ normal(0, 5);
  y ~ normal(X * beta, sigma);
}
generated quantities {
  real fresh = normal_rng(beta[1], sigma);
}
"""

WIDE = """parameters {
  vector[40] x;
}
model {
  x ~ normal(0, 1);
}
"""

# More than 1,000 parameters and not a regression, so no search for the mode.
PRODUCTS = """data {
  int<lower=0> N;
  array[N] int<lower=1, upper=600> i;
  array[N] int<lower=1, upper=500> j;
  vector[N] y;
}
parameters {
  vector[600] a;
  vector[500] b;
}
model {
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  for (n in 1:N)
    y[n] ~ normal(a[i[n]] * b[j[n]], 1);
}
"""

# Methods with options for runs of about a second: every sampler, and every estimator with some sampler.
METHODS = {
    "sgld-cv": "--step-size 1e-4 --iterations 20000 --thin 2",
    "sghmc-svrg": "--step-size 1e-5 --iterations 6000",
    "sgnht-saga": "--step-size 1e-4 --iterations 15000",
    "nuts": "--iterations 1500 --warmup 500",
    "psgld": "--step-size 1e-4 --iterations 15000",
    "sgfs-full": "--iterations 8000",
    "sgfs-diagonal-cv": "--iterations 8000",
    "sgrld-full": "--step-size 0.1 --iterations 5000",
    "hamcmc-cv": "--step-size 0.05 --iterations 20000",
    "sglm-cv": "--iterations 20000",  # the step is found, and rows are drawn by preference
    "sghmc-saga": "--iterations 6000",
    "auto": "--iterations 2000",
    "default": "--iterations 3000",  # nothing is said, and rows are many: half of the time goes into tuning
    "no-mode": "--iterations 1500 --thin 30",  # nothing is said either
    "hmc": "--iterations 1500 --warmup 500",
    "mala": "--iterations 4000 --warmup 1000",
    "laplace": "--iterations 20000",
    "sgld": "--step-size 1e-4 --iterations 20000 --row-sampling shuffled-epochs --zero-variance quadratic",
}
FEW = ["sgld-cv", "sgnht-saga", "nuts", "sglm-cv", "default", "no-mode"]
MANY_ROWS = 60_000


# Runs over documents of about half a second.
DOCUMENT_RUNS = {
    "lda": "lda texts.txt --topics 8 --iterations 800 --batch-size 40 --stop-words stop.txt",
    "lda-kept": "lda texts.txt --topics 8 --iterations 1000 --batch-size 40 --keep-assignments",
    "lda-cv": "lda texts.txt --method sgld-cv --step-size 1e-3 --topics 8 --iterations 400 --batch-size 40",
    "dpmix": "dpmix texts.txt --iterations 700 --batch-size 80",
    "factorize": "factorize ratings.csv --factors 4 --iterations 300 --predict pairs.csv --recommend 2",
}
CLOCK_KEYS = {"seconds", "sampling_seconds", "gibbs_seconds", "token_updates_per_second", "token_updates_per_second_per_core"}


def without_clock(text):
    return re.sub(r"#  Elapsed Time: .*\n", "", text)


def summary_without_clock(text):
    found = json.loads(text)
    for row in found["parameters"]:
        row.pop("atuc", None)
    for key in ("seconds", "folder"):
        found.pop(key, None)
    found.get("tuning", {}).pop("seconds", None)
    # A resumed run takes no options of the original command line.
    found["warnings"] = [warning for warning in found.get("warnings", []) if "has no effect" not in warning]
    return found


def is_json(text):
    try:
        json.loads(text)
        return True
    except ValueError:
        return False


def data_text(count, seed):
    chance = random.Random(seed)
    rows = [[round(chance.gauss(0, 1), 4) for _ in range(3)] for _ in range(count)]
    y = [row[0] - 0.5 * row[1] + 0.3 * chance.gauss(0, 1) for row in rows]
    return json.dumps({"N": len(y), "X": rows, "y": y})


def products_text(count, seed):
    chance = random.Random(seed)
    i = [chance.randint(1, 600) for _ in range(count)]
    j = [chance.randint(1, 500) for _ in range(count)]
    y = [round(1 + 0.1 * (a % 5) * (b % 3) + chance.gauss(0, 1), 3) for a, b in zip(i, j)]
    return json.dumps({"N": count, "i": i, "j": j, "y": y})


UNNAMED = {"default": ("model.stan", data_text), "no-mode": ("products.stan", products_text)}  # models and data

NOT_FINITE = re.compile(r"(?i)[-+]?(nan|inf|infinity)")


def not_finite_in(path):
    """Non-finite numbers in a file of a run: in fields of tables, numbers of JSON, words of other text."""
    if path.suffix == ".nc":
        return not_finite_in_netcdf(path)
    if path.suffix not in (".csv", ".json", ".txt", ".html"):
        return []
    text = path.read_text()
    if path.suffix == ".json":
        found = []

        def words_of(value):
            if isinstance(value, dict):
                value = list(value.values())
            if isinstance(value, list):
                for part in value:
                    words_of(part)
            if isinstance(value, str):
                found.extend(word for word in re.findall(r"[-+\w.]+", value) if NOT_FINITE.fullmatch(word))

        words_of(json.loads(text, parse_constant=found.append))
        return found
    if path.suffix == ".csv":  # names in the first line may be any word
        whole = text[:text.rfind("\n") + 1]  # a killed program may leave a part of a line
        rows = [line for line in whole.splitlines() if not line.startswith("#")][1:]
        return [field for row in rows for field in row.split(",") if NOT_FINITE.fullmatch(field.strip()) or not field]
    return [word for word in re.findall(r"[-+\w.]+", text) if NOT_FINITE.fullmatch(word)]


def not_finite_in_netcdf(path):
    """Read by Debian's Python if it has netCDF4; skipped otherwise."""
    script = """
import sys, netCDF4, numpy
with netCDF4.Dataset(sys.argv[1]) as file:
    for group in file.groups.values():
        for variable in group.variables.values():
            variable.set_auto_mask(False)
            values = numpy.asarray(variable[...], dtype=float)
            for value in values[~numpy.isfinite(values) | (abs(values) > 9e36)]:
                print(group.name, variable.name, value)
"""
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", script, str(path)], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.splitlines()
        if "No module named" not in done.stderr and done.returncode != 127:
            raise AssertionError(done.stderr)
    return []


class FaultTest(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "model.stan").write_text(MODEL)
        (self.folder / "wide.stan").write_text(WIDE)
        (self.folder / "products.stan").write_text(PRODUCTS)
        (self.folder / "data.json").write_text(data_text(400, 1))

    def place(self, name):
        """A separate folder for a run, so that all runs use the same names."""
        path = self.folder / name
        path.mkdir()
        for file in ("model.stan", "wide.stan", "products.stan", "data.json"):
            shutil.copy(self.folder / file, path / file)
        return path

    def sample_words(self, method, options="", every="0.02", chains=2):
        model, data = "model.stan", "data.json"
        chosen = ["--method", method, "--batch-size", "40"]
        if method in UNNAMED:
            model, text = UNNAMED[method]
            data, chosen = str(self.folder / f"{method}.json"), []
            if not os.path.exists(data):
                pathlib.Path(data).write_text(text(MANY_ROWS, 2))
        return ["sample", model, "--data", data, "--chains", str(chains), "--threads", "2", "--out", "run",
                "--json", "--checkpoint-every", every] + chosen + options.split()

    def start(self, words, place, **more):
        if words[0] == "sample":  # runs here are too short to be trusted; resuming one asks for the same
            words = words + ["--exit-status", "plain"]
        return subprocess.Popen([PROGRAM] + words, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                **more)

    def run_program(self, words, place, status=0, **more):
        process = self.start(words, place, **more)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, status, err)
        return out, err

    def outputs(self, place):
        run = place / "run"
        files = {path.name: without_clock(path.read_text()) for path in sorted(run.glob("chain-*.csv"))}
        self.assertGreater(len(files), 0)
        for text in files.values():
            body = [line for line in text.splitlines() if not line.startswith("#")]
            self.assertEqual({line.count(",") for line in body}, {body[0].count(",")})
        self.assert_all_finite(run)
        files["draws.nc"] = (run / "draws.nc").read_bytes()
        record = json.loads((run / "run.json").read_text())
        self.assertEqual(record["status"], "finished")
        files["mode"] = record.get("mode")
        return files

    def assert_all_finite(self, folder):
        files = [path for path in folder.rglob("*") if path.is_file()]
        self.assertGreater(len(files), 0)
        for path in files:
            self.assertEqual(not_finite_in(path)[:5], [], path.name)

    def assert_same(self, place, out, reference, reference_out, what):
        found = self.outputs(place)
        self.assertEqual(found.keys(), reference.keys(), what)
        for name in reference:
            self.assertTrue(found[name] == reference[name], f"{what}: {name} is not that of the undisturbed run")
        if out:  # a run that is killed between its last file and its summary has none; its files say it all
            self.assertEqual(summary_without_clock(out), summary_without_clock(reference_out), what)
        shutil.rmtree(place)

    def finish(self, place):
        """Resumes until the run is done; returns the output of the last call."""
        out = self.run_program(["resume", "run", "--json"], place)[0]
        self.assertNotEqual(out, "")
        return out

    def test_KilledAtRandomInstants_EndsWithTheSameBytes(self):
        chance = random.Random(KILLS)
        methods = FEW if KILLS <= 20 else list(METHODS)
        kills = 0
        for number, method in enumerate(methods):
            share = KILLS * (number + 1) // len(methods) - KILLS * number // len(methods)
            words = self.sample_words(method, METHODS[method])
            place = self.place(f"reference-{method}")
            begin = time.monotonic()
            reference_out, _ = self.run_program(words, place)
            seconds = time.monotonic() - begin
            reference = self.outputs(place)
            done = 0
            while done < share:
                place = self.place(f"killed-{method}-{done}")
                what = [method]
                call, again, printed = words, True, ""
                while again and done < share:
                    process = self.start(call, place)
                    wait = chance.uniform(0, 1.1 * seconds)
                    what.append(f"{wait:.3f}s")
                    try:
                        process.wait(timeout=wait)
                        process.communicate()
                        self.assertEqual(process.returncode, 0, what)
                        again = False  # it was quicker
                    except subprocess.TimeoutExpired:
                        process.kill()
                        printed = process.communicate()[0]
                        done += 1
                        kills += 1
                        again = chance.random() < 0.4  # the resumed run is killed too
                    started = (place / "run" / "run.json").exists()
                    call = ["resume", "run", "--json"] if started else words
                    if not started:
                        shutil.rmtree(place / "run", ignore_errors=True)
                out, err = self.run_program(call, place)
                if not out:  # it was already finished
                    self.assertIn("is finished", err)
                    out = printed if is_json(printed) else ""  # it was killed right after that, within it, or before
                self.assert_same(place, out, reference, reference_out, " ".join(what))
        self.assertEqual(kills, KILLS)
        print(f"{kills} kills, {len(methods)} methods: all outputs are those of the undisturbed runs")

    def test_ScanForNumbers_FindsThoseThatAreNot(self):
        for name, text, count in (("a.csv", "# nan\nnan,x\n1,2\n1,nan\n-inf,3\n", 2), ("b.csv", "x,y\n1,\n", 1),
                                  ("a.json", '{"a": NaN, "nan": "it is nan", "b": [1, -Infinity, null]}', 3),
                                  ("a.html", "<td>nan</td><td>information</td><td>-inf</td>", 2)):
            (self.folder / name).write_text(text)
            self.assertEqual(len(not_finite_in(self.folder / name)), count, name)
        with self.assertRaises(AssertionError):
            self.assert_all_finite(self.folder)

    def test_NoFileHasANumberThatIsNotFinite(self):
        """For every method, also if chains diverge, recover or give up, and if outputs fail."""
        wrong = MODEL.replace("real fresh = normal_rng(beta[1], sigma);",
                              "real kept = sigma; real ratio = 1 / (fresh > 1 ? 0.0 : 1.0); vector[2] undefined = [log(-sigma), 1]';\n"
                              "  int count = poisson_rng(fresh - 0.9); int late = 1;")
        wrong = wrong.replace("generated quantities {\n", "generated quantities {\n  real fresh = normal_rng(beta[1], sigma);\n")
        plain = ["kept", "fresh"]
        runs = [("sgld-cv", "--step-size 1e-4", 0), ("sgld", "--step-size 1e-4 --log-density always", 0),
                ("sghmc-saga", "--step-size 1e-5", 0), ("nuts", "--warmup 100", 0), ("laplace", "", 0),
                ("psgld", "--step-size 1e-4 --thin 7", 0), ("auto", "", 0), ("sgnht", "", 0),  # steps are found
                ("sgld-cv", "--step-size 0.5", 0), ("sgld", "--step-size 0.05", 0),  # taken back
                ("sgld-cv", "--step-size 1e8", None), ("sghmc", "--step-size 1e6", None),
                ("sgld", "--step-size 10 --recoveries 0", 1), ("sgld-cv", "--initial far.json --step-size 1e-4", None),
                ("mala", "--warmup 50 --initial far.json", None)]
        reduced = stopped = left_out = 0
        for number, (method, options, status) in enumerate(runs):
            place = self.place(f"finite-{number}")
            (place / "model.stan").write_text(wrong)
            (place / "far.json").write_text(json.dumps({"beta": [1e3, -1e3, 1e3], "sigma": 1e3}))
            words = self.sample_words(method, options + " --iterations 400 --tune-seconds 1", every="60")
            process = self.start(words, place)
            out, err = process.communicate(timeout=300)
            what = f"{method} {options}: {err}"
            self.assertIn(process.returncode, (0, 1) if status is None else (status,), what)
            self.assert_all_finite(place / "run")
            if process.returncode == 0:
                json.loads(out, parse_constant=self.fail)
                record = json.loads((place / "run" / "run.json").read_text())
                reduced += "step_reductions" in record
                left_out += len(record.get("left_out", []))
                for file in (place / "run").glob("chain-*.csv"):
                    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
                    for name in plain:
                        self.assertIn(name, lines[0].split(","), what)
                    self.assertNotIn("undefined.1", lines[0].split(","), what)
                    self.assertEqual(len(lines) - 1, 400 // (7 if "--thin" in options else 1), what)
            else:
                stopped += 1
                self.assertEqual(err.count("sgmcmc:"), 1, what)
        self.assertGreater(reduced, 0)
        self.assertGreater(stopped, 0)
        self.assertGreater(left_out, len(runs))

    def test_OutputsThatGoWrong_KilledAndResumed_EndsWithTheSameBytes(self):
        model = MODEL.replace("real fresh = normal_rng(beta[1], sigma);",
                              "real fresh = normal_rng(beta[1], sigma);\n  real rare = fresh > 2.1 ? log(-1) : fresh;")
        chance = random.Random(3)
        words = self.sample_words("sgld-cv", "--step-size 1e-4 --iterations 20000 --outputs all --log-density never")
        place = self.place("reference")
        (place / "model.stan").write_text(model)
        begin = time.monotonic()
        reference_out, _ = self.run_program(words, place)
        seconds = time.monotonic() - begin
        reference = self.outputs(place)
        left_out = json.loads((place / "run" / "run.json").read_text())["left_out"]
        self.assertEqual([entry["name"] for entry in left_out], ["rare"])
        self.assertGreater(left_out[0]["first_draw"], 100)
        for number in range(6):
            place = self.place(f"killed-{number}")
            (place / "model.stan").write_text(model)
            process = self.start(words, place)
            wait_until(lambda: (place / "run" / "chain-1.checkpoint").exists(), process)
            ends_within(process, chance.uniform(0, 0.8 * seconds))
            process.kill()
            process.communicate()
            self.assert_all_finite(place / "run")
            out, err = self.run_program(["resume", "run", "--json"], place)
            self.assertEqual(json.loads((place / "run" / "run.json").read_text())["left_out"], left_out)
            self.assert_same(place, out, reference, reference_out, f"killed {number}")

    def test_Interrupted_SavesAndSaysHowToGoOn(self):
        interrupted = 0
        for method in ("sgld-cv", "nuts"):
            for number in (signal.SIGINT, signal.SIGTERM):
                options = METHODS[method]
                words = self.sample_words(method, options, every="60")
                place = self.place(f"reference-{method}-{number}")
                reference_out, _ = self.run_program(words, place)
                reference = self.outputs(place)
                place = self.place(f"interrupted-{method}-{number}")
                process = self.start(words, place)
                wait_until(lambda: (place / "run" / "chain-2.csv").exists(), process)
                process.send_signal(number)
                out, err = process.communicate(timeout=60)
                if process.returncode == 0:
                    continue  # it was quicker
                self.assertEqual(process.returncode, 130, err)
                interrupted += 1
                self.assertIn("sgmcmc resume run", err)
                self.assertEqual(json.loads((place / "run" / "run.json").read_text())["status"], "interrupted")
                self.assert_same(place, self.finish(place), reference, reference_out, f"{method} {number}")
        self.assertGreater(interrupted, 0, "all runs were quicker than their signals")

    def test_StoppedWhileTuning_TunesAgainToTheSameEnd(self):
        words = self.sample_words("default", METHODS["default"])
        place = self.place("reference")
        reference_out, _ = self.run_program(words, place)
        reference = self.outputs(place)
        options = self.record(place)["options"]
        resume = ["resume", "run", "--json"]
        for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            stopped = attempt = 0
            calls = [words] if number == signal.SIGKILL else [words, resume]  # that too is stopped
            while stopped < len(calls):
                self.assertLess(attempt, 8, f"signal {number}: tuning is always quicker")
                attempt += 1
                place = self.place(f"tuning-{number}-{attempt}")
                stopped = 0
                while stopped < len(calls) and self.stopped_while_tuning(calls[stopped], place, number):
                    stopped += 1
                if self.record(place)["status"] != "finished":
                    _, err = self.run_program(words, place, status=2)
                    self.assertIn("is not finished: continue it with sgmcmc resume run, name another folder, or add", err)
                out, _ = self.run_program(resume, place)  # prints nothing where it was much quicker
                record = self.record(place)
                self.assertNotIn("asked", record)
                self.assertEqual(record["options"], options)
                self.assert_same(place, out, reference, reference_out, f"tuning {number}")

    def stopped_while_tuning(self, call, place, number):
        """Sends a signal as soon as tuning starts; returns whether the run was still tuning when it arrived."""
        process = self.start(call, place)
        while self.record(place).get("status") != "tuning" and not ends_within(process, 0.001):
            pass
        process.send_signal(number)
        _, err = process.communicate(timeout=300)
        status = self.record(place)["status"]
        if number == signal.SIGKILL:
            return status == "tuning"
        if "interrupted while tuning" not in err:
            self.assertIn((process.returncode, status), ((0, "finished"), (130, "interrupted")), err)
            return False
        self.assertEqual((process.returncode, status), (130, "interrupted"), err)
        self.assertIn("sgmcmc resume run", err)
        return True

    def test_WithoutAMode_TheRecordRepeatsTheRun(self):
        for name, options, schedule in (("cooled", "--iterations 300 --thin 10", r"annealing\(.*,150\)"),
                                        ("at-once", "--iterations 300 --thin 10 --warmup 0", "constant")):
            place = self.place(name)
            self.run_program(self.sample_words("no-mode", options), place)
            used = self.record(place)["options"]
            self.assertEqual((used["method"], used["refresh_momentum"], used["trajectory_length"]), ("sghmc", "false", 1))
            self.assertRegex(used["schedule"], "^" + schedule + "$")
            self.run_program(["sample", "--config", "run/run.json", "--out", "again", "--json"], place)
            for file in sorted((place / "run").glob("chain-*.csv")):
                draws = [[line for line in path.read_text().splitlines() if not line.startswith("#")]
                         for path in (file, place / "again" / file.name)]
                self.assertTrue(draws[0] == draws[1], f"{name}: {file.name}")

    def test_OverwriteAndTuning_KeepThePreviousRunUntilTuningIsDone(self):
        place = self.place("kept")
        self.run_program(self.sample_words("sgld-cv", "--step-size 1e-4 --iterations 50"), place)
        before = {path: path.read_bytes() for path in (place / "run").iterdir()}
        good = (place / "model.stan").read_text()
        (place / "model.stan").write_text(good.replace("normal(X * beta, sigma)", "normal(log(-exp(X * beta)), sigma)"))
        self.run_program(self.sample_words("sgld", "--overwrite"), place, status=1)
        (place / "model.stan").write_text(good)
        self.run_program(self.sample_words("sgld", "--overwrite --tune-seconds -1"), place, status=2)
        self.assertEqual(before, {path: path.read_bytes() for path in (place / "run").iterdir()})
        self.run_program(self.sample_words("sgld", "--overwrite --iterations 60"), place)
        self.assertEqual(self.record(place)["options"]["method"], "sgld")

    def test_FailedWhileTuning_LeavesNothingBehind(self):
        place = self.place("failed")
        nowhere = MODEL.replace("normal(X * beta, sigma)", "normal(log(-exp(X * beta)), sigma)")
        (place / "model.stan").write_text(nowhere)
        _, err = self.run_program(self.sample_words("sgld"), place, status=1)
        self.assertFalse((place / "run").exists(), err)

    def record(self, place):
        path = place / "run" / "run.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def document_place(self, name):
        place = self.place(name)
        chance = random.Random(5)
        groups = [[f"{letter}word{k}" for k in range(15)] for letter in "abcd"]
        lines = [" ".join(chance.choices(groups[i % 4], k=20)) for i in range(240)]
        (place / "texts.txt").write_text("\n".join(lines) + "\n")
        (place / "stop.txt").write_text("the\n")
        pairs = sorted({(chance.randrange(150), chance.randrange(80)) for _ in range(4000)})
        (place / "ratings.csv").write_text("".join(f"{u},{i},{1 + (u * i + u + i) % 5}\n" for u, i in pairs))
        (place / "pairs.csv").write_text("1,2\n3,999\n999,4\n")
        return place

    def document_words(self, name):
        return DOCUMENT_RUNS[name].split() + ["--out", "run", "--json", "--checkpoint-every", "0.02", "--threads", "2"]

    def document_outputs(self, place, out):
        """Files and output, without the parts that depend on the clock."""
        self.assertEqual(self.record(place)["status"], "finished")
        files = {path.name: path.read_bytes() for path in (place / "run").iterdir() if path.name != "run.json"}
        for name in {"perplexity.csv", "trace.csv"} & files.keys():
            lines = files[name].decode().splitlines()
            files[name] = [line.rsplit(",", 1)[0] for line in lines]  # seconds are last
        if out:
            report = {key: value for key, value in json.loads(out).items() if key not in CLOCK_KEYS}
            for point in report["trace"]:
                point.pop("seconds")
            files["printed"] = report
        return files

    def test_DocumentRunsKilledAtRandomInstants_EndWithTheSameBytes(self):
        chance = random.Random(8)
        for name in DOCUMENT_RUNS:
            words = self.document_words(name)
            place = self.document_place(f"reference-{name}")
            begin = time.monotonic()
            out, _ = self.run_program(words, place)
            seconds = time.monotonic() - begin
            reference = self.document_outputs(place, out)
            self.assertFalse([file for file in reference if file.endswith(".checkpoint")], "they are of no more use")
            for attempt in range(2 if KILLS <= 20 else KILLS // 10):
                place = self.document_place(f"killed-{name}-{attempt}")
                call = words
                for _ in range(2):  # the resumed run is killed too
                    process = self.start(call, place)
                    ends_within(process, chance.uniform(0, 0.8 * seconds))
                    process.kill()
                    process.communicate()
                    if (place / "run" / "run.json").exists():
                        call = ["resume", "run", "--json"]
                    else:
                        shutil.rmtree(place / "run", ignore_errors=True)
                out, err = self.run_program(call, place)
                found = self.document_outputs(place, out)
                for file in [file for file in found if file.endswith(".checkpoint")]:
                    self.assertFalse(out, "it was killed when it had finished, before it took them away")
                    del found[file]
                for file in found:
                    self.assertTrue(found[file] == reference[file], f"{name}: {file} is not that of the undisturbed run")
                self.assertEqual(found.keys() | {"printed"}, reference.keys())

    def test_DocumentRunsWithNothingHeldOut_LeaveFieldsEmpty(self):
        for name in ("lda", "dpmix"):
            place = self.document_place(f"none-{name}")
            self.run_program(self.document_words(name) + ["--iterations", "50", "--holdout", "0"], place)
            for path in (place / "run").iterdir():
                self.assertEqual([found for found in not_finite_in(path) if found], [], path.name)

    def test_DocumentRunsInterrupted_SaveAndSayHowToGoOn(self):
        for number, name in ((signal.SIGINT, "lda"), (signal.SIGTERM, "dpmix")):
            words = self.document_words(name) + ["--iterations", "1500"]
            place = self.document_place(f"reference-{name}")
            out, _ = self.run_program(words, place)
            reference = self.document_outputs(place, out)
            place = self.document_place(f"interrupted-{name}")
            process = self.start(words, place)
            wait_until(lambda: (place / "run" / "chain-1.checkpoint").exists(), process)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, err)
            self.assertRegex(err, r"interrupted after \d+ of 1500 iterations. To continue: sgmcmc resume run\n$")
            self.assertEqual(self.record(place)["status"], "interrupted")
            self.assertTrue(json.loads(out)["interrupted"])
            self.assertTrue((place / "run" / ("topics.txt" if name == "lda" else "clusters.txt")).exists())
            # Nothing that the run depends on may change.
            run, kept = place / "run", {path: path.read_bytes() for path in (place / "run").iterdir()}
            for file in ("texts.txt", "stop.txt") if name == "lda" else ("texts.txt",):
                text = (place / file).read_text()
                (place / file).write_text(text + "and aword1 more\n")
                _, err = self.run_program(["resume", "run"], place, status=2)
                self.assertIn(f"'{file}' has changed", err)
                (place / file).write_text(text)
            record = json.loads(kept[run / "run.json"])
            for key in ("beta", "iterations"):
                (run / "run.json").write_text(json.dumps(record | {"options": record["options"] | {key: 7}}))
                _, err = self.run_program(["resume", "run"], place, status=2)
                self.assertIn(f"{key} was {record['options'][key]} and is 7", err)
            (run / "run.json").write_bytes(kept[run / "run.json"])
            _, err = self.run_program(["resume", "run", "--iterations", "4000"], place, status=2)
            self.assertIn("neither be extended nor cut", err)
            _, err = self.run_program(["resume", "run", "--all"], place, status=2)
            self.assertIn(f"a run of {name} has no such option", err)
            self.assertEqual(kept, {path: path.read_bytes() for path in run.iterdir()}, "nothing was touched")
            out, _ = self.run_program(["resume", "run", "--json"], place)
            self.assertEqual(self.document_outputs(place, out), reference)
            _, err = self.run_program(["resume", "run"], place)
            self.assertIn("is finished: all 1500 iterations were made\n", err)

    def test_InterruptedInALongTrajectory_EndsSoon(self):
        place = self.place("trajectory")
        process = self.start(self.sample_words("nuts", "--step-size 1e-9 --adapt false --max-tree-depth 24"), place)
        wait_until(lambda: (place / "run" / "chain-2.csv").exists(), process)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertLess(time.monotonic() - begin, 10)

    def test_InterruptedInAFolderWithABlank_SaysWhatWasMadeAndHowToGoOn(self):
        place = self.place("blank")
        words = self.sample_words("sgld-cv", "--step-size 1e-4 --iterations 100000000 --thin 1000")
        words[words.index("run")] = "my first's"
        words.remove("--json")
        process = self.start(words, place)
        wait_until(lambda: (place / "my first's" / "chain-1.checkpoint").exists(), process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("To continue: sgmcmc resume 'my first'\\''s'\n", err)
        made = sorted(set(json.loads((place / "my first's" / "run.json").read_text())["draws"]))
        self.assertIn(f"2 chains of {' to '.join(map(str, made))} of 100000 draws", " ".join(out.split()))

    def test_Extended_IsTheLongerRun(self):
        for method in ("sgld-cv", "nuts"):
            options = METHODS[method].split()
            longer = str(2 * int(options[options.index("--iterations") + 1]))
            place = self.place(f"reference-{method}")
            reference_out, _ = self.run_program(self.sample_words(method, METHODS[method]) + ["--iterations", longer],
                                                place)
            reference = self.outputs(place)
            place = self.place(f"extended-{method}")
            self.run_program(self.sample_words(method, METHODS[method]), place)
            _, err = self.run_program(["resume", "run"], place)
            self.assertIn("is finished", err)
            _, err = self.run_program(["resume", "run", "--iterations", "10"], place, status=2)
            self.assertIn("not cut", err)
            out, _ = self.run_program(["resume", "run", "--json", "--iterations", longer], place)
            self.assert_same(place, out, reference, reference_out, method)

    def interrupted_run(self, name):
        place = self.place(name)
        process = self.start(self.sample_words("sgld-cv", "--step-size 1e-4 --iterations 1000000 --thin 100"), place)
        wait_until(lambda: (place / "run" / "chain-1.checkpoint").exists(), process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        return place

    def test_Changed_IsRefusedAndSaidWhat(self):
        place = self.interrupted_run("changed")
        run = place / "run"
        before = {path.name: path.read_bytes() for path in run.iterdir()}

        def refused(*expected):
            _, err = self.run_program(["resume", "run"], place, status=2)
            for words in expected:
                self.assertIn(words, err)

        for file in ("model.stan", "data.json"):
            text = (place / file).read_text()
            (place / file).write_text(text.replace("0, 5", "0, 6") + " ")
            refused("cannot be continued", file, "has changed")
            (place / file).write_text(text)
        record = json.loads(before["run.json"])
        record["options"]["step_size"] = 2e-4
        (run / "run.json").write_text(json.dumps(record))
        refused("cannot be continued", "step_size was 0.0001 and is 0.0002")
        (run / "run.json").write_bytes(before["run.json"])
        _, err = self.run_program(["resume", "run", "--step-size", "1e-3"], place, status=2)
        self.assertIn("keeps its options", err)
        self.assertEqual(before, {path.name: path.read_bytes() for path in run.iterdir()}, "nothing was touched")
        for damage in (lambda b: b[:-9], lambda b: b[:60] + bytes([b[60] ^ 1]) + b[61:], lambda b: b""):
            (run / "chain-1.checkpoint").write_bytes(damage(before["chain-1.checkpoint"]))
            _, err = self.run_program(["resume", "run"], place, status=1)
            self.assertIn("chain-1.checkpoint' is damaged", err)
            self.assertTrue(err.endswith("start it again\n"), err)
            self.assertEqual(self.record(place)["status"], "failed")
        for path in run.iterdir():
            path.write_bytes(before[path.name].replace(b"sgmcmc checkpoint 2", b"sgmcmc checkpoint 1"))
        _, err = self.run_program(["resume", "run"], place, status=1)
        self.assertTrue(err.endswith("was written by another version of the program; resume the run with that\n"), err)
        self.assertEqual((run / "run.json").read_bytes(), before["run.json"], "nothing was touched")
        _, err = self.run_program(["resume", "nowhere"], place, status=2)
        self.assertIn("no folder", err)

    def test_ResumedWhileItRuns_IsRefused(self):
        place = self.place("twice")
        process = self.start(self.sample_words("sgld-cv", "--step-size 1e-4 --iterations 100000000 --thin 1000"), place)
        wait_until(lambda: (place / "run" / "chain-1.csv").exists(), process)
        _, err = self.run_program(["resume", "run"], place, status=1)
        self.assertIn("another run", err)
        process.kill()
        process.communicate()

    def check_stopped_by_disk(self, err, place):
        """The message is correct: every draw that it reports as saved is in the files."""
        self.assertEqual(err.count("sgmcmc:"), 1, err)
        self.assertIn("sgmcmc resume run", err)
        saved = re.findall(r"chain (\d+) up to iteration (\d+)", err)
        self.assertGreater(len(saved), 0, err)
        for chain, iteration in saved:
            lines = (place / "run" / f"chain-{chain}.csv").read_text().splitlines(keepends=True)
            whole = [line for line in lines if line.endswith("\n") and not line.startswith("#")]
            waiting = 200  # iterations whose draws are still in the checkpoint, until it is known that they are good
            warmup = 2000  # at most, by what these methods need to settle
            self.assertGreaterEqual(len(whole) - 1, (int(iteration) - warmup - waiting) // 2)  # --thin 2

    def test_FileThatMayNotGrow_StopsCleanlyAndResumes(self):
        words = self.sample_words("sgld-cv", METHODS["sgld-cv"])
        place = self.place("reference")
        reference_out, _ = self.run_program(words, place)
        reference = self.outputs(place)
        place = self.place("limited")
        _, err = self.run_program(
            words, place, status=1, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000)))
        self.check_stopped_by_disk(err, place)
        self.assert_same(place, self.finish(place), reference, reference_out, "after a file that might not grow")

    def mounted(self, place, options):
        """A small disk at place/run, or a reason to skip."""
        (place / "run").mkdir()
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place / "run")], capture_output=True)
        if made.returncode != 0:
            self.skipTest("mounting a small disk is not allowed here: " + made.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", "-l", str(place / "run")], capture_output=True)

    def test_FullDisk_StopsCleanlyAndResumes(self):
        words = self.sample_words("sgld-cv", METHODS["sgld-cv"])
        place = self.place("full")
        self.mounted(place, "size=2m")
        _, err = self.run_program(words, place, status=1)
        self.check_stopped_by_disk(err, place)
        _, err = self.run_program(["resume", "run"], place, status=1)  # still full
        self.check_stopped_by_disk(err, place)
        subprocess.run(["mount", "-o", "remount,size=100m", str(place / "run")], check=True)
        out = self.finish(place)
        found = self.outputs(place)
        place = self.place("reference")
        reference_out, _ = self.run_program(words, place)
        self.assertTrue(found == self.outputs(place))
        self.assertEqual(summary_without_clock(out), summary_without_clock(reference_out))

    def test_DiskThatBecomesReadOnly_LosesNothing(self):
        place = self.place("readonly")
        self.mounted(place, "size=100m")
        words = self.sample_words("sgld-cv", "--step-size 1e-4 --iterations 300000 --thin 100")
        process = self.start(words, place)
        wait_until(lambda: (place / "run" / "chain-2.checkpoint").exists(), process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        before = {path.name: path.read_bytes() for path in (place / "run").iterdir()}
        subprocess.run(["mount", "-o", "remount,ro", str(place / "run")], check=True)
        _, err = self.run_program(["resume", "run"], place, status=1)
        self.assertIn("Read-only file system", err)
        self.assertEqual(before, {path.name: path.read_bytes() for path in (place / "run").iterdir()})
        subprocess.run(["mount", "-o", "remount,rw", str(place / "run")], check=True)
        self.finish(place)
        self.outputs(place)

    def test_FolderThatCannotBeMade_IsSaidBeforeTheRun(self):
        place = self.place("nowhere")
        words = self.sample_words("sgld-cv", METHODS["sgld-cv"])
        words[words.index("run")] = "model.stan/run"
        _, err = self.run_program(words, place, status=1)
        self.assertIn("model.stan/run", err)
        self.assertEqual(err.count("sgmcmc:"), 1)

    def test_ReaderWhileItRuns_SeesWholeDraws(self):
        place = self.place("read")
        process = self.start(self.sample_words("sgld-cv", "--step-size 1e-4 --iterations 60000"), place)
        wait_until(lambda: (place / "run" / "chain-1.csv").exists(), process)
        looks, before = 0, 0
        while process.poll() is None:
            lines = (place / "run" / "chain-1.csv").read_text().split("\n")[:-1]  # what does not end is being written
            body = [line for line in lines if not line.startswith("#")]
            for line in body[1:]:
                self.assertEqual(line.count(","), body[0].count(","))
            self.assertGreaterEqual(len(body), before)
            before, looks = len(body), looks + 1
        process.communicate()
        self.assertGreater(looks, 1)

    def test_Memory_DoesNotGrowWithTheDraws(self):
        place = self.place("memory")

        def peak(iterations):  # kilobytes
            words = ["sample", "wide.stan", "--method", "sgld-full", "--step-size", "0.1", "--chains", "1", "--quiet",
                     "--threads", "1", "--zero-variance", "none", "--log-density", "never", "--diagnose", "none", "--iterations",
                     str(iterations)]
            pid = os.spawnv(os.P_NOWAIT, PROGRAM, [PROGRAM] + [*words[:1], str(place / "wide.stan"), *words[2:]])
            _, status, usage = os.wait4(pid, 0)
            self.assertEqual(status, 0)
            return usage.ru_maxrss

        small, large = peak(10_000), peak(400_000)  # 3 and 134 megabytes of draws
        self.assertLess(large - small, 20_000)


def ends_within(process, seconds):
    """Waits for the end of a process, up to a time limit; returns whether it has ended."""
    try:
        process.wait(timeout=seconds)
        return True
    except subprocess.TimeoutExpired:
        return False


def wait_until(condition, process, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end or ends_within(process, 0.005):
            raise AssertionError("it did not come to that: " + (process.communicate()[1] if process.poll() else ""))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    arguments = sys.argv[2:]
    if arguments and arguments[0].isdigit():
        KILLS = int(arguments.pop(0))
    unittest.main(argv=[sys.argv[0]] + arguments)
