"""The program under mpirun: the same files for every number of ranks, faults, and messages.

    test_mpirun.py PROGRAM [KILLS [TEST ...]]      KILLS: how many times a rank is killed in all; default 2

Skipped (77) where mpirun is not installed.
"""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""
KILLS = 2
RANKS = (2, 3)

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
  y ~ student_t(4, X * beta, sigma);
}
generated quantities {
  real fresh = normal_rng(beta[1], sigma);
}
"""

GROUPS = """data {
  int<lower=0> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> g;
  vector[N] y;
}
parameters {
  vector[J] a;
  real mu;
  real<lower=0> tau;
}
model {
  mu ~ normal(0, 3);
  tau ~ normal(0, 2);
  a ~ normal(mu, tau);
  y ~ normal(a[g], 1);
}
"""

METHODS = {
    "sgld": "--method sgld --step-size 1e-4 --iterations 3000 --thin 2",
    "sglm-cv": "--method sglm-cv --iterations 3000",
    "nuts": "--method nuts --iterations 300 --warmup 200",
    "auto": "--iterations 1500",
}
# Every step is a message there and back.
METHODS_OF_ROWS = {
    "sgld": "--method sgld --step-size 1e-4 --iterations 200",
    "sglm-cv": "--method sglm-cv --iterations 200 --step-size 0.05",
    "nuts": "--method nuts --iterations 20 --warmup 20 --max-tree-depth 4",
}


def data_text(count, seed):
    chance = random.Random(seed)
    rows = [[round(chance.gauss(0, 1), 4) for _ in range(3)] for _ in range(count)]
    y = [row[0] - 0.5 * row[1] + 0.3 * chance.gauss(0, 1) for row in rows]
    return json.dumps({"N": len(y), "X": rows, "y": y})


def groups_text(groups, each, seed):
    chance = random.Random(seed)
    g = [j + 1 for j in range(groups) for _ in range(each)]
    means = [chance.gauss(1, 0.7) for _ in range(groups)]
    y = [round(means[j - 1] + chance.gauss(0, 1), 4) for j in g]
    return json.dumps({"N": len(y), "J": groups, "g": g, "y": y})


def ratings_text(users, items, seed):
    chance = random.Random(seed)
    u, v = ([[chance.gauss(0, 1) for _ in range(2)] for _ in range(count)] for count in (users, items))
    return "".join(f"{i},{j},{3 + u[i][0] * v[j][0] + u[i][1] + v[j][1] + 0.5 * chance.gauss(0, 1):.3f}\n"
                   for i in range(users) for j in range(items) if chance.random() < 0.3)


def documents_text(documents, seed):
    chance = random.Random(seed)
    return "".join(" ".join(f"word{'abcdefgh'[k % 4]}{'abcdefghijklmnopqrst'[chance.randrange(20)]}" for _ in range(5 + k % 60)) +
                   "\n" for k in range(documents))


TOPICS = {
    "scir": "--method scir --iterations 60",
    "keeping": "--method scir --iterations 60 --keep-assignments",
    "sgld-cv": "--method sgld-cv --iterations 60",
}

FACTORISATIONS = {
    "gibbs": "--method gibbs --iterations 20 --recommend 3",
    "hamcmc": "--method hamcmc --iterations 60",
    "sgld": "--method sgld --iterations 60",
    "sghmc": "--method sghmc --blocks 6 --iterations 60",
    "features": "--iterations 20 --user-features features.csv --item-features features.csv",
}


def environment():
    own = dict(os.environ)
    own.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                "OMPI_MCA_plm_rsh_agent": "false"})
    return own


def contents(folder):
    """All that a run writes, without what depends on the clock."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.suffix == ".checkpoint":  # hold the time that the run took
            continue
        data = path.read_bytes()
        if path.suffix == ".csv":
            data = re.sub(rb"#  Elapsed Time: .*\n", b"", data)
        if path.name in ("trace.csv", "perplexity.csv"):  # the last column is a time
            data = re.sub(rb",[^,\n]*\n", b"\n", data)
        if path.name == "run.json":
            record = json.loads(data)
            for key in ("seconds", "times", "folder", "token_updates_per_second"):
                record.pop(key, None)
            record.get("tuning", {}).pop("seconds", None)
            record["options"].pop("shard_rows", None)
            data = json.dumps(record, indent=1).encode()
        found[path.name] = data
    return found


def ranks_of(mpirun):
    """The processes that mpirun has started: number of the process by rank."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            variables = dict(part.split(b"=", 1) for part in (entry / "environ").read_bytes().split(b"\0") if b"=" in part)
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if parent == mpirun and b"OMPI_COMM_WORLD_RANK" in variables:
            found[int(variables[b"OMPI_COMM_WORLD_RANK"])] = int(entry.name)
    return found


class MpirunTest(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "model.stan").write_text(MODEL)
        (self.folder / "groups.stan").write_text(GROUPS)
        (self.folder / "data.json").write_text(data_text(2000, 1))
        (self.folder / "groups.json").write_text(groups_text(60, 8, 2))
        (self.folder / "ratings.csv").write_text(ratings_text(300, 200, 3))
        chance = random.Random(4)
        (self.folder / "features.csv").write_text("".join(f"{i},{chance.random():.3f},{i % 2}\n" for i in range(300)))
        (self.folder / "documents.txt").write_text(documents_text(200, 4))

    def place(self, name):
        """A folder of its own for a run, so that all runs have the same names in it."""
        path = self.folder / name
        path.mkdir()
        for file in ("model.stan", "data.json", "groups.stan", "groups.json", "ratings.csv", "features.csv", "documents.txt"):
            shutil.copy(self.folder / file, path / file)
        return path

    def words(self, ranks, *words):
        return (["mpirun", "-n", str(ranks)] if ranks else []) + [PROGRAM, *words]

    def run_program(self, place, ranks, *words, accepted=(0, 3, 4)):
        done = subprocess.run(self.words(ranks, *words), cwd=place, env=environment(), capture_output=True, text=True,
                              timeout=120)
        self.assertIn(done.returncode, accepted, done.stderr + done.stdout)
        return done

    def sample(self, name, ranks, options, model="model"):
        place = self.place(name)
        self.run_program(place, ranks, "sample", f"{model}.stan", "--data", f"{model if model != 'model' else 'data'}.json",
                         "--chains", "3", "--out", "run", "--quiet", *options.split())
        return contents(place / "run")

    def factorize(self, name, ranks, options):
        place = self.place(name)
        self.run_program(place, ranks, "factorize", "ratings.csv", "--factors", "4", "--out", "run", "--quiet", "--shards",
                         "64", *options.split())
        return contents(place / "run")

    def assert_same(self, expected, found):
        self.assertEqual(list(expected), list(found))
        for name, data in expected.items():
            if name == "run.json":
                self.assertEqual(data.decode(), found[name].decode())
            self.assertTrue(data == found[name], f"{name} differs")

    def test_ChainsOverRanks_WriteTheFilesOfASerialRun(self):
        for method, options in METHODS.items():
            serial = self.sample(f"{method}-serial", 0, options)
            for ranks in RANKS:
                with self.subTest(method=method, ranks=ranks):
                    self.assert_same(serial, self.sample(f"{method}-{ranks}", ranks, options))

    def parts(self, name, ranks, *words):
        place = self.place(name)
        self.run_program(place, ranks, "sample", "model.stan", "--data", "data.json", "--method", "nuts", "--iterations", "200", "--warmup",
                         "100", "--chains", "2", "--subposterior", "all/5", "--out", "run", "--quiet", *words)
        return [contents(place / f"run/part-{part}") for part in range(1, 6)]

    def test_PartsOverRanks_WriteTheFilesOfASerialRun(self):
        serial = self.parts("parts-serial", 0)
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                for expected, found in zip(serial, self.parts(f"parts-{ranks}", ranks)):
                    self.assert_same(expected, found)
        place = self.folder / f"parts-{RANKS[-1]}"  # what is finished is not sampled again, what is missing is
        kept = (place / "run/part-1/chain-1.csv").stat().st_mtime_ns
        shutil.rmtree(place / "run/part-3")
        self.run_program(place, RANKS[-1], "sample", "model.stan", "--data", "data.json", "--method", "nuts", "--iterations", "200", "--warmup",
                         "100", "--chains", "2", "--subposterior", "all/5", "--out", "run", "--quiet")
        self.assertEqual((place / "run/part-1/chain-1.csv").stat().st_mtime_ns, kept)
        self.assert_same(serial[2], contents(place / "run/part-3"))

    PARTS = ["sample", "model.stan", "--data", "data.json", "--method", "sgld", "--step-size", "1e-4", "--iterations", "100000", "--thin",
             "500", "--chains", "1", "--threads", "1", "--checkpoint-every", "0.05", "--diagnose", "none", "--subposterior", "all/6", "--out", "run"]

    def interrupt_parts(self, place, *words):
        """Starts six parts on two ranks, and interrupts them when each rank samples its first."""
        times = lambda: {path: path.stat().st_mtime_ns for path in place.glob("run/part-[12]/chain-1.checkpoint")}
        before = times()
        process = self.start_long(place, 2, [*self.PARTS, *words])
        until = time.monotonic() + 60
        while len(set(times().items()) - set(before.items())) < 2:
            self.assertIsNone(process.poll(), "the run ended before two parts were being sampled")
            self.assertLess(time.monotonic(), until)
            time.sleep(0.005)
        os.kill(ranks_of(process.pid)[0], signal.SIGINT)
        return process.communicate(timeout=60)

    def test_PartsOverRanksThatAreInterrupted_GoOn(self):
        place = self.place("interrupted-parts")
        shown, errors = self.interrupt_parts(place)
        self.assertIn("sgmcmc: interrupted; to continue, give the same command again\n", errors)
        self.assertNotIn("is not here", errors)
        begun = [path.parent.name for path in place.glob("run/part-*/run.json")]
        self.assertLess(len(begun), 6)
        self.assertEqual(sorted(re.findall(r"(\d)/6 ", shown)), sorted(name[-1] for name in begun))
        self.run_program(place, 3, *self.PARTS)
        serial = self.place("interrupted-parts-serial")
        self.run_program(serial, 0, *self.PARTS)
        for part in range(1, 7):
            self.assert_same(contents(serial / f"run/part-{part}"), contents(place / f"run/part-{part}"))
        shown, errors = self.interrupt_parts(place, "--overwrite")  # over finished parts
        self.assertIn("to continue, give the same command again without --overwrite", errors)
        self.assertNotIn("is not here", errors)
        self.assertNotIn("6/6", shown)
        self.assertFalse((place / "run/part-6/run.json").exists())

    def test_WarningsAndFailuresOfPartsOnOtherRanks_AreTold(self):
        place = self.place("failing-parts")
        (place / "positive.stan").write_text("data { int N; matrix[N, 3] X; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 1); "
                                             "for (n in 1:N) target += log(X[n, 1] * exp(mu)) - 0.5 * square(y[n] - mu); }")
        data = json.loads((place / "data.json").read_text())
        for row in data["X"]:
            row[0] = 1.0
        words = ["sample", "positive.stan", "--data", "data.json", "--method", "nuts", "--iterations", "50", "--subposterior", "all/2", "--out",
                 "run", "--overwrite"]
        wanted = None
        for row in range(8):  # until one is in part 2, which rank 1 samples
            data["X"][row][0] = -1.0
            (place / "data.json").write_text(json.dumps(data))
            errors = self.run_program(place, 2, *words, accepted=(1,)).stderr
            wanted = re.search(r"sgmcmc: part (\d)/2 failed; it is in 'run/part-\1': .*no starting point found", " ".join(errors.split()))
            self.assertIsNotNone(wanted, errors)
            data["X"][row][0] = 1.0
            if wanted[1] == "2":
                break
        self.assertEqual(wanted[1], "2")
        (place / "data.json").write_text(json.dumps(data))
        (place / "run/part-2/report.html/mine").mkdir(parents=True, exist_ok=True)
        errors = self.run_program(place, 2, *words, "--report").stderr
        self.assertIn("part 2/2: cannot write the report", errors)

    def test_PartsThatAreNotForRanks_AreRefused(self):
        place = self.place("refused-parts")
        for words, message in ((["--subposterior", "2/5"], "a single part runs in one process"),
                               (["--subposterior", "all/5", "--shard-rows"], "ranks share parts")):
            done = self.run_program(place, 2, "sample", "model.stan", "--data", "data.json", "--out", "run", *words, accepted=(2,))
            self.assertIn(message, done.stderr)

    def test_RowsOverRanks_WriteTheFilesOfASerialRunWithTheSameShards(self):
        for method, options in METHODS_OF_ROWS.items():
            serial = self.sample(f"rows-{method}-serial", 0, options + " --shards 64")
            for ranks in RANKS:
                with self.subTest(method=method, ranks=ranks):
                    self.assert_same(serial, self.sample(f"rows-{method}-{ranks}", ranks,
                                                         options + " --shards 64 --shard-rows"))

    def test_RowFileOverRanks_IsReadByShares(self):
        place = self.place("row-file")
        self.run_program(place, 0, "pack", "model.stan", "--data", "data.json", "--out", "data.sgr", "--quiet")
        (self.folder / "data.sgr").write_bytes((place / "data.sgr").read_bytes())

        def sample(name, more):
            own = self.place(name)
            shutil.copy(self.folder / "data.sgr", own / "data.sgr")
            options = f"{METHODS_OF_ROWS['nuts']} --shards 16 {more}"
            return own, ["sample", "model.stan", "--data", "data.sgr", "--out", "run", "--quiet", *options.split()]

        place, words = sample("row-file-serial", "")
        self.run_program(place, 0, *words)
        serial = contents(place / "run")
        for ranks in RANKS:
            place, words = sample(f"row-file-{ranks}", "--shard-rows")
            self.run_program(place, ranks, *words)
            self.assert_same(serial, contents(place / "run"))

    def test_HierarchicalModel_WritesTheFilesOfASerialRun(self):
        options = "--method marginal-nuts --iterations 30 --warmup 30 --max-tree-depth 4"
        serial = self.sample("groups-serial", 0, options, "groups")
        for ranks in RANKS:
            self.assert_same(serial, self.sample(f"groups-{ranks}", ranks, options, "groups"))
        options += " --shards 64"
        serial = self.sample("group-rows-serial", 0, options, "groups")
        for ranks in RANKS:
            self.assert_same(serial, self.sample(f"group-rows-{ranks}", ranks, options + " --shard-rows", "groups"))

    def test_Factorisation_WritesTheFilesOfASerialRun(self):
        for method, options in FACTORISATIONS.items():
            serial = self.factorize(f"factors-{method}-serial", 0, options)
            self.assertIn("user_factors.npy", serial)
            for ranks in RANKS:
                with self.subTest(method=method, ranks=ranks):
                    self.assert_same(serial, self.factorize(f"factors-{method}-{ranks}", ranks, options))

    def test_Topics_WriteTheFilesOfASerialRun(self):
        for method, options in TOPICS.items():
            words = ["lda", "documents.txt", "--topics", "5", "--batch-size", "40", "--out", "run", "--quiet", *options.split()]
            found = {}
            for ranks in (0, *RANKS):
                place = self.place(f"topics-{method}-{ranks}")
                self.run_program(place, ranks, *words)
                found[ranks] = contents(place / "run")
                self.assertIn("topics.npy", found[ranks])
                with self.subTest(method=method, ranks=ranks):
                    self.assert_same(found[0], found[ranks])

    def test_FactorisationOrTopicsWhoseRankIsKilled_AreResumedWithTheSameBytes(self):
        chance = random.Random(6)
        runs = {"gibbs": "factorize ratings.csv --factors 4 --method gibbs --iterations 1200",
                "hamcmc": "factorize ratings.csv --factors 4 --method hamcmc --iterations 800",
                "sghmc": "factorize ratings.csv --factors 4 --method sghmc --blocks 6 --iterations 1000",
                "scir": "lda documents.txt --topics 5 --method scir --iterations 2500 --batch-size 40"}
        serial = {}
        hit = 0
        for kill in range(KILLS):
            method = list(runs)[kill % len(runs)]
            words = [*runs[method].split(), "--out", "run", "--quiet", "--checkpoint-every", "0.05"]
            if method not in serial:
                place = self.place(f"killed-serial-{method}")
                self.run_program(place, 0, *words)
                serial[method] = contents(place / "run")
            place = self.place(f"killed-{method}-{kill}")
            ranks = chance.choice((2, 3))
            process = self.start_long(place, ranks, words)
            processes = self.wait_for_ranks(process, ranks, place)
            time.sleep(chance.random())
            victim = chance.randrange(ranks)
            try:
                os.kill(processes[victim], signal.SIGKILL)
            except ProcessLookupError:
                process.communicate(timeout=60)
                continue  # it was done already
            start = time.monotonic()
            errors = self.assert_ends(process, processes)
            seconds = time.monotonic() - start
            self.assertRegex(errors, rf"rank {victim}\b")
            hit += 1
            again = chance.choice([other for other in (0, 1, 2, 3, 4) if other != ranks])
            self.run_program(place, again, "resume", "run", "--quiet")
            self.assert_same(serial[method], contents(place / "run"))
            if KILLS > 2:
                print(f"kill {hit}: {method}, rank {victim} of {ranks}, ended after {seconds:.1f} s, resumed on "
                      f"{again or 'one process'}", flush=True)
        self.assertGreaterEqual(2 * hit, KILLS, "most runs were done before a rank was killed")

    def test_Shards_ChangeTheLastDigitsOnly(self):  # or the tests of rows over ranks would find nothing
        plain = self.sample("plain", 0, METHODS["nuts"])
        cut = self.sample("cut", 0, METHODS["nuts"] + " --shards 16")
        self.assertNotEqual(plain["chain-1.csv"], cut["chain-1.csv"])

    def test_WithoutFolder_PrintsTheSummaryOfASerialRun(self):
        words = ("sample", "model.stan", "--data", "data.json", "--json", *METHODS["sgld"].split())
        place = self.place("memory")
        results = []
        for ranks in (0, 2):
            found = json.loads(self.run_program(place, ranks, *words).stdout)
            for row in found["parameters"]:
                row.pop("atuc", None)
            found.pop("seconds")
            results.append(found)
        self.assertEqual(*results)

    LONG = "--method sgld --step-size 1e-4 --iterations 400000 --thin 500 --checkpoint-every 0.05"

    def start_long(self, place, ranks, words):
        process = subprocess.Popen(self.words(ranks, *words), cwd=place, env=environment(), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def wait_for_ranks(self, process, ranks, place):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            found = ranks_of(process.pid)
            if len(found) == ranks and len(list((place / "run").glob("*.checkpoint"))) > 1:
                return found
            if process.poll() is not None:
                self.fail(process.stderr.read())
            time.sleep(0.01)
        self.fail("the ranks did not start")

    def assert_ends(self, process, processes, limit=10):
        start = time.monotonic()
        _, errors = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - start, limit, errors)
        self.assertNotEqual(process.returncode, 0)
        until = time.monotonic() + 5
        while any(os.path.exists(f"/proc/{number}") for number in processes.values()) and time.monotonic() < until:
            time.sleep(0.05)
        for rank, number in processes.items():
            self.assertFalse(os.path.exists(f"/proc/{number}"), f"rank {rank} is left over")
        return errors

    def test_RankThatIsKilled_EndsTheJob_AndTheRunIsResumedWithTheSameBytes(self):
        rows = " --shards 16 --shard-rows"
        nuts = "--method nuts --iterations 3000 --warmup 300 --checkpoint-every 0.05"
        runs = {"sgld": ("model", self.LONG),
                "sgld, shared rows": ("model", self.LONG + rows + " --iterations 12000 --thin 60"),
                "nuts": ("model", nuts),
                "nuts, shared rows": ("model", nuts + rows + " --iterations 400 --warmup 50 --max-tree-depth 5"),
                "hierarchical": ("groups", "--method marginal-nuts --iterations 20000 --thin 10 --checkpoint-every 0.05")}
        serial = {}
        chance = random.Random(5)
        hit = 0
        for kill in range(KILLS):
            name = list(runs)[kill % len(runs)]
            model, options = runs[name]
            if name not in serial:
                serial[name] = self.sample(f"serial-{kill}", 0, options.replace("--shard-rows", ""), model)
            place = self.place(f"killed-{kill}")
            ranks = chance.choice((2, 3))
            process = self.start_long(place, ranks, ["sample", f"{model}.stan", "--data",
                                                     f"{model if model != 'model' else 'data'}.json", "--chains", "3", "--out",
                                                     "run", "--quiet", *options.split()])
            processes = self.wait_for_ranks(process, ranks, place)
            time.sleep(chance.random())
            victim = chance.randrange(ranks)
            try:
                os.kill(processes[victim], signal.SIGKILL)
            except ProcessLookupError:
                process.communicate(timeout=60)
                continue  # it was done already
            start = time.monotonic()
            errors = self.assert_ends(process, processes)
            seconds = time.monotonic() - start
            self.assertRegex(errors, rf"rank {victim}\b")
            if json.loads((place / "run" / "run.json").read_text())["status"] == "finished":
                continue  # all draws were made, and were being judged: resume has nothing to do
            hit += 1
            again = chance.choice([other for other in (0, 1, 2, 3, 4) if other != ranks])
            self.run_program(place, again, "resume", "run", "--quiet")
            self.assert_same(serial[name], contents(place / "run"))
            if KILLS > 2:
                print(f"kill {hit}: {name}, rank {victim} of {ranks}, ended after {seconds:.1f} s, resumed on "
                      f"{again or 'one process'}", flush=True)
        self.assertGreaterEqual(2 * hit, KILLS, "most runs were done before a rank was killed")

    def test_RankThatHangs_EndsTheJobWithAMessageThatNamesIt(self):
        for victim in (1, 0):
            place = self.place(f"hangs-{victim}")
            process = self.start_long(place, 2, ["sample", "model.stan", "--data", "data.json", "--chains", "3", "--out", "run",
                                                 "--quiet", *self.LONG.replace("60000", "60000000").split()])
            processes = self.wait_for_ranks(process, 2, place)
            os.kill(processes[victim], signal.SIGSTOP)
            errors = self.assert_ends(process, processes)
            said = [line for line in errors.splitlines() if line.startswith("sgmcmc:")]
            self.assertEqual(len(said), 1, errors)
            self.assertIn(f"rank {victim} (process {processes[victim]} on", said[0])
            self.assertIn("has not answered", said[0])

    def test_InterruptedRankZero_StopsTheOthersAndCanBeResumed(self):
        place = self.place("interrupted")
        process = self.start_long(place, 2, ["sample", "model.stan", "--data", "data.json", "--chains", "3", "--out", "run",
                                             "--quiet", *self.LONG.split()])
        processes = self.wait_for_ranks(process, 2, place)
        os.kill(processes[0], signal.SIGINT)
        errors = self.assert_ends(process, processes)
        self.assertIn("To continue: sgmcmc resume run", errors)
        self.run_program(place, 3, "resume", "run", "--quiet")
        self.assert_same(self.sample("interrupted-serial", 0, self.LONG), contents(place / "run"))

    def test_MistakesOfTheUser_AreToldOnce(self):
        place = self.place("mistakes")
        for words, status, text in (
                (["sample", "model.stan", "--data", "absent.json"], 1, "absent.json"),
                (["sample", "model.stan", "--data", "data.json", "--methd", "nuts"], 2, "--methd"),
                (["dpmix", "data.json"], 2, "start it without mpirun"),
                (["summary", "run"], 2, "start it without mpirun"),
                (["sample", "model.stan", "--data", "data.json", "--shards", "1", "--shard-rows"], 2, "--shards"),
        ):
            done = self.run_program(place, 2, *words, accepted=(status,))
            said = [line for line in done.stderr.splitlines() if text in line]
            self.assertEqual(len(said), 1, done.stderr)

    def test_OtherDataOnARank_AreNoticed(self):
        place = self.place("other")
        (place / "run.sh").write_text("#!/bin/sh\ncd $OMPI_COMM_WORLD_RANK && exec \"$@\"\n")
        for rank in ("0", "1"):
            (place / rank).mkdir()
            (place / rank / "data.json").write_text(data_text(500, int(rank)))
        for more in ([], ["--shard-rows"]):
            done = subprocess.run(["mpirun", "-n", "2", "sh", "run.sh", PROGRAM, "sample", str(place / "model.stan"), "--data",
                                   "/proc/self/cwd/data.json", "--chains", "2", *METHODS["sgld"].split(), *more], cwd=place,
                                  env=environment(), capture_output=True, text=True, timeout=60)
            self.assertNotIn(done.returncode, (0, 3, 4))
            self.assertRegex(done.stderr, r"sgmcmc: rank 1 \(process .* (has other data|computes another|another log)")

    def test_OtherRowFileOnARank_IsNoticed(self):  # one row of 2,000 differs; only 16 are read to compare other files
        place = self.place("other-rows")
        data = json.loads(data_text(2000, 1))
        (place / "run.sh").write_text("#!/bin/sh\ncd $OMPI_COMM_WORLD_RANK && exec \"$@\"\n")
        for rank in ("0", "1"):
            (place / rank).mkdir()
            data["y"][1234] += int(rank)
            (place / rank / "data.json").write_text(json.dumps(data))
            self.run_program(place / rank, 0, "pack", "../model.stan", "--data", "data.json", "--out", "data.sgr", "--quiet")
        done = subprocess.run(["mpirun", "-n", "2", "sh", "run.sh", PROGRAM, "sample", str(place / "model.stan"), "--data",
                               "/proc/self/cwd/data.sgr", "--chains", "2", *METHODS_OF_ROWS["sgld"].split(), "--shard-rows"],
                              cwd=place, env=environment(), capture_output=True, text=True, timeout=60)
        self.assertNotIn(done.returncode, (0, 3, 4))
        self.assertRegex(done.stderr, r"sgmcmc: rank 1 \(process .* has other data")

    def test_DiskOfRankZeroThatFills_EndsTheJob(self):  # while another rank is sending more than its channel holds
        place = self.place("full")
        (place / "run").mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(place / "run")], capture_output=True).returncode:
            self.skipTest("needs to mount a small disk")
        try:
            done = subprocess.run(self.words(2, "sample", "model.stan", "--data", "data.json", "--chains", "4", "--out", "run", "--quiet",
                                             *METHODS["sgld"].replace("3000 --thin 2", "30000").split()), cwd=place, env=environment(),
                                  capture_output=True, text=True, timeout=60)
        finally:
            subprocess.run(["umount", str(place / "run")], check=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("No space left on device", done.stderr)


def main():
    global PROGRAM, KILLS, RANKS
    if not shutil.which("mpirun"):
        print("test_mpirun: skipped, for mpirun is not installed (Debian: openmpi-bin)")
        sys.exit(77)
    PROGRAM = os.path.abspath(sys.argv[1])
    first = subprocess.run(["mpirun", "-n", "2", PROGRAM, "--version"], env=environment(), capture_output=True, text=True)
    if "built without MPI" in first.stderr:
        print("test_mpirun: skipped, for the program was built without MPI (Debian: libopenmpi-dev)")
        sys.exit(77)
    if len(sys.argv) > 2:
        KILLS = int(sys.argv[2])
        RANKS = (1, 2, 3, 4) if KILLS > 2 else (2,)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    main()
