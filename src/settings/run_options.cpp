// Declares the options of commands that take a model: data, method, length and start.
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
      "data; may be given several times: FILE (JSON, CSV with a header, LIBSVM), NAME=FILE for one variable (NPY, IDX, "
      "CSV, LIBSVM, JSON), NAME=FILE:COLUMNS for columns of a CSV file (a,b,c or a..b); files may be compressed (gzip, "
      "zstd, xz); or a row file written by sgmcmc pack",
      with_data)
      .repeatable();
  add("include", Kind::text, "FOLDER", "",
      "folder to search for #include files, after the folder of the including file; may be given several times",
      with_data)
      .repeatable();
  add("rows", Kind::text, "NAME", "",
      "the size in the data block that counts the rows to minibatch (such as N); default: found from the model",
      {Command::sample, Command::optimize, Command::check, Command::calibrate});
  add("group-by", Kind::text, "NAME", "",
      "integer variable over the rows: rows with the same number are kept together, in random order, as methods that "
      "integrate the parameters of groups out read them; default: all rows in random order",
      only_pack);
  add("shards", Kind::count, "COUNT", "0",
      "number of parts in which sums over rows are computed, to be added along a fixed tree, so that draws do not "
      "depend on the number of ranks; 0: one part, or 64 with `shard-rows`",
      only_sample);
  add("shard-rows", Kind::flag, "", "false",
      "under mpirun, ranks share the rows of every sum over many rows, and rank 0 runs the chains; default: each rank "
      "runs chains of its own",
      {Command::sample, Command::resume})
      .may_change();
  add("memory", Kind::text, "SIZE", "",
      "memory for the whole run, such as 500M or 2G: rows of a row file, or of large NPY files, are read from disk "
      "when they are visited; methods that store a number for every row are refused if these do not fit",
      {Command::sample, Command::optimize, Command::check})
      .may_change();
  add("simulate", Kind::text, "FILE", "",
      "a Stan program whose generated quantities draw the parameters and data of MODEL, under the same names; default: "
      "simulate from MODEL itself, where every x ~ distribution(...) draws x",
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
      "SAMPLER, or SAMPLER-ESTIMATOR with a gradient estimator; default: auto, which chooses by model and size of the "
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
      .samplers({"sgld"})  // parses schedules
      .sets_sampler_option();
  add("tune-seconds", Kind::number, "SECONDS", "0",
      "approximate time for tuning step size, minibatch size and method; 0: limit tuning to a third of the rows that "
      "the run visits, so that results do not depend on the clock",
      only_sample)
      .sets(&RunSettings::tune_seconds);
  add("batch-size", Kind::batch_size, "COUNT", std::to_string(default_batch_size),
      "rows per minibatch: a count, or a fraction of the rows such as 0.01; limited to the number of rows",
      with_gradient)
      .sets(&RunSettings::batch_size, batch_size_from)
      .left_open();
  add("precondition", Kind::choice, "WORD", "",
      "preconditioner, from the Hessian at the mode, that makes the posterior approximately standard normal; step "
      "sizes are then on that scale. auto: dense for up to 500 coordinates, low-rank beyond; default: auto for sglm, "
      "none for others. For sgld, sglm, sghmc, sgnht, baoab, psgld, hamcmc, nuts, hmc and mala",
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
      "how the rows of a minibatch are drawn; preferential: more often if their gradients vary more; slices: "
      "consecutive rows, for data in random order; default: slices for row files, or with-replacement for those "
      "packed with group-by, else preferential for sglm and "
      "without-replacement for others",
      with_draws)
      .sets_choice(&RunSettings::row_sampling, samplings);
  add("subposterior", Kind::part, "PART/PARTS", "",
      "sample the posterior of a part of the rows, with the prior to the power 1/PARTS, for sgmcmc combine: 3/20 is "
      "the "
      "third of 20 parts, all/20 samples all of them, each in a folder of its own in `out`",
      only_sample)
      .sets(&RunSettings::subposterior, subposterior_from);
  add("refresh-every", Kind::count, "COUNT", "0",
      "-svrg: gradient evaluations between full passes over the rows; 0: as many as visit every row once on average",
      with_gradient)
      .sets(&RunSettings::refresh_every);
  add("table-bytes-limit", Kind::count, "BYTES", std::to_string(GradientOptions{}.table_bytes_limit),
      "-saga: maximum size of the table of gradients", with_gradient)
      .sets(&RunSettings::table_bytes_limit);
  add("precision", Kind::choice, "WORD", "double",
      "floating-point type of model evaluations; parameters are always double", with_gradient)
      .choices({"double", "float"});
  add("precision", Kind::choice, "WORD", "",
      "how real columns are stored; default: in the type of NPY files of 64 MB and more, otherwise as double",
      only_pack)
      .choices({"double", "float"});
}

void declare_length_options(OptionTable& table) {
  const OptionGroup add(table, "Length");
  add("iterations", Kind::count, "COUNT", "",
      "iterations after warm-up; default: 10000, or 1000 for nuts, hmc, mala, hmc-ecs, marginal-nuts and laplace; "
      "method auto chooses it",
      with_draws)
      .sets(&RunSettings::iterations)
      .may_change();
  add("iterations", Kind::count, "COUNT", "",
      "total iterations after warm-up; a larger number extends the run; default: unchanged", {Command::resume});
  add("iterations", Kind::count, "COUNT", "", "maximum number of iterations; default: 1000 for lbfgs, else 10000",
      only_optimize)
      .sets(&RunSettings::iterations);
  add("gain-tolerance", Kind::number, "NUMBER", "1e-8",
      "lbfgs: stop when the predicted gain in log density of the next step is below this", only_optimize);
  add("jacobian", Kind::choice, "WORD", "true",
      "true: find the mode on the unconstrained scale, including the log-Jacobians of constraints, as samplers need "
      "it; false: maximise the density of the declared parameters, as CmdStan's optimize does by default",
      only_optimize)
      .choices({"true", "false"});
  add("warmup", Kind::count_or_auto, "COUNT", "",
      "warm-up iterations, which are discarded; default: auto, which is 1000 for nuts, hmc and mala, which adapt "
      "during warm-up, and the burn-in detected in each chain for other methods",
      with_draws)
      .sets(&RunSettings::warmup, count_from);  // empty for auto
  add("thin", Kind::count, "COUNT", "1", "keep every COUNT-th iteration; chosen by method auto if not given",
      with_draws)
      .sets(&RunSettings::thin)
      .left_open();
  add("chains", Kind::count, "COUNT", "4", "number of independent chains", only_sample).sets(&RunSettings::chains);
  add("chains", Kind::count, "COUNT", "1", "number of chains per fit", only_calibrate).sets(&RunSettings::chains);
  add("replications", Kind::count, "COUNT", "200", "number of data sets to simulate and fit", only_calibrate);
  add("draws", Kind::count, "COUNT", "63",
      "number of evenly spaced, approximately independent draws per fit, among which the true values are ranked",
      only_calibrate);
  add("longest", Kind::count, "COUNT", "8",
      "maximum length of a fit, as a multiple of `iterations`: a fit whose effective sample size is below `draws` is "
      "repeated with twice the iterations",
      only_calibrate);
}

void declare_start_options(OptionTable& table) {
  const OptionGroup add(table, "Start");
  add("seed", Kind::count, "COUNT", "1", "random seed; draws depend on it, but not on the number of threads",
      with_gradient)
      .sets(&RunSettings::seed);
  add("seed", Kind::count, "COUNT", "1", "random seed, which determines the order of the rows", only_pack);
  add("initial", Kind::text, "FILE", "",
      "JSON file of initial values on the constrained scale, by parameter; other parameters get their default initial "
      "values",
      with_initial);
  add("initial-radius", Kind::number, "NUMBER", "",
      "draw initial values uniformly between minus and plus this number, on the unconstrained scale; methods with -cv "
      "start at the mode; default: 0.1, or 2 for nuts, hmc and mala",
      with_draws)
      .sets(&RunSettings::initial_radius);
  add("starts", Kind::choice, "WORD", "",
      "where chains start if no initial values are given; modes: at modes found from dispersed starts, chosen in "
      "proportion to their weights, for methods that do not rely on a single mode, such as nuts; default: random, or "
      "chosen by method auto",
      with_draws)
      .sets_choice(&RunSettings::start_at_modes, NamedValues<bool>{{"random", false}, {"modes", true}});
  add("recoveries", Kind::count, "COUNT", std::to_string(SampleOptions{}.recoveries),
      "maximum number of times that a diverging chain restarts from an earlier state with smaller steps; 0: stop the "
      "run at the first divergence",
      with_draws)
      .sets(&RunSettings::recoveries);
}

}  // namespace sgmcmc
