// Options of commands that take a model: data, method, length and start.
#include "settings/declare.hpp"
#include "settings/methods.hpp"

#include <sgmcmc/dynamics.hpp>
#include <sgmcmc/gradient.hpp>
#include <sgmcmc/sample.hpp>

#include <algorithm>

namespace sgmcmc {
namespace {

using Kind = ValueKind;

}  // namespace

void declare_data_options(OptionTable& table) {
  const OptionGroup add(table, "Data");
  add("data", Kind::text, "FILE", "",
      "data, may be given several times: FILE (JSON, CSV with a header, LIBSVM), NAME=FILE for one variable (NPY, IDX, "
      "CSV, LIBSVM, JSON), NAME=FILE:COLUMNS for columns of a CSV (a,b,c or a..b); also gzip, zstd or xz compressed; "
      "or a row file written by sgmcmc pack",
      with_data)
      .repeatable();
  add("include", Kind::text, "FOLDER", "",
      "folder in which to look for the files of #include lines, after the folder of the including file; may be given "
      "several times",
      with_data)
      .repeatable();
  add("rows", Kind::text, "NAME", "",
      "the size in the data block that counts the rows to minibatch; default: found from the model",
      {Command::sample, Command::optimize, Command::check, Command::calibrate});
  add("memory", Kind::text, "SIZE", "",
      "memory for the whole run, such as 500M or 2G: rows of a row file, or of large NPY files, are read from disk "
      "when "
      "they are visited; methods that keep a number for every row are refused where these do not fit",
      {Command::sample, Command::optimize, Command::check})
      .may_change();
  add("simulate", Kind::text, "FILE", "",
      "a program in the Stan language whose generated quantities draw the parameters and the data of MODEL, under the "
      "same names; default: simulate from MODEL itself, where every x ~ distribution(...) draws x",
      only_calibrate);
  add("at", Kind::text, "FILE", "",
      "JSON file with the points: {\"unconstrained\": [[...], ...]}, one list of coordinates per point",
      {Command::log_density});
}

void declare_method_options(OptionTable& table) {
  const OptionGroup add(table, "Method");
  std::vector<std::string> methods = sample_methods();
  add("method", Kind::choice, "METHOD", "nuts", "method to calibrate, as for sgmcmc sample", only_calibrate)
      .methods(methods)
      .sets(&RunSettings::method);
  methods.insert(methods.begin(), "auto");
  add("method", Kind::choice, "METHOD", "",
      "sampler, or SAMPLER-ESTIMATOR with a gradient estimator; default: auto, which chooses by model and size of the "
      "data, or sgld-cv if a step size is given. nuts, hmc and mala are exact; they and laplace use all rows and take "
      "no estimator",
      only_sample)
      .methods(methods)
      .sets(&RunSettings::method);
  add("method", Kind::choice, "METHOD", "lbfgs",
      "lbfgs with all rows, or adam or sgd with minibatches, alone or with -saga, -svrg or -full", only_optimize)
      .methods(optimize_methods())
      .sets(&RunSettings::method);
  const std::string steps =
      "one number; or name=number pairs separated by commas, with a number for all other parameters (1e-5,sigma=1e-4); "
      "or one number per unconstrained coordinate";
  const auto read_steps = [](const std::string& text) { return text == "auto" ? std::nullopt : step_sizes_from(text); };
  add("step-size", Kind::step_size, "NUMBER", "", steps + ". Default: auto, tuned by short runs", with_draws)
      .sets(&RunSettings::step_size, read_steps);
  add("step-size", Kind::step_size, "NUMBER", "",
      "adam and sgd: " + steps + ". Default: 0.01 for adam; required for sgd", only_optimize)
      .sets(&RunSettings::step_size, read_steps);
  add("schedule", Kind::sampler, "WORD", "constant",
      "adam and sgd: how step sizes change; constant, polynomial(b,gamma), decay(tau,kappa) or annealing(r,t)",
      only_optimize)
      .samplers({"sgld"})  // whose reader knows schedules
      .sets_sampler_option();
  add("tune-seconds", Kind::number, "SECONDS", "0",
      "approximate time for tuning step size, minibatch size and method; 0: visit a third as many rows as the run, so "
      "that results do not depend on the clock",
      only_sample)
      .sets(&RunSettings::tune_seconds);
  add("batch-size", Kind::batch_size, "COUNT", std::to_string(default_batch_size),
      "rows per minibatch: a count, or a fraction of the rows such as 0.01; all rows if there are fewer", with_gradient)
      .sets(&RunSettings::batch_size, batch_size_from)
      .left_open();
  add("precondition", Kind::choice, "WORD", "",
      "precondition by the curvature at the mode, so that the posterior is about standard normal and step sizes are in "
      "units of the posterior. auto: dense for up to 500 coordinates, low-rank beyond; default: auto for sglm, none "
      "for others. For sgld, sglm, sghmc, sgnht, baoab, psgld, hamcmc, nuts, hmc and mala",
      with_draws)
      .sets_choice(
          &RunSettings::precondition,
          named<Precondition>(precondition_name, {Precondition::none, Precondition::diagonal, Precondition::dense,
                                                  Precondition::low_rank, Precondition::automatic}));
  NamedValues<RowSampling> samplings = {{"without-replacement", RowSampling::without_replacement},
                                        {"with-replacement", RowSampling::with_replacement},
                                        {"shuffled-epochs", RowSampling::shuffled_epochs},
                                        {"slices", RowSampling::slices}};
  add("row-sampling", Kind::choice, "WORD", "without-replacement", "how the rows of a minibatch are drawn",
      only_optimize)
      .sets_choice(&RunSettings::row_sampling, samplings);
  samplings.emplace_back("preferential", RowSampling::preferential);
  add("row-sampling", Kind::choice, "WORD", "",
      "how the rows of a minibatch are drawn; preferential: rows whose gradients vary most are drawn more often; "
      "slices: "
      "consecutive rows, for data in random order; default: slices for row files, else preferential for sglm and "
      "without-replacement for others",
      with_draws)
      .sets_choice(&RunSettings::row_sampling, samplings);
  add("refresh-every", Kind::count, "COUNT", "0",
      "-svrg: gradient evaluations between passes over all rows; 0: the number that makes up one pass", with_gradient)
      .sets(&RunSettings::refresh_every);
  add("table-bytes-limit", Kind::count, "BYTES", std::to_string(GradientOptions{}.table_bytes_limit),
      "-saga: largest table of gradients allowed", with_gradient)
      .sets(&RunSettings::table_bytes_limit);
  add("precision", Kind::choice, "WORD", "double", "arithmetic of the model; parameters are always double",
      with_gradient)
      .choices({"double", "float"});
  add("precision", Kind::choice, "WORD", "",
      "how real columns are stored; default: as NPY files of 64 MB and more have them, else double", only_pack)
      .choices({"double", "float"});
}

void declare_length_options(OptionTable& table) {
  const OptionGroup add(table, "Length");
  add("iterations", Kind::count, "COUNT", "",
      "iterations after warm-up; default: 10000, or 1000 for nuts, hmc, mala, hmc-ecs, marginal-nuts and laplace; "
      "method auto chooses",
      with_draws)
      .sets(&RunSettings::iterations)
      .may_change();
  add("iterations", Kind::count, "COUNT", "",
      "total iterations after warm-up; a larger number than before extends the run; default: as before",
      {Command::resume});
  add("iterations", Kind::count, "COUNT", "", "maximum number of iterations; default: 1000 for lbfgs, else 10000",
      only_optimize)
      .sets(&RunSettings::iterations);
  add("gain-tolerance", Kind::number, "NUMBER", "1e-8",
      "lbfgs: stop when the predicted gain in log density of another step is below this", only_optimize);
  add("jacobian", Kind::choice, "WORD", "true",
      "whether the log-Jacobians of constraints count: true finds the mode on the unconstrained scale, at which "
      "samplers look; false the maximum of the density of the parameters as they are declared, as CmdStan's optimize "
      "does unless told otherwise",
      only_optimize)
      .choices({"true", "false"});
  add("warmup", Kind::count_or_auto, "COUNT", "",
      "warm-up iterations, which are discarded; default: auto, that is 1000 for nuts, hmc and mala, which adapt during "
      "warm-up, and for other methods the burn-in found for each chain",
      with_draws)
      .sets(&RunSettings::warmup, count_from);  // nothing for auto
  add("thin", Kind::count, "COUNT", "1", "keep every COUNT-th iteration; if not given, method auto chooses", with_draws)
      .sets(&RunSettings::thin)
      .left_open();
  add("chains", Kind::count, "COUNT", "4", "chains, each with its own random numbers", only_sample)
      .sets(&RunSettings::chains);
  add("chains", Kind::count, "COUNT", "1", "chains of each fit", only_calibrate).sets(&RunSettings::chains);
  add("replications", Kind::count, "COUNT", "200", "data sets simulated and fitted", only_calibrate);
  add("draws", Kind::count, "COUNT", "63",
      "number of evenly spaced, about independent draws of each fit among which the true values are ranked",
      only_calibrate);
  add("longest", Kind::count, "COUNT", "8",
      "a fit whose effective sample size is below `draws` is repeated with twice the iterations, up to this multiple "
      "of `iterations`",
      only_calibrate);
}

void declare_start_options(OptionTable& table) {
  const OptionGroup add(table, "Start");
  add("seed", Kind::count, "COUNT", "1", "random seed; draws depend on it, but not on the number of threads",
      with_gradient)
      .sets(&RunSettings::seed);
  add("seed", Kind::count, "COUNT", "1", "decides on the random order of the rows", only_pack);
  add("initial", Kind::text, "FILE", "",
      "JSON file with constrained initial values by parameter; parameters that it omits get the default initial values",
      with_initial);
  add("initial-radius", Kind::number, "NUMBER", "",
      "initial values are uniform between minus and plus this number, on the unconstrained scale; methods with -cv "
      "start at the mode; default: 0.1, or 2 for nuts, hmc and mala",
      with_draws)
      .sets(&RunSettings::initial_radius);
  add("starts", Kind::choice, "WORD", "",
      "where chains start if there are no other initial values; modes: at the modes that searches from dispersed "
      "starts find, in proportion to their weights, for methods that are not built around one mode, such as nuts; "
      "default: random, method auto chooses",
      with_draws)
      .sets_choice(&RunSettings::start_at_modes, NamedValues<bool>{{"random", false}, {"modes", true}});
  add("recoveries", Kind::count, "COUNT", std::to_string(SampleOptions{}.recoveries),
      "how many times in all a diverging chain may return to an earlier state and continue with smaller steps; 0: the "
      "first divergence ends the run",
      with_draws)
      .sets(&RunSettings::recoveries);
}

}  // namespace sgmcmc
