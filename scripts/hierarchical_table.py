#!/usr/bin/env python3
"""Runs the default command on Gaussian random-intercept models and compares its draws with the exact posterior.

    scripts/hierarchical_table.py --program build/sgmcmc [--quick] [--only NAME,...] [--write docs/hierarchical.md]

The model is y[i] ~ normal(theta[g[i]], sigma), theta[j] ~ normal(mu, tau), mu ~ normal(0, 2), tau ~ cauchy(0, 1) and, where
sigma is unknown, sigma ~ cauchy(0, 5). Given tau and sigma the rest is Gaussian in closed form, so a grid over log tau and
log sigma gives exact means and sds. Data are simulated from fixed seeds, with the rows in random order.

A row of the table passes if
  - the means of mu, tau and sigma, and the median group mean, are at most 0.15 exact sds off;
  - the sds of mu, tau and sigma, and the median group sd, are within 10 % of the exact ones;
  - the worst group sd is within 25 %.
Groups are compared where the run wrote draws of theta (or of z in non-centred models), at most 300 evenly chosen ones.

The whole table passes if every row does, the median of |sd ratio - 1| is at most 4 %, the verdict of sgmcmc is 'trust' for at
least 9 in 10 of the rows that pass, and for no row where a mean is more than 0.3 sd or an sd more than 20 % off (of groups: the
median). The exit status is then 0, otherwise 1.

Needs NumPy: apt-get install python3-numpy, or python3 -m pip install numpy in a virtual environment.
"""
import argparse
import dataclasses
import json
import math
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

try:
    import numpy
except ImportError:
    sys.exit("hierarchical_table: NumPy is missing: apt-get install python3-numpy, or python3 -m pip install numpy")

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- hierarchical table -->", "<!-- end -->"
SAMPLE_ARGUMENTS = []  # of every `sgmcmc sample`, after model, data, folder and seed; --sample-arguments adds to them
DIAGNOSE_ARGUMENTS = []
MEAN_LIMIT, SD_LIMIT, WORST_GROUP_LIMIT, MEDIAN_LIMIT, TRUST_LIMIT = 0.15, 0.10, 0.25, 0.04, 0.9
WRONG_MEAN, WRONG_SD = 0.3, 0.2  # beyond these the verdict must not be 'trust'
MOST_GROUPS = 300
MOST_JSON_ROWS = 20_000  # larger data are written as NPY
QUICK_GROUPS, QUICK_ROWS = 200, 40_000

MODEL = """data {{
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> g;
  vector[N] y;
{data}}}
parameters {{
  real mu;
  real<lower=0> tau;
{parameters}}}
{transformed}model {{
  mu ~ normal(0, 2);
  tau ~ cauchy(0, 1);
{prior}  y ~ normal(theta[g], sigma);
}}
"""


@dataclasses.dataclass(frozen=True)
class Setting:
    """One row of the table: true values, sizes, and how the model is written."""
    groups: int
    rows: int
    tau: float
    sigma: float
    known: bool = True  # sigma is data
    centred: bool = True
    ragged: bool = False  # group sizes from 3 to 500, about rows / groups on average

    @property
    def name(self):
        return (f"J{self.groups}-n{round(self.rows / self.groups)}-tau{self.tau:g}" + "-ragged" * self.ragged +
                "-sigma" * (not self.known) + "-nc" * (not self.centred))

    def stan(self):
        data = "  real<lower=0> sigma;\n" if self.known else ""
        parameters = "" if self.known else "  real<lower=0> sigma;\n"
        prior = "" if self.known else "  sigma ~ cauchy(0, 5);\n"
        if self.centred:
            parameters, transformed, prior = parameters + "  vector[J] theta;\n", "", prior + "  theta ~ normal(mu, tau);\n"
        else:
            parameters, prior = parameters + "  vector[J] z;\n", prior + "  z ~ std_normal();\n"
            transformed = "transformed parameters {\n  vector[J] theta = mu + tau * z;\n}\n"
        return MODEL.format(data=data, parameters=parameters, transformed=transformed, prior=prior)

    def simulate(self):
        """Group of each row, from 0, and y."""
        random = numpy.random.default_rng(zlib.crc32(self.name.encode()))
        if self.ragged:
            mean = self.rows / self.groups
            sizes = numpy.minimum(500, 3 + random.gamma(0.5, 2 * (mean - 3), self.groups).astype(int))
        else:
            sizes = numpy.full(self.groups, self.rows // self.groups)
            sizes[:self.rows % self.groups] += 1
        group = random.permutation(numpy.repeat(numpy.arange(self.groups), sizes))
        theta = random.normal(1.0, self.tau, self.groups)
        return group, theta[group] + self.sigma * random.standard_normal(len(group))

    def write(self, folder, group, y):
        """Writes model and data; returns the arguments that name them."""
        model = folder / "model.stan"
        model.write_text(self.stan())
        numbers = {"N": len(y), "J": self.groups} | ({"sigma": self.sigma} if self.known else {})
        arguments = [str(model), "--data", str(folder / "data.json")]
        if len(y) <= MOST_JSON_ROWS:
            numbers |= {"g": (group + 1).tolist(), "y": y.tolist()}
        else:
            for name, values in (("g", (group + 1).astype(numpy.int32)), ("y", y)):
                numpy.save(folder / f"{name}.npy", values)
                arguments += ["--data", f"{name}={folder / name}.npy"]
        (folder / "data.json").write_text(json.dumps(numbers))
        return arguments


# Groups, rows, tau, sigma. True tau is 0.02 to 5 times sigma / sqrt(rows per group), the standard error of a group's mean.
SETTINGS = [
    Setting(20, 60, 0.6, 1),
    Setting(20, 200, 1.6, 1, known=False),
    Setting(20, 1_000, 0.006, 2, centred=False),
    Setting(20, 2_000, 0.3, 2, known=False, ragged=True),
    Setting(20, 10_000, 0.22, 5, known=False, centred=False),
    Setting(20, 10_000, 0.2, 1),
    Setting(200, 600, 0.6, 1, known=False),
    Setting(200, 600, 0.06, 1, centred=False),
    Setting(200, 6_000, 0.4, 2, known=False, centred=False, ragged=True),
    Setting(200, 20_000, 0.1, 5),
    Setting(200, 20_000, 0.1, 5, known=False, centred=False),
    Setting(200, 40_000, 0.5, 5, centred=False),
    Setting(200, 40_000, 0.5, 5, known=False),
    Setting(200, 100_000, 1.1, 5, known=False),
    Setting(900, 9_000, 0.006, 1, centred=False),
    Setting(900, 9_000, 1.5, 1, known=False),
    Setting(900, 50_000, 0.3, 5),
    Setting(900, 50_000, 0.3, 5, known=False, centred=False),
    Setting(900, 90_000, 0.3, 3, ragged=True),
    Setting(900, 450_000, 0.2, 10, known=False),
    Setting(2_000, 60_000, 0.15, 10),
    Setting(3_000, 9_000, 0.6, 1),
    Setting(3_000, 60_000, 0.1, 2, known=False, centred=False),
    Setting(3_000, 90_000, 0.02, 5, known=False, centred=False),
    Setting(3_000, 150_000, 0.3, 2, centred=False, ragged=True),
    Setting(3_000, 300_000, 0.5, 5, known=False),
    Setting(3_000, 1_500_000, 2.2, 10),
    Setting(20_000, 60_000, 2.9, 1, known=False),
    Setting(20_000, 200_000, 0.5, 2),
    Setting(20_000, 200_000, 0.5, 2, known=False, centred=False),
    Setting(20_000, 400_000, 0.2, 2, ragged=True),
    Setting(20_000, 1_000_000, 0.4, 3, known=False),
    Setting(20_000, 2_000_000, 0.05, 5, centred=False),
    Setting(200_000, 600_000, 0.6, 1),
    Setting(200_000, 1_000_000, 0.05, 1, centred=False),
    Setting(200_000, 1_200_000, 1, 2, known=False, centred=False, ragged=True),
    Setting(200_000, 2_000_000, 0.3, 2, known=False),
]


class ExactPosterior:
    """Posterior moments by quadrature over log tau and, where sigma is unknown, log sigma."""
    depth = 25  # the grid covers all points whose log density is at most this far below the maximum
    tolerance = 2e-4  # of means and sds, in sds, when every second point of the grid is left out

    def __init__(self, group, y, groups, sigma=None):
        self.sigma = sigma
        self.size = numpy.bincount(group, minlength=groups).astype(float)
        self.centre = float(y.mean())  # deviations from it lose no digits
        self.mean = numpy.bincount(group, y - self.centre, groups) / self.size
        self.within = float(numpy.sum((y - self.centre - self.mean[group]) ** 2))
        self.freedom = len(y) - groups
        # All groups of one size enter the density through their number, sum and sum of squares of means.
        self.classes = [(size, numpy.sum(self.size == size), numpy.sum(self.mean[self.size == size]),
                         numpy.sum(self.mean[self.size == size] ** 2)) for size in numpy.unique(self.size)]
        low, high = self.bounds()
        count = 1025 if sigma is not None else 129
        while True:
            self.evaluate(low, high, count)
            halved = [weighted_moments(x[::2, ::2], self.weight[::2, ::2], v[::2, ::2]) for x, v in self.hyper.values()]
            self.moments = {name: weighted_moments(x, self.weight, v) for name, (x, v) in self.hyper.items()}
            self.error = max(max(abs(a[0] - b[0]), abs(a[1] - b[1])) / b[1] for a, b in zip(halved, self.moments.values()))
            if self.error < self.tolerance:
                break
            count = 2 * count - 1
            if count > 5000:
                raise RuntimeError(f"quadrature does not converge: {self.error:.1e} sd")

    def conditional(self, log_tau, log_sigma):
        """Log posterior density of log tau and log sigma, and mean (relative to the centre) and variance of mu given both."""
        tau2, sigma2 = numpy.exp(2 * log_tau), numpy.exp(2 * log_sigma)
        precision, linear, square = 0.25, -0.25 * self.centre, 0.25 * self.centre ** 2  # prior of mu
        log_density = log_tau - numpy.log1p(tau2)
        if self.sigma is None:
            log_density = log_density + log_sigma - numpy.log1p(sigma2 / 25)
            log_density = log_density - self.freedom * log_sigma - 0.5 * self.within / sigma2
        for size, number, total, squares in self.classes:
            variance = tau2 + sigma2 / size
            log_density = log_density - 0.5 * number * numpy.log(variance)
            precision, linear, square = precision + number / variance, linear + total / variance, square + squares / variance
        log_density = log_density - 0.5 * (square - linear ** 2 / precision + numpy.log(precision))
        return log_density, linear / precision, 1 / precision

    def bounds(self):
        """A box of log tau and log sigma with all posterior mass, found by iteratively refined coarse grids."""
        tau_scale = math.log(float(numpy.std(self.mean)) + 1e-300)
        low, high = [tau_scale - 30, 0.0], [tau_scale + 5, 0.0]
        if self.sigma is None:
            scale = 0.5 * math.log(self.within / self.freedom)
            low[1], high[1] = scale - 3, scale + 3
        else:
            low[1] = high[1] = math.log(self.sigma)
        points, margin = 33, 3
        for _ in range(100):
            density = self.conditional(*axes(low, high, points))[0]
            near = numpy.argwhere(density > density.max() - self.depth)
            fits = True
            for axis in range(2):
                if low[axis] == high[axis]:
                    continue
                first, last = near[:, axis].min(), near[:, axis].max()
                fits = fits and first > 0 and last < points - 1 and last - first > points // 2
                cell = (high[axis] - low[axis]) / (points - 1)
                low[axis], high[axis] = low[axis] + (first - margin) * cell, low[axis] + (last + margin) * cell
            if fits:
                return low, high
        raise RuntimeError("quadrature finds no bounds")

    def evaluate(self, low, high, count):
        log_tau, log_sigma = axes(low, high, count)
        density, mean, variance = self.conditional(log_tau, log_sigma)
        self.weight = numpy.exp(density - density.max())
        self.weight /= self.weight.sum()
        self.tau, self.sigma_grid = (numpy.broadcast_to(numpy.exp(x), density.shape) for x in (log_tau, log_sigma))
        self.mu, self.mu_variance = mean, variance
        nothing = numpy.zeros(density.shape)
        self.hyper = {"mu": (mean + self.centre, variance), "tau": (self.tau, nothing)}
        if self.sigma is None:
            self.hyper["sigma"] = self.sigma_grid, nothing

    def group_moments(self, chosen):
        """Means and sds of theta for the groups chosen."""
        keep = self.weight > 1e-14 * self.weight.max()
        weight, mu, mu_variance = self.weight[keep], self.mu[keep], self.mu_variance[keep]
        tau2, sigma2 = self.tau[keep] ** 2, self.sigma_grid[keep] ** 2
        found = []
        for j in chosen:
            error2 = sigma2 / self.size[j]
            shrink = error2 / (tau2 + error2)
            mean = (1 - shrink) * self.mean[j] + shrink * mu
            found.append(weighted_moments(mean + self.centre, weight, (1 - shrink) * error2 + shrink ** 2 * mu_variance))
        return numpy.array(found).T


def axes(low, high, count):
    """Columns of log tau and rows of log sigma; one point for known sigma."""
    return (numpy.linspace(low[0], high[0], count)[:, None],
            numpy.linspace(low[1], high[1], count if high[1] > low[1] else 1)[None, :])


def weighted_moments(means, weight, variances=0.0):
    """Mean and sd of a mixture."""
    weight = weight / weight.sum()
    mean = float((weight * means).sum())
    return mean, math.sqrt(float((weight * ((means - mean) ** 2 + variances)).sum()))


def evenly(values, most):
    if len(values) <= most:
        return list(values)
    return [values[k * (len(values) - 1) // (most - 1)] for k in range(most)]


def chosen_columns(names):
    """The columns to read: mu, tau and sigma, and those of at most MOST_GROUPS groups, theta or else z."""
    local = next(([name for name in names if name.startswith(start)] for start in ("theta.", "z.")
                  if any(name.startswith(start) for name in names)), [])
    return [name for name in names if name in ("mu", "tau", "sigma")] + evenly(local, MOST_GROUPS)


def draws_of(folder):
    """Draws by column name, with chains concatenated, and their weights."""
    values, weights, columns = [], [], []
    for path in sorted(folder.glob("chain-*.csv")):
        with open(path) as file:
            lines = (line.rstrip("\n").split(",") for line in file if not line.startswith("#"))
            header = next(lines, [])
            columns = chosen_columns(header)
            places = [header.index(name) for name in columns]
            weight = header.index("weight__") if "weight__" in header else None
            for cells in lines:  # thousands of columns: only those needed become numbers
                values.append([float(cells[k]) for k in places])
                weights.append(1.0 if weight is None else float(cells[weight]))
    if not values:
        raise RuntimeError("no draws were written")
    if not numpy.isfinite(values).all():
        raise RuntimeError("some draws are not finite")
    return dict(zip(columns, numpy.array(values).T)), numpy.array(weights)


def moments_of(folder):
    """Means and sds of the draws: of mu, tau and sigma by name, and of theta by group, from 0."""
    draws, weights = draws_of(folder)
    single, groups = {}, {}
    for name, values in draws.items():
        variable, _, index = name.partition(".")
        if variable == "z":
            values = draws["mu"] + draws["tau"] * values
        if index:
            groups[int(index) - 1] = weighted_moments(values, weights)
        else:
            single[name] = weighted_moments(values, weights)
    return single, groups


def call(words, seconds):
    """Standard output of a program; RuntimeError with its first line of error otherwise."""
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{words[1]} ran longer than {seconds:g} s") from None
    if done.returncode not in (0, 3, 4):  # 3 and 4: the verdict on a run that was completed
        raise RuntimeError((done.stderr.strip().splitlines() or [f"{words[1]} ended with status {done.returncode}"])[0])
    return done.stdout


def verdict_of(options, name, folder, record):
    """The verdict the run itself recorded, otherwise that of sgmcmc diagnose; '-' where there is none."""
    verdict = record.get("verdict")
    if verdict is None:
        try:
            found = call([options.program, "diagnose", folder, "--json", *DIAGNOSE_ARGUMENTS], options.limit)
            verdict = json.loads(found)["verdict"]
        except RuntimeError as error:
            print(f"hierarchical_table: {name}: no verdict: {error}", file=sys.stderr)
            return "-"
    return verdict["trust"] if isinstance(verdict, dict) else str(verdict)


@dataclasses.dataclass
class Result:
    """A row of the table. Missing numbers are None, and '-' in the table."""
    name: str
    rows: str
    method: str
    mean_off: list  # of mu, tau, sigma, in exact sds
    sd_ratio: list
    groups: list  # mean off (median), sd ratio (median, worst)
    seconds: str
    verdict: str
    passes: bool

    head = ["| row | rows | method | mean off, in sds: mu | tau | sigma | sd ratio: mu | tau | sigma | "
            "groups: mean off, median | sd ratio, median | worst | seconds | verdict | passes |", "|---" * 15 + "|"]

    def line(self):
        numbers = ([cell(x, "+.2f") for x in self.mean_off] + [cell(x, ".3f") for x in self.sd_ratio] +
                   [cell(self.groups[0], ".2f")] + [cell(x, ".3f") for x in self.groups[1:]])
        return "| " + " | ".join([self.name, self.rows, self.method, *numbers, self.seconds, self.verdict,
                                  "yes" if self.passes else "**no**"]) + " |"

    @classmethod
    def from_line(cls, line):
        cells = [text.strip() for text in line.strip().strip("|").split("|")]
        numbers = [None if text == "-" else float(text) for text in cells[3:12]]
        return cls(*cells[:3], numbers[:3], numbers[3:6], numbers[6:], cells[12], cells[13], cells[14] == "yes")

    def failed_run(self):
        return self.mean_off[0] is None

    def within(self, mean_limit, sd_limit):
        if self.failed_run():
            return False
        means = [x for x in [*self.mean_off, self.groups[0]] if x is not None]
        return all(abs(x) <= mean_limit for x in means) and all(abs(x - 1) <= sd_limit for x in self.sd_ratios())

    def sd_ratios(self):
        return [x for x in [*self.sd_ratio, self.groups[1]] if x is not None]


def cell(number, how):
    if number is None:
        return "-"
    return format(number, how) if abs(number) < 1000 else f"{number:.1e}"


def run(options, setting, folder):
    """Simulates, samples and compares one row."""
    group, y = setting.simulate()
    arguments = setting.write(folder, group, y)
    exact = ExactPosterior(group, y, setting.groups, setting.sigma if setting.known else None)
    result = Result(setting.name, f"{len(y):,}", "", [None] * 3, [None] * 3, [None] * 3, "-", "-", False)
    out = folder / "run"
    try:
        start = time.time()
        call([options.program, "sample", *arguments, "--out", out, "--seed", options.seed, "--overwrite", "--quiet",
              *SAMPLE_ARGUMENTS, *shlex.split(options.sample_arguments)], options.limit)
        result.seconds = f"{time.time() - start:.1f}"
        record = json.loads((out / "run.json").read_text())
        result.method = f"`{record['options']['method']}`"
        drawn, drawn_groups = moments_of(out)
        if missing := exact.moments.keys() - drawn.keys():
            raise RuntimeError(f"no draws of {', '.join(sorted(missing))}")
    except RuntimeError as error:
        print(f"hierarchical_table: {setting.name}: {error}", file=sys.stderr)
        result.method = "failed: " + str(error).split(". ")[0].replace("|", "/")[:100]
        return result
    for k, (name, (mean, sd)) in enumerate(exact.moments.items()):
        result.mean_off[k], result.sd_ratio[k] = (drawn[name][0] - mean) / sd, drawn[name][1] / sd
    if drawn_groups:
        mean, sd = exact.group_moments(list(drawn_groups))
        found_mean, found_sd = numpy.array(list(drawn_groups.values())).T
        ratio = found_sd / sd
        result.groups = [float(numpy.median(abs(found_mean - mean) / sd)), float(numpy.median(ratio)),
                         float(ratio[numpy.argmax(abs(ratio - 1))])]
    result.verdict = verdict_of(options, setting.name, out, record)
    worst = result.groups[2]
    result.passes = result.within(MEAN_LIMIT, SD_LIMIT) and (worst is None or abs(worst - 1) <= WORST_GROUP_LIMIT)
    return result


def summary(results):
    """The text below the table, and whether the table passes."""
    passing = [r for r in results if r.passes]
    trusted = [r for r in passing if r.verdict == "trust"]
    misled = [r.name for r in results if r.verdict == "trust" and not r.within(WRONG_MEAN, WRONG_SD)]
    ratios = [abs(ratio - 1) for r in results for ratio in r.sd_ratios()]
    median = statistics.median(ratios) if ratios else math.inf
    text = [f"{len(passing)} of {len(results)} rows pass. Median of |sd ratio − 1|: {100 * median:.1f} % "
            f"(limit {100 * MEDIAN_LIMIT:.0f} %).",
            f"The verdict is `trust` for {len(trusted)} of the {len(passing)} rows that pass (at least "
            f"{10 * TRUST_LIMIT:.0f} in 10), and for {len(misled)} rows with a mean more than {WRONG_MEAN:g} sd or an sd "
            f"more than {100 * WRONG_SD:.0f} % off (limit 0)" + (f": {', '.join(misled)}." if misled else ".")]
    good = (len(passing) == len(results) and median <= MEDIAN_LIMIT and not misled and
            len(trusted) >= TRUST_LIMIT * len(passing))
    return " ".join(text), good


def kept_results(page):
    """Rows of the table in the page, by name, and the text before and after the table."""
    text = page.read_text() if page.exists() else ""
    if text.count(BEGIN) != 1 or END not in text.split(BEGIN)[1]:
        sys.exit(f"hierarchical_table: {page} has no lines '{BEGIN}' and '{END}' to write between")
    before, rest = text.split(BEGIN)
    old, after = rest.split(END, 1)
    found = [Result.from_line(line) for line in old.splitlines() if line.startswith("| J")]
    return {result.name: result for result in found}, before, after


def chosen_settings(options):
    settings = SETTINGS
    if options.quick:
        settings = [s for s in settings if s.groups <= QUICK_GROUPS and s.rows <= QUICK_ROWS]
    if options.only:
        words = options.only.split(",")
        exact = {s.name for s in SETTINGS} & set(words)
        settings = [s for s in settings if s.name in exact or any(w in s.name for w in words if w not in exact)]
    if not settings:
        sys.exit("hierarchical_table: no row matches; there are " + ", ".join(s.name for s in SETTINGS))
    return settings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "sgmcmc"))
    parser.add_argument("--only", help="names or parts of names of rows, separated by commas")
    parser.add_argument("--quick", action="store_true", help=f"at most {QUICK_GROUPS} groups and {QUICK_ROWS:,} rows")
    parser.add_argument("--list", action="store_true", help="print names and exact posteriors only; nothing is sampled")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="put the rows into the table of this page, "
                        "which keeps its other rows")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep models, data and draws there")
    parser.add_argument("--seed", type=int, default=1, help="of the sampler; the data do not depend on it")
    parser.add_argument("--limit", type=float, default=900, metavar="SECONDS", help="a row fails when it takes longer")
    parser.add_argument("--sample-arguments", default="", metavar="TEXT", help="more arguments of sgmcmc sample")
    options = parser.parse_args()
    settings = chosen_settings(options)
    if options.list:
        for setting in settings:
            group, y = setting.simulate()
            exact = ExactPosterior(group, y, setting.groups, setting.sigma if setting.known else None)
            print(f"{setting.name}, {len(y):,} rows: " + ", ".join(f"{name} {mean:.5g} ± {sd:.3g}"
                                                                for name, (mean, sd) in exact.moments.items()), flush=True)
        return 0
    kept, before, after = kept_results(options.write) if options.write else ({}, "", "")
    print("\n".join(Result.head), flush=True)
    made = {}
    with tempfile.TemporaryDirectory() as scratch:
        for setting in settings:
            folder = (options.keep or pathlib.Path(scratch)).resolve() / setting.name
            folder.mkdir(parents=True, exist_ok=True)
            made[setting.name] = run(options, setting, folder)
            print(made[setting.name].line(), flush=True)
            if not options.keep:
                shutil.rmtree(folder)
    results = [result for result in (made.get(s.name, kept.get(s.name)) for s in SETTINGS) if result]
    text, good = summary(results)
    print("\n" + text)
    if options.write:
        lines = [*Result.head, *(result.line() for result in results), "", text]
        options.write.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
