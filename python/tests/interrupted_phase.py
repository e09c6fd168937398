"""Ctrl-C in one phase of the work: python interrupted_phase.py PHASE prints how it ended and how many seconds after the signal."""

import os
import pathlib
import signal
import sys
import tempfile
import threading
import time
import warnings

import numpy as np

import sgmcmc as sg
from sgmcmc import _posterior  # which lists the runs in progress

# Rows with special functions: a pass over all takes about a tenth of a second.
ROWS = """
data { int N; int K; matrix[N, K] X; vector[N] y; }
parameters { vector[K] beta; }
model {
  beta ~ normal(0, 1);
  target += gamma_lcdf(y | 2.5, exp(X * beta)) + gamma_lccdf(2 * y | 2.5, exp(X * beta));
}
"""
# A curved valley (Rosenbrock's function), along which searches need tens of thousands of steps.
VALLEY = """
data { int D; }
parameters { vector[D] x; }
model { target += -100 * sum(square(tail(x, D - 1) - square(head(x, D - 1)))) - sum(square(1 - head(x, D - 1))); }
"""
LOOP = "transformed data { real sum = 0; for (i in 1:190000000) sum += i; } parameters { real a; } model { a ~ normal(sum, 1); }"
VALUES = "data { int N; vector[N] v; } parameters { real a; } model { v ~ normal(a, 1); }"


def model_of_rows(rows=50_000, columns=100):
    random = np.random.default_rng(1)
    x = random.normal(size=(rows, columns)) / 10
    return sg.StanModel(code=ROWS).bind({"X": x, "y": random.gamma(2.0, 1.0, size=rows)})


class Interruption:
    """Sends the signal a moment after begun() becomes true, and records when."""

    def __init__(self, begun):
        self.sent = None
        self.thread = threading.Thread(target=self.send, args=(begun,), daemon=True)
        self.thread.start()

    def send(self, begun):
        while not begun():
            time.sleep(0.005)
        time.sleep(0.3)
        self.sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)


def in_phase(phase, least_share=0.0):
    """True once a run is in the phase and has done that share of its iterations."""
    return lambda: any(now == phase and share >= least_share for now, share in (run.progress for run in list(_posterior._running)))


def after(seconds):
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def slow_file(folder):
    """A table that arrives slowly, as from a failing disk: the file is a pipe."""
    path = pathlib.Path(folder) / "values.csv"
    os.mkfifo(path)

    def write():
        try:
            with open(path, "w", buffering=1) as file:
                file.write("v\n")
                while True:
                    file.write("1.5\n" * 20_000)
                    time.sleep(0.01)
        except BrokenPipeError:
            pass

    threading.Thread(target=write, daemon=True).start()
    return path


def work_of(phase, folder):
    """The work to do, and a function that says whether the phase has begun."""
    if phase == "reading":
        path = slow_file(folder)
        return lambda: sg.StanModel(code=VALUES).bind(files=[path]), after(0)
    if phase == "binding":
        return lambda: sg.StanModel(code=LOOP).bind(), after(0)
    if phase in ("optimize", "mode search"):
        valley = sg.StanModel(code=VALLEY).bind({"D": 50_000})
        if phase == "optimize":
            return lambda: valley.optimize(iterations=10**6), after(0)
        return lambda: valley.sample(method="laplace"), in_phase("sampling")
    # Curvature takes a pass over the rows for each column.
    model = model_of_rows(columns=400) if phase in ("curvature", "laplace") else model_of_rows()
    quick = dict(method="sgld-cv", step_size=1e-6, batch_size=10, warmup=0, thin=10, chains=2)
    if phase == "diagnose":
        fit = model.sample(iterations=2000, diagnose="none", **quick)
        return lambda: fit.diagnose(gradients="full"), after(0)
    return {
        "tuning": (lambda: model.sample(tune_seconds=1000), in_phase("tuning")),
        "sampling": (lambda: model.sample(iterations=10**6, **quick), in_phase("sampling", 1e-4)),
        "judging": (lambda: model.sample(iterations=2000, diagnose="full", **quick), in_phase("judging")),
        "curvature": (lambda: model.sample(method="laplace"), after(0.7)),
        "laplace": (lambda: model.laplace(), after(0.7)),
        "adam": (lambda: model.optimize(method="adam", iterations=10**9), after(0)),
        "sgd": (lambda: model.optimize(method="sgd", step_size=1e-9, iterations=10**9), after(0)),
        "chain": (lambda: sg.sghmc(model, estimator="cv", step_size="auto", tune_seconds=1000), after(0)),
    }[phase]


def main(phase):
    with tempfile.TemporaryDirectory() as folder:
        work, begun = work_of(phase, folder)
        interruption = Interruption(begun)
        try:
            found = work()
            end = f"interrupted={found.interrupted} draws={found.draws.shape[1]}" if isinstance(found, sg.Fit) else "complete"
        except KeyboardInterrupt:
            end = "KeyboardInterrupt"
        seconds = time.monotonic() - interruption.sent if interruption.sent else -1
        print(f"{end} after {seconds:.2f} s", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start programs in the background with Ctrl-C ignored
    main(sys.argv[1])
