"""Reads a folder of sgmcmc sample with CmdStanPy and ArviZ; both must agree with sgmcmc summary.

    read_run.py FOLDER SUMMARY.json DATA.json
"""

import glob
import json
import logging
import sys
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

import arviz
import cmdstanpy
import numpy as np

folder, summary = sys.argv[1:3]
files = sorted(glob.glob(f"{folder}/chain-*.csv"))
with open(summary) as file:
    told = {row["name"]: row for row in json.load(file)["parameters"]}
CHAINS, DRAWS, FEATURES = 2, 1000, 3

fit = cmdstanpy.from_csv(files)
assert (fit.chains, fit.num_draws_sampling, fit.thin) == (CHAINS, DRAWS, 1)
assert fit.draws().shape[:2] == (DRAWS, CHAINS), fit.draws().shape
assert fit.stan_variable("beta").shape == (CHAINS * DRAWS, FEATURES)
assert fit.draws_pd(["alpha"]).shape[0] == CHAINS * DRAWS
assert fit.draws_xr()["beta"].shape == (CHAINS, DRAWS, FEATURES)
assert "lp__" in fit.method_variables()

for data in (arviz.from_netcdf(f"{folder}/draws.nc"), arviz.from_cmdstanpy(fit), arviz.from_cmdstan(files)):
    np.testing.assert_array_equal(data.posterior["beta"].values, fit.draws_xr()["beta"].values)
    table = arviz.summary(data, round_to="none")
    assert list(table.index) == ["alpha", "beta[0]", "beta[1]", "beta[2]"], table
    for ours, theirs in zip(told.values(), table.itertuples()):
        np.testing.assert_allclose([theirs.mean, theirs.sd], [ours["mean"], ours["sd"]], rtol=1e-9)
        np.testing.assert_allclose([theirs.ess_bulk, theirs.ess_tail, theirs.r_hat],
                                   [ours["ess_bulk"], ours["ess_tail"], ours["rhat"]], rtol=1e-6)

# Leave-one-out cross-validation from the log likelihoods of the rows, which must be those of the model.
data = arviz.from_netcdf(f"{folder}/draws.nc")
with open(sys.argv[3]) as file:
    rows = json.load(file)
x, y = np.array(rows["X"]), np.array(rows["y"])
np.testing.assert_array_equal(data.observed_data["y"].values, y)
predictor = data.posterior["alpha"].values[..., None] + data.posterior["beta"].values @ x.T
np.testing.assert_allclose(data.log_likelihood["y"].values, -np.logaddexp(0, np.where(y == 1, -predictor, predictor)), atol=1e-12)
loo = arviz.loo(data)
assert loo.n_data_points == len(y) and loo.elpd_loo < 0 and loo.p_loo > 0, loo
assert arviz.waic(data).n_data_points == len(y)
print(f"{folder.rsplit('/')[-1]} read by cmdstanpy {cmdstanpy.__version__}, arviz {arviz.__version__}")
