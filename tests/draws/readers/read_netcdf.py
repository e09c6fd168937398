"""Reads draws.nc of a folder with netCDF4, xarray and, if installed, ArviZ and CmdStanPy, and checks its contents."""

import glob
import importlib.util
import logging
import sys

folder = sys.argv[1]
missing = [name for name in ("numpy", "netCDF4", "xarray") if importlib.util.find_spec(name) is None]
if missing:
    print("SKIPPED: Python lacks", ", ".join(missing), "(Debian: python3-netcdf4 python3-xarray)")
    sys.exit(77)

import netCDF4
import numpy as np
import xarray

CHAINS, DRAWS = 3, 20
SHAPES = {"mu": (), "beta": (3,), "Sigma": (2, 3), "z": (2, 2, 2)}
path = f"{folder}/draws.nc"


def expected(first, shape):
    """The formula of write_example.cpp, for the elements from `first`."""
    size = int(np.prod(shape))
    element = first + np.arange(size)
    chain, draw = np.arange(CHAINS), np.arange(DRAWS)
    values = 1000.0 * (chain[:, None, None] + 1) + draw[None, :, None] + element[None, None, :] / 7.0
    return values.reshape(CHAINS, DRAWS, *shape)


def check_posterior(posterior):
    assert set(posterior.data_vars) == set(SHAPES), posterior
    first = 0
    for name, shape in SHAPES.items():
        variable = posterior[name]
        assert variable.dims == ("chain", "draw", *(f"{name}_dim_{axis}" for axis in range(len(shape)))), variable.dims
        assert variable.dtype == np.float64
        np.testing.assert_array_equal(variable.values, expected(first, shape))
        first += int(np.prod(shape))
    np.testing.assert_array_equal(posterior["chain"].values, np.arange(CHAINS))
    np.testing.assert_array_equal(posterior["draw"].values, np.arange(DRAWS))
    np.testing.assert_array_equal(posterior["Sigma_dim_1"].values, np.arange(3))
    assert posterior.attrs["inference_library"] == "sgmcmc" and posterior.attrs["method"] == "sgld-cv"


def check_sample_stats(stats):
    assert set(stats.data_vars) == {"lp", "step_size", "weight"}, stats
    draw = np.arange(DRAWS)
    np.testing.assert_array_equal(stats["lp"].values, -np.arange(CHAINS)[:, None] - draw / 10.0)
    np.testing.assert_array_equal(stats["weight"].values[1], 1.0 / (1 + draw))


def check_observed(observed):
    assert observed["y"].dims == ("y_dim_0", "y_dim_1")
    np.testing.assert_array_equal(observed["y"].values, [[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]])
    assert observed["N"].dtype.kind == "i" and int(observed["N"]) == 7


def csv_files():
    """Files with a column lp__, and files without."""
    return [sorted(glob.glob(f"{folder}/{where}chain-*.csv")) for where in ("", "without-density/")]


def check_posterior_of_csv(posterior):
    first = 0
    for name, shape in SHAPES.items():
        np.testing.assert_array_equal(posterior[name].values, expected(first, shape))
        first += int(np.prod(shape))


with netCDF4.Dataset(path) as file:
    assert sorted(file.groups) == ["observed_data", "posterior", "sample_stats"], file.groups
    assert file.groups["posterior"].variables["Sigma"].dimensions == ("chain", "draw", "Sigma_dim_0", "Sigma_dim_1")
    assert file.groups["posterior"].dimensions["draw"].size == DRAWS
used = [f"netCDF4 {netCDF4.__version__}"]

check_posterior(xarray.open_dataset(path, group="posterior"))
check_sample_stats(xarray.open_dataset(path, group="sample_stats"))
check_observed(xarray.open_dataset(path, group="observed_data"))

unequal = xarray.open_dataset(f"{folder}/unequal.nc", group="posterior")
np.testing.assert_array_equal(unequal["draw_"].values, [[0.0, 1.0], [10.0, 11.0]])  # the third draw of one is cut
np.testing.assert_array_equal(unequal["part_dim_0"].values, [1, 4])  # elements of chosen indices, counted from 0
np.testing.assert_array_equal(unequal["part"].values, [[[2.0, 5.0]] * 2] * 2)
np.testing.assert_array_equal(unequal["hole[2,2]"].values, [[4.0] * 2] * 2)
assert set(unequal.data_vars) == {"draw_", "part", "hole[1,1]", "hole[2,2]"}, \
    "a variable that is not finite somewhere is left out"
stats = xarray.open_dataset(f"{folder}/unequal.nc", group="sample_stats")
assert set(stats.data_vars) == {"diverging", "tree_depth"}, "a log density that was never computed is left out"
assert stats["diverging"].dtype == bool and stats["diverging"].values[0].tolist() == [False, True]
assert stats["tree_depth"].values[1, 1] == 5
used.append(f"xarray {xarray.__version__}")

if importlib.util.find_spec("arviz"):
    import arviz

    data = arviz.from_netcdf(path)
    check_posterior(data.posterior)
    check_sample_stats(data.sample_stats)
    assert arviz.summary(data).shape[0] == 1 + 3 + 6 + 8
    used.append(f"arviz {arviz.__version__}")

    for files in csv_files():
        check_posterior_of_csv(arviz.from_cmdstan(files).posterior)

if importlib.util.find_spec("cmdstanpy"):
    logging.disable(logging.WARNING)
    import cmdstanpy

    for files in csv_files():
        fit = cmdstanpy.from_csv(files)
        first = 0
        for name, shape in SHAPES.items():
            values = fit.stan_variable(name).reshape(CHAINS, DRAWS, *shape)
            np.testing.assert_array_equal(values, expected(first, shape))
            first += int(np.prod(shape))
    used.append(f"cmdstanpy {cmdstanpy.__version__}")

print("read by", ", ".join(used))
