#!/usr/bin/env python3
"""Runs the default command on hierarchical models of many kinds and compares its draws with a reference.

    scripts/hierarchical_models.py --references DIR [--program build/sgmcmc] [--quick] [--only NAME,...]
                                   [--write docs/hierarchical.md]

Data are simulated from fixed seeds, and models are written as users of Stan write them. The reference is a long run of NUTS
on a version that NUTS samples well: usually the non-centred one, or one whose group parameters are integrated out in closed
form. References are kept in --references and made again only when model or data change.

A model passes if
  - the means of the global parameters, and the median group mean, are at most 0.15 reference sds off;
  - their sds, and the median group sd, are within 10 %;
  - the worst group sd is within 25 %.
To the limits of a global parameter two standard errors of the difference are added, since both sides are estimates; the table
has the largest standard errors. Groups are compared at 300 evenly chosen elements of each group parameter.

The exit status is 0 if all models pass and the verdict of sgmcmc is 'trust' for none that is more than 0.3 sd or 20 % off.

Needs NumPy: apt-get install python3-numpy, or python3 -m pip install numpy in a virtual environment.
"""
import argparse
import dataclasses
import hashlib
import json
import math
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import typing
import zlib

try:
    import numpy
except ImportError:
    sys.exit("hierarchical_models: NumPy is missing: apt-get install python3-numpy, or python3 -m pip install numpy")

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- hierarchical models -->", "<!-- end of models -->"
REFERENCE_ARGUMENTS = "--method nuts --chains 4 --iterations 2000 --warmup 1000"
MEAN_LIMIT, SD_LIMIT, WORST_GROUP_LIMIT, ERRORS = 0.15, 0.10, 0.25, 2.0
WRONG_MEAN, WRONG_SD = 0.3, 0.2  # beyond these the verdict must not be 'trust'
MOST_GROUPS = 300
MOST_JSON_VALUES = 20_000  # larger arrays are written as NPY

MODELS = []


@dataclasses.dataclass(frozen=True)
class Case:
    """One row of the table."""
    name: str
    stan: str
    reference: str  # Stan code with the same names for what is compared; "" where it is the model itself
    simulate: typing.Callable  # of a random generator and `quick`; gives the data by name
    shared: str  # names of the global parameters that are compared
    groups: str = ""  # names of those with an element per group
    # If the reference has no draws of group parameters: from draws by name and data, conditional means and variances
    # (draws x groups) of each group parameter.
    conditional: typing.Callable = None

    def data(self, quick):
        return self.simulate(numpy.random.default_rng(zlib.crc32(self.name.split("/")[0].encode())), quick)


def model(name, simulate, stan, shared, groups="", reference="", conditional=None):
    MODELS.append(Case(name, stan, reference, simulate, shared, groups, conditional))


def logistic(x):
    return 1 / (1 + numpy.exp(-x))


def standard(random, *shape):
    return random.standard_normal(shape)


# ---- Mixed regressions -------------------------------------------------------------------------------------------------

def regression(groups, rows, quick_groups, quick_rows, outcome):
    """Three covariates x, group g of each row, and y, from the linear predictor without intercept by `outcome`."""
    def simulate(random, quick):
        n, j = (quick_rows, quick_groups) if quick else (rows, groups)
        x, g = standard(random, n, 3), random.integers(0, j, n)
        eta = x @ [0.8, -0.5, 0.0] + 0.7 * standard(random, j)[g]
        return {"N": n, "J": j, "g": g + 1, "x": x} | outcome(random, eta)
    return simulate


def regression_stan(outcome, prior, likelihood, extra="", centred=True, intercept="mu"):
    """A random intercept theta per group; `likelihood` uses eta."""
    mean = f"normal({intercept}, tau)"
    return f"""data {{
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> g;
  matrix[N, 3] x;
{outcome}}}
parameters {{
{"  real mu;" if intercept == "mu" else "  // The cutpoints take the place of a mean."}
  real<lower=0> tau;
  vector[3] beta;
{extra}  vector[J] {"theta" if centred else "z"};
}}
{"" if centred else f'''transformed parameters {{
  vector[J] theta = {intercept} + tau * z;
}}
'''}model {{
{"  mu ~ normal(0, 2);" if intercept == "mu" else ""}
  tau ~ normal(0, 1);
  beta ~ normal(0, 1);
{prior}  {f"theta ~ {mean}" if centred else "z ~ std_normal()"};
{likelihood}}}
"""


def regression_models(name, simulate, shared, *parts, **more):
    model(name, simulate, regression_stan(*parts, **more), shared, "theta",
          reference=regression_stan(*parts, centred=False, **more))


regression_models("logistic", regression(500, 10_000, 100, 2_000, lambda random, eta: {
    "y": (random.random(len(eta)) < logistic(eta - 0.5)).astype(int)}), "mu tau beta",
    "  array[N] int<lower=0, upper=1> y;\n", "", "  y ~ bernoulli_logit(theta[g] + x * beta);\n")


def graded(random, eta):
    noise = random.logistic(size=len(eta))
    return {"K": 5, "y": 1 + numpy.searchsorted([-1.5, -0.5, 0.5, 2.0], eta + noise)}


regression_models("negative-binomial", regression(400, 8_000, 80, 1_600, lambda random, eta: {
    "y": random.poisson(numpy.exp(eta + 0.5) * random.gamma(3.0, 1 / 3.0, len(eta)))}), "mu tau beta phi",
    "  array[N] int<lower=0> y;\n", "  phi ~ gamma(2, 0.5);\n", "  y ~ neg_binomial_2_log(theta[g] + x * beta, phi);\n",
    extra="  real<lower=0> phi;\n")
regression_models("ordinal", regression(300, 6_000, 60, 1_200, graded), "tau beta c",
                  "  int<lower=2> K;\n  array[N] int<lower=1, upper=K> y;\n", "  c ~ normal(0, 3);\n",
                  "  for (n in 1:N)\n    y[n] ~ ordered_logistic(theta[g[n]] + x[n] * beta, c);\n",
                  extra="  ordered[K - 1] c;\n", intercept="0")


# ---- Item response -----------------------------------------------------------------------------------------------------

def answers(discriminates):
    def simulate(random, quick):
        persons, items = (1_000, 20) if quick else (5_000, 40)
        theta = (1.0 if discriminates else 1.3) * standard(random, persons)
        b = numpy.linspace(-2, 2, items)
        a = numpy.exp(0.3 * standard(random, items)) if discriminates else numpy.ones(items)
        person, item = numpy.repeat(numpy.arange(persons), items), numpy.tile(numpy.arange(items), persons)
        y = random.random(len(person)) < logistic(a[item] * (theta[person] - b[item]))
        return {"I": items, "J": persons, "N": len(y), "ii": item + 1, "jj": person + 1, "y": y.astype(int)}
    return simulate


ANSWERS = """data {
  int<lower=1> I;
  int<lower=1> J;
  int<lower=1> N;
  array[N] int<lower=1, upper=I> ii;
  array[N] int<lower=1, upper=J> jj;
  array[N] int<lower=0, upper=1> y;
}
"""
ONE = ANSWERS + """parameters {
  vector[J] theta;
  vector[I] beta;
  real<lower=0> sigma;
}
model {
  theta ~ normal(0, sigma);
  beta ~ normal(0, 3);
  sigma ~ exponential(1);
  y ~ bernoulli_logit(theta[jj] - beta[ii]);
}
"""
model("item-response-1pl", answers(False), ONE, "beta sigma", "theta",
      reference=ONE.replace("vector[J] theta", "vector[J] z").replace("theta ~ normal(0, sigma)", "z ~ std_normal()")
      .replace("}\nmodel", "}\ntransformed parameters {\n  vector[J] theta = sigma * z;\n}\nmodel"))
model("item-response-2pl", answers(True), ANSWERS + """parameters {
  vector[J] theta;
  vector[I] beta;
  vector<lower=0>[I] alpha;
}
model {
  theta ~ std_normal();
  alpha ~ lognormal(0.5, 1);
  beta ~ normal(0, 3);
  y ~ bernoulli_logit(alpha[ii] .* (theta[jj] - beta[ii]));
}
""", "alpha beta", "theta")


# ---- Latent values of covariates ---------------------------------------------------------------------------------------

def measured(random, quick):
    n = 2_000 if quick else 20_000
    x = 1.0 + 1.5 * standard(random, n)
    return {"N": n, "x_obs": x + standard(random, n), "y": 0.5 + 0.8 * x + 0.7 * standard(random, n), "tau": 1.0}


def latent_given(draws, data):
    """x is Gaussian given the rest, from its prior and two measurements."""
    mu, sd, a, b, s = (draws[name][:, None] for name in ("mu_x", "sigma_x", "alpha", "beta", "sigma"))
    precision = 1 / sd ** 2 + 1 / data["tau"] ** 2 + b ** 2 / s ** 2
    mean = (mu / sd ** 2 + data["x_obs"] / data["tau"] ** 2 + b * (data["y"] - a) / s ** 2) / precision
    return {f"x.{k + 1}": (mean[:, k], (1 / precision)[:, 0]) for k in range(data["N"])}


MEASURED = """data {
  int<lower=1> N;
  vector[N] x_obs;
  real<lower=0> tau;
  vector[N] y;
}
parameters {
%s  real mu_x;
  real<lower=0> sigma_x;
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  mu_x ~ normal(0, 5);
  sigma_x ~ cauchy(0, 5);
  alpha ~ normal(0, 10);
  beta ~ normal(0, 10);
  sigma ~ cauchy(0, 5);
%s}
"""
model("measurement-error", measured, MEASURED % ("  vector[N] x;\n", """  x ~ normal(mu_x, sigma_x);
  x_obs ~ normal(x, tau);
  y ~ normal(alpha + beta * x, sigma);
"""), "mu_x sigma_x alpha beta sigma", "x", reference=MEASURED % ("", """  // x_obs, then y given it.
  {
    real total = square(sigma_x) + square(tau);
    real kept = square(sigma_x) / total;
    x_obs ~ normal(mu_x, sqrt(total));
    y ~ normal(alpha + beta * (mu_x + kept * (x_obs - mu_x)), sqrt(square(sigma) + square(beta * tau) * kept));
  }
"""), conditional=latent_given)


def gaps(random, quick):
    n, missing = (400, 60) if quick else (2_000, 300)
    x = 0.5 + 1.2 * standard(random, n)
    z = 0.5 * x + standard(random, n)
    at = random.permutation(n)
    return {"N_obs": n - missing, "N_mis": missing, "ii_obs": numpy.sort(at[missing:]) + 1,
            "ii_mis": numpy.sort(at[:missing]) + 1, "x_obs": x[numpy.sort(at[missing:])], "z": z,
            "y": 1 + 0.7 * x - 0.4 * z + 0.8 * standard(random, n)}


model("missing-covariate", gaps, """data {
  int<lower=0> N_obs;
  int<lower=0> N_mis;
  array[N_obs] int<lower=1, upper=N_obs + N_mis> ii_obs;
  array[N_mis] int<lower=1, upper=N_obs + N_mis> ii_mis;
  vector[N_obs] x_obs;
  vector[N_obs + N_mis] z;
  vector[N_obs + N_mis] y;
}
transformed data {
  int<lower=0> N = N_obs + N_mis;
}
parameters {
  vector[N_mis] x_mis;
  real mu_x;
  real<lower=0> sigma_x;
  real alpha;
  real beta;
  real gamma;
  real<lower=0> sigma;
}
transformed parameters {
  vector[N] x;
  x[ii_obs] = x_obs;
  x[ii_mis] = x_mis;
}
model {
  mu_x ~ normal(0, 5);
  sigma_x ~ normal(0, 5);
  alpha ~ normal(0, 5);
  beta ~ normal(0, 5);
  gamma ~ normal(0, 5);
  sigma ~ normal(0, 5);
  x ~ normal(mu_x, sigma_x);
  y ~ normal(alpha + beta * x + gamma * z, sigma);
}
""", "mu_x sigma_x alpha beta gamma sigma", "x_mis")


# ---- Slopes that vary --------------------------------------------------------------------------------------------------

def slopes(outcome, groups, rows):
    def simulate(random, quick):
        j, n = (groups // 5, rows // 5) if quick else (groups, rows)
        g, x = random.integers(0, j, n), standard(random, n)
        r = standard(random, j, 2) @ numpy.linalg.cholesky([[0.36, -0.09], [-0.09, 0.09]]).T
        return {"N": n, "J": j, "g": g + 1, "x": x} | outcome(random, 0.8 + r[g, 0] + (0.4 + r[g, 1]) * x)
    return simulate


SLOPES = """data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> g;
  vector[N] x;
  array[N] int<lower=0> y;
}
parameters {
  vector[2] b;
  vector<lower=0>[2] sd;
  cholesky_factor_corr[2] L;
%s}
%smodel {
  b ~ normal(0, 2);
  sd ~ normal(0, 1);
  L ~ lkj_corr_cholesky(2);
%s}
generated quantities {
  real rho = L[2, 1];
}
"""
SLOPES_NONCENTRED = SLOPES % ("  matrix[2, J] z;\n", """transformed parameters {
  matrix[J, 2] r = (diag_pre_multiply(sd, L) * z)';
}
""", """  to_vector(z) ~ std_normal();
  y ~ poisson_log(b[1] + r[g, 1] + (b[2] + r[g, 2]) .* x);
""")
counts = slopes(lambda random, eta: {"y": random.poisson(numpy.exp(eta))}, 400, 6_000)
model("poisson-slopes/non-centred", counts, SLOPES_NONCENTRED, "b sd rho", "r")
model("poisson-slopes/centred", counts, SLOPES % ("  array[J] vector[2] r;\n", "", """
  r ~ multi_normal_cholesky(rep_vector(0, 2), diag_pre_multiply(sd, L));
  for (n in 1:N)
    y[n] ~ poisson_log(b[1] + r[g[n], 1] + (b[2] + r[g[n], 2]) * x[n]);
"""), "b sd rho", "r", reference=SLOPES_NONCENTRED)


# ---- Two groupings -----------------------------------------------------------------------------------------------------

def crossed(random, quick):
    few, many, n = (20, 300, 3_000) if quick else (100, 3_000, 30_000)
    a, b = random.integers(0, few, n), random.integers(0, many, n)
    y = 1.0 + 0.6 * standard(random, few)[a] + 0.8 * standard(random, many)[b] + standard(random, n)
    return {"N": n, "A": few, "B": many, "a": a + 1, "b": b + 1, "y": y}


CROSSED = """data {
  int<lower=1> N;
  int<lower=1> A;
  int<lower=1> B;
  array[N] int<lower=1, upper=A> a;
  array[N] int<lower=1, upper=B> b;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> sigma_a;
  real<lower=0> sigma_b;
  real<lower=0> sigma;
  vector[A] alpha;
  vector[B] %s;
}
%smodel {
  mu ~ normal(0, 5);
  sigma_a ~ normal(0, 1);
  sigma_b ~ normal(0, 1);
  sigma ~ normal(0, 2);
  alpha ~ normal(0, sigma_a);
  %s;
  y ~ normal(mu + alpha[a] + gamma[b], sigma);
}
"""
model("crossed", crossed, CROSSED % ("gamma", "", "gamma ~ normal(0, sigma_b)"), "mu sigma_a sigma_b sigma", "alpha gamma",
      reference=CROSSED % ("z", "transformed parameters {\n  vector[B] gamma = sigma_b * z;\n}\n", "z ~ std_normal()"))


def nested(random, quick):
    schools, classes, n = (20, 100, 2_000) if quick else (50, 500, 10_000)
    school = numpy.sort(random.integers(0, schools, classes))
    group = random.integers(0, classes, n)
    x = standard(random, n)
    effect = (0.5 * standard(random, schools))[school] + 0.4 * standard(random, classes)
    return {"N": n, "S": schools, "C": classes, "school": school + 1, "class": group + 1, "pupil_school": school[group] + 1,
            "x": x, "y": 0.3 + effect[group] + 0.5 * x + standard(random, n)}


NESTED = """data {
  int<lower=1> N;
  int<lower=1> S;
  int<lower=1> C;
  array[C] int<lower=1, upper=S> school;
  array[N] int<lower=1, upper=C> class;
  array[N] int<lower=1, upper=S> pupil_school;
  vector[N] x;
  vector[N] y;
}
parameters {
  real mu;
  real beta;
  real<lower=0> sigma_s;
  real<lower=0> sigma_c;
  real<lower=0> sigma;
%s}
%smodel {
  mu ~ normal(0, 2);
  beta ~ normal(0, 1);
  sigma_s ~ normal(0, 1);
  sigma_c ~ normal(0, 1);
  sigma ~ normal(0, 2);
%s}
"""
NESTED_SHARED = "mu beta sigma_s sigma_c sigma"
model("nested/centred", nested, NESTED % ("  vector[S] u;\n  vector[C] v;\n", "", """  u ~ normal(mu, sigma_s);
  v ~ normal(u[school], sigma_c);
  y ~ normal(v[class] + beta * x, sigma);
"""), NESTED_SHARED, "u v", reference=NESTED % ("  vector[S] z_u;\n  vector[C] z_v;\n", """transformed parameters {
  vector[S] u = mu + sigma_s * z_u;
  vector[C] v = u[school] + sigma_c * z_v;
}
""", """  z_u ~ std_normal();
  z_v ~ std_normal();
  y ~ normal(v[class] + beta * x, sigma);
"""))
model("nested/sum", nested, NESTED % ("  vector[S] u;\n  vector[C] v;\n", "", """  u ~ normal(0, sigma_s);
  v ~ normal(0, sigma_c);
  y ~ normal(mu + u[pupil_school] + v[class] + beta * x, sigma);
"""), NESTED_SHARED, "u v", reference=NESTED % ("  vector[S] z_u;\n  vector[C] z_v;\n", """transformed parameters {
  vector[S] u = sigma_s * z_u;
  vector[C] v = sigma_c * z_v;
}
""", """  z_u ~ std_normal();
  z_v ~ std_normal();
  y ~ normal(mu + u[pupil_school] + v[class] + beta * x, sigma);
"""))


# ---- Models of the repository, and as brms writes them -----------------------------------------------------------------

RADON = (ROOT / "models" / "radon.stan").read_text()
model("radon", lambda random, quick: {name: value if numpy.isscalar(value) else numpy.array(value) for name, value in
                                      json.loads((ROOT / "models" / "radon.json").read_text()).items()},
      RADON, "beta mu_alpha sigma_alpha sigma_y", "alpha",
      reference=RADON.replace("vector[J] alpha", "vector[J] z")
      .replace("alpha ~ normal(mu_alpha, sigma_alpha)", "z ~ std_normal()")
      .replace("}\nmodel", "}\ntransformed parameters {\n  vector[J] alpha = mu_alpha + sigma_alpha * z;\n}\nmodel"))


def brms_slopes(random, quick):
    made = slopes(lambda random, eta: {"Y": eta + 0.8 * standard(random, len(eta))}, 200, 4_000)(random, quick)
    n = made["N"]
    return {"N": n, "Y": made["Y"], "K": 2, "Kc": 1, "X": numpy.column_stack([numpy.ones(n), made["x"]]), "N_1": made["J"],
            "M_1": 2, "J_1": made["g"], "Z_1_1": numpy.ones(n), "Z_1_2": made["x"], "NC_1": 1, "prior_only": 0}


model("brms-gaussian", brms_slopes, """// generated with brms 2.21.0
functions {
  /* compute correlated group-level effects
   * Args:
   *   z: matrix of unscaled group-level effects
   *   SD: vector of standard deviation parameters
   *   L: cholesky factor correlation matrix
   * Returns:
   *   matrix of scaled group-level effects
   */
  matrix scale_r_cor(matrix z, vector SD, matrix L) {
    // r is stored in another dimension order than z
    return transpose(diag_pre_multiply(SD, L) * z);
  }
}
data {
  int<lower=1> N;  // total number of observations
  vector[N] Y;  // response variable
  int<lower=1> K;  // number of population-level effects
  matrix[N, K] X;  // population-level design matrix
  int<lower=1> Kc;  // number of population-level effects after centering
  // data for group-level effects of ID 1
  int<lower=1> N_1;  // number of grouping levels
  int<lower=1> M_1;  // number of coefficients per level
  array[N] int<lower=1> J_1;  // grouping indicator per observation
  // group-level predictor values
  vector[N] Z_1_1;
  vector[N] Z_1_2;
  int<lower=1> NC_1;  // number of group-level correlations
  int prior_only;  // should the likelihood be ignored?
}
transformed data {
  matrix[N, Kc] Xc;  // centered version of X without an intercept
  vector[Kc] means_X;  // column means of X before centering
  for (i in 2:K) {
    means_X[i - 1] = mean(X[, i]);
    Xc[, i - 1] = X[, i] - means_X[i - 1];
  }
}
parameters {
  vector[Kc] b;  // regression coefficients
  real Intercept;  // temporary intercept for centered predictors
  real<lower=0> sigma;  // dispersion parameter
  vector<lower=0>[M_1] sd_1;  // group-level standard deviations
  matrix[M_1, N_1] z_1;  // standardized group-level effects
  cholesky_factor_corr[M_1] L_1;  // cholesky factor of correlation matrix
}
transformed parameters {
  matrix[N_1, M_1] r_1;  // actual group-level effects
  // using vectors speeds up indexing in loops
  vector[N_1] r_1_1;
  vector[N_1] r_1_2;
  real lprior = 0;  // prior contributions to the log posterior
  // compute actual group-level effects
  r_1 = scale_r_cor(z_1, sd_1, L_1);
  r_1_1 = r_1[, 1];
  r_1_2 = r_1[, 2];
  lprior += student_t_lpdf(Intercept | 3, 0.8, 2.5);
  lprior += student_t_lpdf(sigma | 3, 0, 2.5)
    - 1 * student_t_lccdf(0 | 3, 0, 2.5);
  lprior += student_t_lpdf(sd_1 | 3, 0, 2.5)
    - 2 * student_t_lccdf(0 | 3, 0, 2.5);
  lprior += lkj_corr_cholesky_lpdf(L_1 | 1);
}
model {
  // likelihood including constants
  if (!prior_only) {
    // initialize linear predictor term
    vector[N] mu = rep_vector(0.0, N);
    mu += Intercept;
    for (n in 1:N) {
      // add more terms to the linear predictor
      mu[n] += r_1_1[J_1[n]] * Z_1_1[n] + r_1_2[J_1[n]] * Z_1_2[n];
    }
    target += normal_id_glm_lpdf(Y | Xc, mu, b, sigma);
  }
  // priors including constants
  target += lprior;
  target += std_normal_lpdf(to_vector(z_1));
}
generated quantities {
  // actual population-level intercept
  real b_Intercept = Intercept - dot_product(means_X, b);
  // compute group-level correlations
  corr_matrix[M_1] Cor_1 = multiply_lower_tri_self_transpose(L_1);
  vector<lower=-1,upper=1>[NC_1] cor_1;
  // extract upper diagonal of correlation matrix
  for (k in 1:M_1) {
    for (j in 1:(k - 1)) {
      cor_1[choose(k - 1, 2) + j] = Cor_1[j, k];
    }
  }
}
""", "b b_Intercept sigma sd_1 cor_1", "r_1_1 r_1_2")


def brms_crossed(random, quick):
    n, g, h = (1_500, 60, 10) if quick else (8_000, 400, 40)
    x, j1, j2 = standard(random, n), random.integers(0, g, n), random.integers(0, h, n)
    eta = 0.3 + 0.7 * x + 0.8 * standard(random, g)[j1] + 0.5 * standard(random, h)[j2]
    return {"N": n, "Y": (random.random(n) < logistic(eta)).astype(int), "K": 2, "Kc": 1,
            "X": numpy.column_stack([numpy.ones(n), x]), "N_1": g, "M_1": 1, "J_1": j1 + 1, "Z_1_1": numpy.ones(n), "N_2": h,
            "M_2": 1, "J_2": j2 + 1, "Z_2_1": numpy.ones(n), "prior_only": 0}


model("brms-bernoulli", brms_crossed, """// generated with brms 2.21.0
functions {
}
data {
  int<lower=1> N;  // total number of observations
  array[N] int Y;  // response variable
  int<lower=1> K;  // number of population-level effects
  matrix[N, K] X;  // population-level design matrix
  int<lower=1> Kc;  // number of population-level effects after centering
  // data for group-level effects of ID 1
  int<lower=1> N_1;  // number of grouping levels
  int<lower=1> M_1;  // number of coefficients per level
  array[N] int<lower=1> J_1;  // grouping indicator per observation
  // group-level predictor values
  vector[N] Z_1_1;
  // data for group-level effects of ID 2
  int<lower=1> N_2;  // number of grouping levels
  int<lower=1> M_2;  // number of coefficients per level
  array[N] int<lower=1> J_2;  // grouping indicator per observation
  // group-level predictor values
  vector[N] Z_2_1;
  int prior_only;  // should the likelihood be ignored?
}
transformed data {
  matrix[N, Kc] Xc;  // centered version of X without an intercept
  vector[Kc] means_X;  // column means of X before centering
  for (i in 2:K) {
    means_X[i - 1] = mean(X[, i]);
    Xc[, i - 1] = X[, i] - means_X[i - 1];
  }
}
parameters {
  vector[Kc] b;  // regression coefficients
  real Intercept;  // temporary intercept for centered predictors
  vector<lower=0>[M_1] sd_1;  // group-level standard deviations
  array[M_1] vector[N_1] z_1;  // standardized group-level effects
  vector<lower=0>[M_2] sd_2;  // group-level standard deviations
  array[M_2] vector[N_2] z_2;  // standardized group-level effects
}
transformed parameters {
  vector[N_1] r_1_1;  // actual group-level effects
  vector[N_2] r_2_1;  // actual group-level effects
  real lprior = 0;  // prior contributions to the log posterior
  r_1_1 = (sd_1[1] * (z_1[1]));
  r_2_1 = (sd_2[1] * (z_2[1]));
  lprior += student_t_lpdf(Intercept | 3, 0, 2.5);
  lprior += student_t_lpdf(sd_1 | 3, 0, 2.5)
    - 1 * student_t_lccdf(0 | 3, 0, 2.5);
  lprior += student_t_lpdf(sd_2 | 3, 0, 2.5)
    - 1 * student_t_lccdf(0 | 3, 0, 2.5);
}
model {
  // likelihood including constants
  if (!prior_only) {
    // initialize linear predictor term
    vector[N] mu = rep_vector(0.0, N);
    mu += Intercept;
    for (n in 1:N) {
      // add more terms to the linear predictor
      mu[n] += r_1_1[J_1[n]] * Z_1_1[n] + r_2_1[J_2[n]] * Z_2_1[n];
    }
    target += bernoulli_logit_glm_lpmf(Y | Xc, mu, b);
  }
  // priors including constants
  target += lprior;
  target += std_normal_lpdf(z_1[1]);
  target += std_normal_lpdf(z_2[1]);
}
generated quantities {
  // actual population-level intercept
  real b_Intercept = Intercept - dot_product(means_X, b);
}
""", "b b_Intercept sd_1 sd_2", "r_1_1 r_2_1")


# ---- Other ways to write groups ----------------------------------------------------------------------------------------

def with_group_data(groups, rows, outcome, sizes=None, effects=standard):
    def simulate(random, quick):
        j, n = (groups // 5, rows // 5) if quick else (groups, rows)
        w = numpy.column_stack([numpy.ones(j), standard(random, j, 2)])
        g = random.permutation(numpy.repeat(numpy.arange(j), sizes(j))) if sizes else random.integers(0, j, n)
        x = standard(random, len(g))
        theta = w @ [0.5, 0.6, -0.3] + 0.5 * effects(random, j)
        return {"N": len(g), "J": j, "g": g + 1, "x": x, "W": w} | outcome(random, theta[g] + 0.4 * x)
    return simulate


def grouped_stan(kind, parameters, transformed, priors, likelihood):
    return f"""data {{
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> g;
  vector[N] x;
  matrix[J, 3] W;
  {kind} y;
}}
parameters {{
{parameters}}}
{f"transformed parameters {{{chr(10)}{transformed}}}{chr(10)}" if transformed else ""}model {{
{priors}{likelihood}}}
"""


def noisy(random, eta):
    return {"y": eta + standard(random, len(eta))}


def binary(random, eta):
    return {"y": (random.random(len(eta)) < logistic(eta)).astype(int)}


SHARED = "  real mu;\n  real<lower=0> tau;\n  real beta;\n"
SHARED_PRIOR = "  mu ~ normal(0, 2);\n  tau ~ normal(0, 1);\n  beta ~ normal(0, 1);\n"
NONCENTRED = "  vector[J] theta = mu + tau * z;\n"
SIGMA, SIGMA_PRIOR = "  real<lower=0> sigma;\n", "  sigma ~ normal(0, 2);\n"
model("loops/prior", with_group_data(300, 4_500, noisy),
      grouped_stan("vector[N]", SHARED + SIGMA + "  array[J] real theta;\n", "", SHARED_PRIOR + SIGMA_PRIOR,
                   "  for (j in 1:J)\n    theta[j] ~ normal(mu, tau);\n"
                   "  for (n in 1:N)\n    y[n] ~ normal(theta[g[n]] + beta * x[n], sigma);\n"),
      "mu tau beta sigma", "theta",
      reference=grouped_stan("vector[N]", SHARED + SIGMA + "  vector[J] z;\n", NONCENTRED, SHARED_PRIOR + SIGMA_PRIOR,
                             "  z ~ std_normal();\n  y ~ normal(theta[g] + beta * x, sigma);\n"))
LOOPED = grouped_stan("vector[N]", SHARED + SIGMA + "  vector[J] z;\n",
                      "  vector[J] theta;\n  for (j in 1:J)\n    theta[j] = mu + tau * z[j];\n", SHARED_PRIOR + SIGMA_PRIOR,
                      "  for (j in 1:J)\n    z[j] ~ normal(0, 1);\n"
                      "  for (n in 1:N)\n    y[n] ~ normal(theta[g[n]] + beta * x[n], sigma);\n")
model("loops/transformed", with_group_data(300, 4_500, noisy), LOOPED, "mu tau beta sigma", "theta",
      reference=grouped_stan("vector[N]", SHARED + SIGMA + "  vector[J] z;\n", NONCENTRED, SHARED_PRIOR + SIGMA_PRIOR,
                             "  z ~ std_normal();\n  y ~ normal(theta[g] + beta * x, sigma);\n"))
model("ragged", with_group_data(150, 0, binary, sizes=lambda j: numpy.geomspace(1, 2000, j).astype(int)),
      grouped_stan("array[N] int<lower=0, upper=1>", SHARED + "  vector[J] theta;\n", "", SHARED_PRIOR,
                   "  theta ~ normal(mu, tau);\n  y ~ bernoulli_logit(theta[g] + beta * x);\n"),
      "mu tau beta", "theta",
      reference=grouped_stan("array[N] int<lower=0, upper=1>", SHARED + "  vector[J] z;\n", NONCENTRED, SHARED_PRIOR,
                             "  z ~ std_normal();\n  y ~ bernoulli_logit(theta[g] + beta * x);\n"))
PREDICTED = "  vector[3] gamma;\n  real<lower=0> tau;\n  real beta;\n" + SIGMA
PREDICTED_PRIOR = "  gamma ~ normal(0, 2);\n  tau ~ normal(0, 1);\n  beta ~ normal(0, 1);\n" + SIGMA_PRIOR
model("group-predictors", with_group_data(300, 4_500, noisy),
      grouped_stan("vector[N]", PREDICTED + "  vector[J] theta;\n", "", PREDICTED_PRIOR,
                   "  for (j in 1:J)\n    theta[j] ~ normal(W[j] * gamma, tau);\n  y ~ normal(theta[g] + beta * x, sigma);\n"),
      "gamma tau beta sigma", "theta",
      reference=grouped_stan("vector[N]", PREDICTED + "  vector[J] z;\n", "  vector[J] theta = W * gamma + tau * z;\n",
                             PREDICTED_PRIOR, "  z ~ std_normal();\n  y ~ normal(theta[g] + beta * x, sigma);\n"))
model("student-t", with_group_data(300, 4_500, noisy, effects=lambda random, j: random.standard_t(4, j)),
      grouped_stan("vector[N]", SHARED + SIGMA + "  vector[J] theta;\n", "", SHARED_PRIOR + SIGMA_PRIOR,
                   "  theta ~ student_t(4, mu, tau);\n  y ~ normal(theta[g] + beta * x, sigma);\n"),
      "mu tau beta sigma", "theta",
      reference=grouped_stan("vector[N]", SHARED + SIGMA + "  vector[J] z;\n", NONCENTRED, SHARED_PRIOR + SIGMA_PRIOR,
                             "  z ~ student_t(4, 0, 1);\n  y ~ normal(theta[g] + beta * x, sigma);\n"))


def rates(random, quick):
    j, n = (60, 300) if quick else (300, 1_500)
    g = random.integers(0, j, n)
    return {"N": n, "J": j, "g": g + 1, "y": random.poisson(random.gamma(2.0, 1 / 1.5, j)[g])}


def rates_given(draws, data):
    """lambda is gamma given a and b."""
    total, size = (numpy.bincount(data["g"] - 1, weights, data["J"]) for weights in (data["y"], None))
    found = {}
    for k in range(data["J"]):
        shape, rate = draws["a"] + total[k], draws["b"] + size[k]
        found[f"lambda.{k + 1}"] = shape / rate, shape / rate ** 2
    return found


RATES = """data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> g;
  array[N] int<lower=0> y;
}
%sparameters {
  real<lower=0> a;
  real<lower=0> b;
%s}
model {
  a ~ gamma(2, 0.5);
  b ~ gamma(2, 0.5);
%s}
"""
model("gamma-poisson", rates, RATES % ("", "  vector<lower=0>[J] lambda;\n",
                                       "  lambda ~ gamma(a, b);\n  y ~ poisson(lambda[g]);\n"), "a b", "lambda",
      reference=RATES % ("""transformed data {
  vector[J] size = rep_vector(0, J);
  vector[J] total = rep_vector(0, J);
  for (n in 1:N) {
    size[g[n]] += 1;
    total[g[n]] += y[n];
  }
}
""", "", "  target += J * (a * log(b) - lgamma(a)) + sum(lgamma(a + total)) - sum((a + total) .* log(b + size));\n"),
      conditional=rates_given)


# ---- Draws -------------------------------------------------------------------------------------------------------------

def evenly(values, most):
    values = list(values)
    if len(values) <= most:
        return values
    return [values[k * (len(values) - 1) // (most - 1)] for k in range(most)]


def columns_of(names, variable):
    return [name for name in names if name.split(".")[0] == variable]


def require_equal(weights):
    if len(set(weights)) > 1:
        raise RuntimeError("the draws have different weights, which are not supported")
    return True


def draws_of(folder, shared, groups):
    """Draws by column name: arrays, chains x draws. Of group parameters at most MOST_GROUPS columns each are read."""
    chains, columns = [], []
    for path in sorted(folder.glob("chain-*.csv")):
        with open(path) as file:
            lines = (line.rstrip("\n").split(",") for line in file if not line.startswith("#"))
            header = next(lines, [])
            columns = [name for variable in shared for name in columns_of(header, variable)]
            columns += [name for variable in groups for name in evenly(columns_of(header, variable), MOST_GROUPS)]
            places = [header.index(name) for name in columns]
            weight = header.index("weight__") if "weight__" in header else None
            draws, weights = [], []
            for cells in lines:
                draws.append([float(cells[k]) for k in places])
                weights.append("1" if weight is None else cells[weight])
            require_equal(weights)
            chains.append(draws)
    if not chains or not chains[0]:
        raise RuntimeError("no draws were written")
    values = numpy.array(chains)
    if not numpy.isfinite(values).all():
        raise RuntimeError("some draws are not finite")
    return {name: values[:, :, k] for k, name in enumerate(columns)}


def effective_size(x):
    """Of chains x draws: Geyer's initial positive sequence of autocorrelations of all chains together."""
    chains, length = x.shape
    centred = x - x.mean(axis=1, keepdims=True)
    spectrum = numpy.fft.rfft(centred, 2 * length, axis=1)
    covariance = numpy.fft.irfft(spectrum * spectrum.conj(), axis=1)[:, :length].mean(axis=0) / length
    between = x.mean(axis=1).var(ddof=1) if chains > 1 else 0.0
    variance = covariance[0] + between
    if variance <= 0:
        return float(x.size)
    rho = 1 - (covariance[0] - covariance) / variance
    pairs = rho[0:length - 1:2] + rho[1:length:2]
    end = int(numpy.argmax(pairs <= 0)) if (pairs <= 0).any() else len(pairs)
    return float(x.size / max(2 * numpy.minimum.accumulate(pairs[:end]).sum() - 1, 1 / math.log10(x.size)))


def summary_of(x):
    """Mean, sd, standard error of the mean in sds, relative standard error of the sd."""
    mean, sd = float(x.mean()), float(x.std())
    if sd == 0:
        return mean, sd, 0.0, 0.0
    square = ((x - mean) / sd) ** 2
    return (mean, sd, 1 / math.sqrt(effective_size(x)),
            0.5 * float(square.std()) / math.sqrt(effective_size(square)))


def call(words, seconds):
    """Standard output of a program; RuntimeError with its first line of error otherwise."""
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{words[1]} ran longer than {seconds:g} s") from None
    if done.returncode not in (0, 3, 4):  # 3 and 4: the verdict on a run that was completed
        raise RuntimeError((done.stderr.strip().splitlines() or [f"{words[1]} ended with status {done.returncode}"])[0])
    return done.stdout


def write_data(folder, data):
    """Writes the data; returns the arguments that name them."""
    arguments, numbers = ["--data", str(folder / "data.json")], {}
    for name, value in data.items():
        if numpy.size(value) <= MOST_JSON_VALUES:
            numbers[name] = value.tolist() if hasattr(value, "tolist") else value
        else:
            numpy.save(folder / f"{name}.npy", value.astype(numpy.int32) if value.dtype.kind == "i" else value)
            arguments += ["--data", f"{name}={folder / name}.npy"]
    (folder / "data.json").write_text(json.dumps(numbers))
    return arguments


def reference_of(options, case, data, arguments, folder):
    """Summaries by column name, from --references where they are there."""
    code = case.reference or case.stan
    key = hashlib.sha256(code.encode() + options.reference_arguments.encode())
    for name, value in sorted(data.items()):
        key.update(name.encode() + numpy.ascontiguousarray(value).tobytes())
    kept = options.references / f"{case.name.replace('/', '-')}{'-quick' * options.quick}.json"
    if kept.exists():
        found = json.loads(kept.read_text())
        if found["key"] == key.hexdigest():
            return found["summaries"]
    path, out = folder / "reference.stan", folder / "reference"
    path.write_text(code)
    start = time.time()
    call([options.program, "sample", path, *arguments, "--out", out, "--seed", 1, "--overwrite", "--quiet",
          *shlex.split(options.reference_arguments)], options.reference_limit)
    seconds = time.time() - start
    draws = draws_of(out, case.shared.split(), () if case.conditional else case.groups.split())
    summaries = {name: summary_of(x) for name, x in draws.items()}
    if case.conditional:
        flat = {name: x[:, ::10].ravel() for name, x in draws.items()}
        for name, (mean, variance) in case.conditional(flat, data).items():
            summaries[name] = float(mean.mean()), math.sqrt(float(mean.var() + variance.mean())), 0.0, 0.0
    options.references.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"key": key.hexdigest(), "seconds": seconds, "summaries": summaries}))
    shutil.rmtree(out)  # may be gigabytes
    return summaries


def verdict_of(options, name, folder, record):
    """The verdict the run itself recorded, otherwise that of sgmcmc diagnose; '-' where there is none."""
    verdict = record.get("verdict")
    if verdict is None:
        try:
            verdict = json.loads(call([options.program, "diagnose", folder, "--json"], options.limit))["verdict"]
        except RuntimeError as error:
            print(f"hierarchical_models: {name}: no verdict: {error}", file=sys.stderr)
            return "-"
    return verdict["trust"] if isinstance(verdict, dict) else str(verdict)


# ---- The table ---------------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class Result:
    """A row of the table. Numbers that do not exist are None, and '-' in the table."""
    name: str
    rows: str
    method: str
    seconds: str
    shared: list  # worst mean off in sds, its standard error, worst sd ratio, its standard error
    groups: list  # mean off (median), sd ratio (median, worst)
    verdict: str
    passes: bool

    head = ["| model | rows | method | seconds | worst mean off, in sds | ± | worst sd ratio | ± | "
            "groups: mean off, median | sd ratio, median | worst | verdict | passes |", "|---" * 13 + "|"]

    def line(self):
        numbers = [cell(x, how) for x, how in zip([*self.shared, *self.groups],
                                                  ["+.2f", ".2f", ".3f", ".3f", ".2f", ".3f", ".3f"])]
        return "| " + " | ".join([self.name, self.rows, self.method, self.seconds, *numbers, self.verdict,
                                  "yes" if self.passes else "**no**"]) + " |"

    @classmethod
    def from_line(cls, line):
        cells = [text.strip() for text in line.strip().strip("|").split("|")]
        numbers = [None if text == "-" else float(text) for text in cells[4:11]]
        return cls(*cells[:4], numbers[:4], numbers[4:], cells[11], cells[12] == "yes")

    def wrong(self):
        """Whether the verdict must not be 'trust'."""
        if self.shared[0] is None:
            return True
        off, _, ratio, _ = self.shared
        group_off, group_ratio, _ = self.groups
        return (abs(off) > WRONG_MEAN or abs(ratio - 1) > WRONG_SD or
                (group_off is not None and (group_off > WRONG_MEAN or abs(group_ratio - 1) > WRONG_SD)))


def cell(number, how):
    if number is None:
        return "-"
    return format(number, how) if abs(number) < 1000 else f"{number:.1e}"


def run(options, case, folder):
    """Simulates, samples and compares one model."""
    data = case.data(options.quick)
    arguments = write_data(folder, data)
    path, out = folder / "model.stan", folder / "run"
    path.write_text(case.stan)
    rows = data.get("N", data.get("N_obs", 0) + data.get("N_mis", 0))
    result = Result(case.name, f"{rows:,}", "", "-", [None] * 4, [None] * 3, "-", False)
    try:
        start = time.time()
        call([options.program, "sample", path, *arguments, "--out", out, "--seed", options.seed, "--overwrite", "--quiet",
              *shlex.split(options.sample_arguments)], options.limit)
        result.seconds = f"{time.time() - start:.1f}"
        record = json.loads((out / "run.json").read_text())
        result.method = f"`{record['options']['method']}`"
        drawn = {name: summary_of(x) for name, x in draws_of(out, case.shared.split(), case.groups.split()).items()}
        result.verdict = verdict_of(options, case.name, out, record)
        reference = {} if options.no_reference else reference_of(options, case, data, arguments, folder)
        own = set(case.groups.split())
        if missing := {name for name in reference if name.split(".")[0] not in own} - drawn.keys():
            raise RuntimeError(f"no draws of {', '.join(sorted(missing)[:5])}")
    except RuntimeError as error:
        print(f"hierarchical_models: {case.name}: {error}", file=sys.stderr)
        result.method += " failed: " + str(error).split(". ")[0].replace("|", "/")[:100]
        return result
    if reference:
        compare(options, case, drawn, reference, result)
    return result


def compare(options, case, drawn, reference, result):
    """Fills the result's numbers."""
    good, worst_mean, worst_sd = True, (0.0, 0.0), (1.0, 0.0)
    of_groups = []
    for name, (mean, sd, error, sd_error) in reference.items():
        if sd == 0 or name not in drawn:
            continue
        found_mean, found_sd, found_error, found_sd_error = drawn[name]
        off, ratio = (found_mean - mean) / sd, found_sd / sd
        if name.split(".")[0] in case.groups.split():
            of_groups.append((abs(off), ratio))
            continue
        mean_error, ratio_error = math.hypot(error, found_error * ratio), math.hypot(sd_error, found_sd_error)
        if options.verbose:
            print(f"  {name}: mean {mean:.5g} off {off:+.3f} ± {mean_error:.3f}, sd {sd:.4g} ratio {ratio:.3f} ± "
                  f"{ratio_error:.3f}", file=sys.stderr)
        good = (good and abs(off) <= MEAN_LIMIT + ERRORS * mean_error and
                abs(ratio - 1) <= SD_LIMIT + ERRORS * ratio_error)
        worst_mean = max(worst_mean, (off, mean_error), key=lambda pair: abs(pair[0]))
        worst_sd = max(worst_sd, (ratio, ratio_error), key=lambda pair: abs(pair[0] - 1))
    result.shared = [*worst_mean, *worst_sd]
    if of_groups:
        off, ratio = numpy.array(of_groups).T
        result.groups = [float(numpy.median(off)), float(numpy.median(ratio)), float(ratio[numpy.argmax(abs(ratio - 1))])]
        good = (good and result.groups[0] <= MEAN_LIMIT and abs(result.groups[1] - 1) <= SD_LIMIT and
                abs(result.groups[2] - 1) <= WORST_GROUP_LIMIT)
    result.passes = good


def summary(results):
    """What is said below the table, and whether all is well."""
    passing = [r for r in results if r.passes]
    misled = [r.name for r in results if r.verdict == "trust" and r.wrong()]
    text = (f"{len(passing)} of {len(results)} models pass. The verdict is `trust` for "
            f"{sum(r.verdict == 'trust' for r in passing)} of them, and for {len(misled)} models with a mean more than "
            f"{WRONG_MEAN:g} sd or an sd more than {100 * WRONG_SD:.0f} % off (limit 0)" +
            (f": {', '.join(misled)}." if misled else "."))
    return text, len(passing) == len(results) and not misled


def kept_results(page):
    """Rows of the table in the page, by name, and the text before and after the table."""
    text = page.read_text() if page.exists() else ""
    if text.count(BEGIN) != 1 or END not in text.split(BEGIN)[1]:
        sys.exit(f"hierarchical_models: {page} has no lines '{BEGIN}' and '{END}' to write between")
    before, rest = text.split(BEGIN)
    old, after = rest.split(END, 1)
    names = {case.name for case in MODELS}
    found = [Result.from_line(line) for line in old.splitlines() if line.startswith("|")
             and line.split("|")[1].strip() in names]
    return {result.name: result for result in found}, before, after


def chosen_models(options):
    chosen = MODELS
    if options.only:
        words = options.only.split(",")
        exact = {case.name for case in MODELS} & set(words)
        chosen = [c for c in MODELS if c.name in exact or any(w in c.name for w in words if w not in exact)]
    if not chosen:
        sys.exit("hierarchical_models: no model matches; there are " + ", ".join(c.name for c in MODELS))
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "sgmcmc"))
    parser.add_argument("--only", help="names or parts of names of models, separated by commas")
    parser.add_argument("--quick", action="store_true", help="smaller data")
    parser.add_argument("--references", type=pathlib.Path, metavar="DIR", help="keep the references there")
    parser.add_argument("--no-reference", action="store_true", help="only run the default command")
    parser.add_argument("--simulate", action="store_true", help="only write models and data; needs --keep")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="put the rows into the table of this page, "
                        "which keeps its other rows")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep models, data and draws there")
    parser.add_argument("--seed", type=int, default=1, help="of the sampler; neither data nor references depend on it")
    parser.add_argument("--limit", type=float, default=900, metavar="SECONDS", help="a model fails when it takes longer")
    parser.add_argument("--reference-limit", type=float, default=7200, metavar="SECONDS", help="the same of a reference")
    parser.add_argument("--reference-arguments", default=REFERENCE_ARGUMENTS, metavar="TEXT")
    parser.add_argument("--sample-arguments", default="", metavar="TEXT", help="more arguments of sgmcmc sample")
    parser.add_argument("--verbose", action="store_true", help="print the comparison of every global parameter")
    options = parser.parse_args()
    chosen = chosen_models(options)
    kept, before, after = kept_results(options.write) if options.write else ({}, "", "")
    made = {}
    with tempfile.TemporaryDirectory() as scratch:
        options.references = options.references or pathlib.Path(scratch) / "references"
        if not options.simulate:
            print("\n".join(Result.head), flush=True)
        for case in chosen:
            folder = (options.keep or pathlib.Path(scratch)).resolve() / case.name.replace("/", "-")
            folder.mkdir(parents=True, exist_ok=True)
            if options.simulate:
                (folder / "model.stan").write_text(case.stan)
                (folder / "reference.stan").write_text(case.reference or case.stan)
                print(case.name, *write_data(folder, case.data(options.quick)), flush=True)
                continue
            made[case.name] = run(options, case, folder)
            print(made[case.name].line(), flush=True)
            if not options.keep:
                shutil.rmtree(folder)
    if options.simulate:
        return 0
    results = [result for result in (made.get(c.name, kept.get(c.name)) for c in MODELS) if result]
    text, good = summary(results)
    print("\n" + text)
    if options.write:
        lines = [*Result.head, *(result.line() for result in results), "", text]
        options.write.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
