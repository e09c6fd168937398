#!/usr/bin/env python3
"""Time of a Gibbs sweep of matrix factorisation on one core, and the error after some: ours beside SMURFF and myFM, where installed.

usage: factors.py SGMCMC [RATINGS] [--factors 10,20,32] [--sweeps 60] [--turns 2]; run with the Python that has smurff and myfm.

RATINGS has a user, an item and a rating on each line, separated by commas; default: about as many as in MovieLens 1M are simulated. All get the same tenth of the ratings to predict. SMURFF's
model has no biases, myFM's has; ours is run both ways. Times are those of the best turn, each the mean over its sweeps without
evaluations (SMURFF's sweeps include its prediction of the test ratings). Errors are of averages over the last three quarters.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["TQDM_DISABLE"] = "1"

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse


def simulated(users=6000, items=3700, factors=8):
    """Users and items have from a few to thousands of ratings, as in MovieLens."""
    random = np.random.default_rng(2)
    share = np.minimum(1, 45 / np.outer(1 + 0.008 * np.arange(users), 10 + np.arange(items) ** 1.1))
    pairs = np.argwhere(random.random((users, items)) < 45 * share / (45 * share).mean() * 0.045)
    u, v = random.normal(size=(users, factors)), random.normal(size=(items, factors))
    mean = 3.5 + 0.25 * np.einsum("ij,ij->i", u[pairs[:, 0]], v[pairs[:, 1]])
    return np.column_stack([pairs, np.clip(np.round(mean + 0.85 * random.normal(size=len(pairs))), 1, 5)]).astype(float)


def ours(program, folder, factors, sweeps, more):
    words = [program, "factorize", folder / "train.csv", "--test", folder / "test.csv", "--factors", str(factors), "--iterations", str(sweeps),
             "--warmup", "0.25", "--threads", "1", "--draws", "1", "--json", *more]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    report = json.loads(done.stdout)
    return 1e3 * report["sampling_seconds"] / report["iterations"], report["rmse"]


def smurff(train, test, shape, factors, sweeps):
    import smurff
    mean = train[:, 2].mean()
    matrix = lambda rows: scipy.sparse.coo_matrix((rows[:, 2] - mean, (rows[:, 0].astype(int), rows[:, 1].astype(int))), shape=shape)
    burnin = sweeps // 4
    with tempfile.TemporaryDirectory() as folder:
        session = smurff.TrainSession(priors=["normal", "normal"], num_latent=factors, burnin=burnin, nsamples=sweeps - burnin, seed=1,
                                      num_threads=1, verbose=0, save_freq=0, save_name=str(pathlib.Path(folder) / "run.hdf5"))
        session.addTrainAndTest(matrix(train), matrix(test), smurff.AdaptiveNoise(1.0, 10.0))
        session.init()
        start = time.perf_counter()
        while session.step():
            pass
        return 1e3 * (time.perf_counter() - start) / sweeps, session.getRmseAvg()


def myfm(train, test, shape, factors, sweeps):
    import myfm
    users, items = shape

    def one_hot(rows):
        count = len(rows)
        columns = np.column_stack([rows[:, 0], users + rows[:, 1]]).astype(int).ravel()
        return scipy.sparse.csr_matrix((np.ones(2 * count), columns, np.arange(0, 2 * count + 1, 2)), shape=(count, users + items))

    times = []

    def watch(*_):
        times.append(time.perf_counter())
        return False, ""

    model = myfm.MyFMGibbsRegressor(rank=factors, random_seed=1)
    model.fit(one_hot(train), train[:, 2], n_iter=sweeps, n_kept_samples=sweeps - sweeps // 4, group_shapes=[users, items], callback=watch)
    error = model.predict(one_hot(test)) - test[:, 2]
    return 1e3 * (times[-1] - times[0]) / (len(times) - 1), float(np.sqrt(np.mean(error**2)))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[2][7:])
    parser.add_argument("program")
    parser.add_argument("ratings", nargs="?")
    parser.add_argument("--factors", default="10,20,32")
    parser.add_argument("--sweeps", type=int, default=60)
    parser.add_argument("--turns", type=int, default=2)
    options = parser.parse_args()
    ratings = np.loadtxt(options.ratings, delimiter=",", usecols=(0, 1, 2)) if options.ratings else simulated()
    for side in (0, 1):
        ratings[:, side] = np.unique(ratings[:, side], return_inverse=True)[1]
    shape = tuple(int(n) + 1 for n in ratings[:, :2].max(axis=0))
    held_out = np.random.default_rng(1).random(len(ratings)) < 0.1
    train, test = ratings[~held_out], ratings[held_out]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.savetxt(folder / "train.csv", train, fmt=("%d", "%d", "%g"), delimiter=",")
        np.savetxt(folder / "test.csv", test, fmt=("%d", "%d", "%g"), delimiter=",")
        print("factors  peer      its ms a sweep  ours   ours/its  its rmse   ours")
        for factors in map(int, options.factors.split(",")):
            for peer, measure, more in (("SMURFF", smurff, ["--no-biases"]), ("myFM", myfm, [])):
                theirs, mine = [], []
                try:
                    for _ in range(options.turns):
                        mine.append(ours(options.program, folder, factors, options.sweeps, more))
                        theirs.append(measure(train, test, shape, factors, options.sweeps))
                except ImportError:
                    print(f"{factors:7}  {peer:8}  not installed")
                    continue
                (its, its_rmse), (own, own_rmse) = min(theirs), min(mine)
                print(f"{factors:7}  {peer:8}  {its:14.1f}  {own:5.1f}  {own / its:8.2f}  {its_rmse:8.4f}  {own_rmse:6.4f}", flush=True)


if __name__ == "__main__":
    main()
