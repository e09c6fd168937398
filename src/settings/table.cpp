// The table of options.
#include "settings/table.hpp"
#include "settings/dpmix.hpp"
#include "settings/lda.hpp"
#include "settings/methods.hpp"

#include "base/text.hpp"
#include "report/summary_table.hpp"

#include <sgmcmc/compare.hpp>
#include <sgmcmc/dynamics.hpp>
#include <sgmcmc/gradient.hpp>
#include <sgmcmc/sample.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace sgmcmc {
namespace {

constexpr std::array<std::string_view, 11> command_names = {
    "sample",  "resume",   "optimize",  "log-density", "check", "summary",
    "compare", "diagnose", "calibrate", "lda",         "dpmix"};  // in the order of Command

const std::vector<Command> every_command = {
    Command::sample,  Command::optimize, Command::log_density, Command::check, Command::summary,
    Command::compare, Command::diagnose, Command::calibrate,   Command::lda,   Command::dpmix};
const std::vector<Command> every_command_and_resume = {
    Command::sample,  Command::resume,   Command::optimize,  Command::log_density, Command::check, Command::summary,
    Command::compare, Command::diagnose, Command::calibrate, Command::lda,         Command::dpmix};
const std::vector<Command> with_model = {Command::sample, Command::optimize, Command::log_density, Command::check,
                                         Command::calibrate};
const std::vector<Command> with_chain = {Command::sample, Command::optimize};
const std::vector<Command> with_gradient = {Command::sample, Command::optimize, Command::calibrate};
const std::vector<Command> with_draws = {Command::sample, Command::calibrate};

/// The options of all samplers, each once, as their structs list them.
void add_sampler_options(std::vector<OptionDeclaration>& table) {
  const std::size_t first = table.size();
  std::map<std::string, std::string> own_defaults;
  for (const auto& sampler : sampler_names()) {
    for (const auto& described : describe_options(sampler_options(sampler))) {
      if (described.name == "step_size") continue;  // declared for itself: it also takes names
      const auto same = std::find_if(table.begin() + static_cast<std::ptrdiff_t>(first), table.end(),
                                     [&](const auto& option) { return option.name == option_name(described.name); });
      if (same != table.end()) {
        if (described.default_text != same->default_text)  // said in the help; a record must not give one to all
          own_defaults[same->name] += ", " + sampler + ": " + described.default_text;
        same->samplers.push_back(sampler);
        same->sampler_defaults.push_back(described.default_text);
        continue;
      }
      OptionDeclaration option;
      option.name = option_name(described.name);
      option.kind = ValueKind::sampler;
      option.placeholder = described.default_text == "true" || described.default_text == "false" ? "true|false"
                           : number_from(described.default_text)                                 ? "NUMBER"
                                                                                                 : "WORD";
      option.default_text = described.default_text;
      option.help = described.help;
      option.group = "Options of samplers";
      option.commands = with_draws;
      option.samplers = {sampler};
      option.sampler_defaults = {described.default_text};
      table.push_back(option);
    }
  }
  for (std::size_t i = first; i < table.size(); ++i) {
    auto& option = table[i];
    if (const auto own = own_defaults.find(option.name); own != own_defaults.end()) {
      option.help += "; default: " + option.default_text + own->second;
      option.default_text.clear();
    }
    if (option.name == "schedule") option.commands = with_gradient;  // sgd and adam have one too
    option.help += " (" + joined(option.samplers, ", ") + ")";
  }
}

std::vector<OptionDeclaration> make_table() {
  std::vector<OptionDeclaration> table;
  const auto add = [&](std::string group, std::string name, ValueKind kind, std::string placeholder,
                       std::string default_text, std::string help,
                       std::vector<Command> commands) -> OptionDeclaration& {
    OptionDeclaration option;
    option.name = std::move(name);
    option.kind = kind;
    option.placeholder = std::move(placeholder);
    option.default_text = std::move(default_text);
    option.help = std::move(help);
    option.group = std::move(group);
    option.commands = std::move(commands);
    table.push_back(std::move(option));
    return table.back();
  };
  using Kind = ValueKind;
  const std::vector<Command> sample = {Command::sample}, optimize = {Command::optimize};
  const std::vector<Command> calibrate = {Command::calibrate};

  const std::string data = "Data";
  add(data, "data", Kind::text, "FILE", "",
      "data, may be given several times: FILE (JSON, CSV with a header, LIBSVM), NAME=FILE for one variable (NPY, IDX, "
      "CSV, LIBSVM, JSON), NAME=FILE:COLUMNS for columns of a CSV (a,b,c or a..b); also gzip, zstd or xz compressed",
      with_model)
      .repeatable = true;
  add(data, "include", Kind::text, "FOLDER", "",
      "folder in which to look for the files of #include lines, after the folder of the including file; may be given "
      "several times",
      with_model)
      .repeatable = true;
  add(data, "rows", Kind::text, "NAME", "",
      "the size in the data block that counts the rows to minibatch; default: found from the model",
      {Command::sample, Command::optimize, Command::check, Command::calibrate});
  add(data, "simulate", Kind::text, "FILE", "",
      "a program in the Stan language whose generated quantities draw the parameters and the data of MODEL, under the "
      "same names; default: simulate from MODEL itself, where every x ~ distribution(...) draws x",
      calibrate);
  add(data, "at", Kind::text, "FILE", "",
      "JSON file with the points: {\"unconstrained\": [[...], ...]}, one list of coordinates per point",
      {Command::log_density});

  const std::string comparison = "Comparison";
  add(comparison, "dirichlet", Kind::text, "NUMBERS", "",
      "compare A with the Dirichlet distribution with these concentrations, separated by commas, instead of with B",
      {Command::compare});
  add(comparison, "most-draws", Kind::count, "COUNT", std::to_string(CompareOptions{}.most_draws),
      "number of draws of each set, evenly spaced, for distances that need all pairs of draws", {Command::compare});

  const std::string method = "Method";
  auto& sampling = add(method, "method", Kind::choice, "METHOD", "",
                       "sampler, or SAMPLER-ESTIMATOR with a gradient estimator; default: auto, which chooses by model "
                       "and size of the data, or sgld-cv if a step size is given. nuts, hmc and mala are exact; they "
                       "and laplace use all rows and take no estimator",
                       sample);
  sampling.choices = sample_methods();
  sampling.choices.insert(sampling.choices.begin(), "auto");
  sampling.hidden = true;
  auto& calibrated =
      add(method, "method", Kind::choice, "METHOD", "nuts", "method to calibrate, as for sgmcmc sample", calibrate);
  calibrated.choices = sample_methods();
  calibrated.hidden = true;
  auto& optimiser =
      add(method, "method", Kind::choice, "METHOD", "lbfgs",
          "lbfgs with all rows, or adam or sgd with minibatches, alone or with -saga, -svrg or -full", optimize);
  optimiser.choices = optimize_methods();
  optimiser.hidden = true;
  add(method, "step-size", Kind::step_size, "NUMBER", "",
      "one number; or name=number pairs separated by commas, with a number for all other parameters (1e-5,sigma=1e-4); "
      "or one number per unconstrained coordinate. Default: auto, tuned by short runs; adam: 0.01; required for sgd",
      with_gradient);
  add(method, "tune-seconds", Kind::number, "SECONDS", "0",
      "approximate time for tuning step size, minibatch size and method; 0: visit a third as many rows as the run, so "
      "that results do not depend on the clock",
      sample);
  add(method, "batch-size", Kind::batch_size, "COUNT", std::to_string(default_batch_size),
      "rows per minibatch: a count, or a fraction of the rows such as 0.01; all rows if there are fewer",
      with_gradient);
  add(method, "precondition", Kind::choice, "WORD", "",
      "precondition by the curvature at the mode, so that the posterior is about standard normal and step sizes are in "
      "units of the posterior. auto: dense for up to 500 coordinates, low-rank beyond; default: auto for sglm, none "
      "for others. For sgld, sglm, sghmc, sgnht, baoab, psgld, hamcmc, nuts, hmc and mala",
      with_draws)
      .choices = {"none", "diagonal", "dense", "low-rank", "auto"};
  add(method, "row-sampling", Kind::choice, "WORD", "",
      "how the rows of a minibatch are drawn; preferential: rows whose gradients vary most are drawn more often; "
      "default: preferential for sglm, without-replacement for others",
      with_draws)
      .choices = {"without-replacement", "with-replacement", "shuffled-epochs", "preferential"};
  add(method, "row-sampling", Kind::choice, "WORD", "without-replacement", "how the rows of a minibatch are drawn",
      optimize)
      .choices = {"without-replacement", "with-replacement", "shuffled-epochs"};
  add(method, "refresh-every", Kind::count, "COUNT", "0",
      "-svrg: gradient evaluations between passes over all rows; 0: the number that makes up one pass", with_gradient);
  add(method, "table-bytes-limit", Kind::count, "BYTES", std::to_string(GradientOptions{}.table_bytes_limit),
      "-saga: largest table of gradients allowed", with_gradient);
  add(method, "precision", Kind::choice, "WORD", "double", "arithmetic of the model; parameters are always double",
      with_gradient)
      .choices = {"double", "float"};

  const std::string length = "Length";
  add(length, "iterations", Kind::count, "COUNT", "",
      "iterations after warm-up; default: 10000, or 1000 for nuts, hmc, mala, hmc-ecs, marginal-nuts and laplace; "
      "method auto chooses",
      with_draws);
  add(length, "iterations", Kind::count, "COUNT", "",
      "total iterations after warm-up; a larger number than before extends the run; default: as before",
      {Command::resume});
  add(length, "iterations", Kind::count, "COUNT", "",
      "maximum number of iterations; default: 1000 for lbfgs, else 10000", optimize);
  add(length, "gain-tolerance", Kind::number, "NUMBER", "1e-8",
      "lbfgs: stop when the predicted gain in log density of another step is below this", optimize);
  add(length, "warmup", Kind::count, "COUNT", "",
      "warm-up iterations, which are discarded; default: 1000 for nuts, hmc and mala, which adapt during warm-up; "
      "other methods find the burn-in of each chain",
      with_draws);
  add(length, "thin", Kind::count, "COUNT", "1", "keep every COUNT-th iteration; if not given, method auto chooses",
      with_draws);
  add(length, "chains", Kind::count, "COUNT", "4", "chains, each with its own random numbers", sample);
  add(length, "chains", Kind::count, "COUNT", "1", "chains of each fit", calibrate);
  add(length, "replications", Kind::count, "COUNT", "200", "data sets simulated and fitted", calibrate);
  add(length, "draws", Kind::count, "COUNT", "63",
      "number of evenly spaced, about independent draws of each fit among which the true values are ranked", calibrate);
  add(length, "longest", Kind::count, "COUNT", "8",
      "a fit whose effective sample size is below `draws` is repeated with twice the iterations, up to this multiple "
      "of `iterations`",
      calibrate);

  add_sampler_options(table);

  const std::string start = "Start";
  add(start, "seed", Kind::count, "COUNT", "1", "random seed; draws depend on it, but not on the number of threads",
      with_gradient);
  add(start, "initial", Kind::text, "FILE", "",
      "JSON file with constrained initial values by parameter; parameters that it omits get the default initial values",
      with_chain);
  add(start, "initial-radius", Kind::number, "NUMBER", "",
      "initial values are uniform between minus and plus this number, on the unconstrained scale; methods with -cv "
      "start at the mode; default: 0.1, or 2 for nuts, hmc and mala",
      with_draws);

  add(start, "starts", Kind::choice, "WORD", "",
      "where chains start if there are no other initial values; modes: at the modes that searches from dispersed "
      "starts "
      "find, in proportion to their weights, for methods that are not built around one mode, such as nuts; default: "
      "random, method auto chooses",
      with_draws)
      .choices = {"random", "modes"};
  add(start, "recoveries", Kind::count, "COUNT", std::to_string(SampleOptions{}.recoveries),
      "how many times in all a diverging chain may return to an earlier state and continue with smaller steps; 0: the "
      "first divergence ends the run",
      with_draws);

  const std::string diagnosis = "Diagnosis";
  const std::vector<Command> diagnose = {Command::diagnose};
  add(diagnosis, "draws", Kind::count, "COUNT", "2000", "maximum number of draws to examine, evenly spaced", diagnose);
  add(diagnosis, "gradients", Kind::choice, "WORD", "auto",
      "gradients at the draws: over all rows (full), or by control variates around the mean of the draws (cv); auto: "
      "full if that is cheap",
      diagnose)
      .choices = {"auto", "full", "cv"};
  add(diagnosis, "most-passes", Kind::number, "NUMBER", "200",
      "control variates: maximum cost of the gradients, in passes over all rows", diagnose);
  add(diagnosis, "halving", Kind::count, "COUNT", "0",
      "continue each chain for this many iterations at half the step size, and compare; 0: do not", diagnose);

  add(diagnosis, "diagnose", Kind::choice, "WORD", "quick",
      "verdict at the end of the run: quick takes about a tenth of the time of the run, full is that of sgmcmc "
      "diagnose",
      {Command::sample, Command::resume})
      .choices = {"quick", "full", "none"};
  add(diagnosis, "exit-status", Kind::choice, "WORD", "verdict",
      "verdict: exit with 3 if the verdict is \"do not trust\", and with 4 if it is \"cannot tell\"; plain: exit with "
      "0 for every completed run",
      {Command::sample, Command::resume})
      .choices = {"verdict", "plain"};

  for (auto& option : lda_option_declarations()) table.push_back(std::move(option));
  for (auto& option : dpmix_option_declarations()) table.push_back(std::move(option));

  const std::string output = "Output";
  add(output, "out", Kind::text, "DIR", "",
      "folder for chain-1.csv, chain-2.csv, ... (as CmdStan writes them), draws.nc (as ArviZ reads it) and run.json",
      sample);
  add(output, "out", Kind::text, "DIR", "", "folder for mode.json, which `initial` reads, and run.json", optimize);
  add(output, "overwrite", Kind::flag, "", "false", "replace a previous run in the folder of `out`", with_chain);
  add(output, "checkpoint-every", Kind::number, "SECONDS", "60",
      "with `out`: seconds between checkpoints for sgmcmc resume; 0: only at the end and when interrupted",
      {Command::sample, Command::resume, Command::lda, Command::dpmix});
  add(output, "draws-limit", Kind::number, "GB", "2",
      "with `out`: disk space for draws; if all draws would take more, fewer are kept", sample);
  add(output, "keep", Kind::text, "NAME", "",
      "write the draws of these parameters and outputs only: a variable, an element beta[3] or a range beta[1:10]; may "
      "be given several times, or as a,b,c; or none. The others are summarised during the run, in summary.csv",
      sample)
      .repeatable = true;
  add(output, "compress", Kind::flag, "", "false",
      "with `out`: write draws.nc compressed, and remove the CSV files when the run is completed; it cannot be "
      "extended",
      sample);
  add(output, "log-density", Kind::choice, "WORD", "auto",
      "compute the log density (column lp__) at every draw, or write 0; auto: compute it if a pass over all rows costs "
      "no more than the iterations between two draws",
      sample)
      .choices = {"auto", "always", "never"};
  add(output, "outputs", Kind::choice, "WORD", "auto",
      "transformed parameters and generated quantities to write; auto: all but those with one value per row if there "
      "are more than 1000 rows",
      sample)
      .choices = {"auto", "all", "none"};
  add(output, "log-likelihood", Kind::flag, "", "false",
      "with `out`: write the log likelihood of each row at each draw to the group log_likelihood of draws.nc, for "
      "ArviZ's loo and waic; taken from log_lik if the generated quantities have one",
      sample);
  add(output, "groups", Kind::text, "LIST", "auto",
      "hierarchical models whose groups are integrated out: the groups whose parameters are drawn and written; all, "
      "none, or numbers and ranges such as 1:300,512; auto: all if they have up to 3000 numbers per draw, else evenly "
      "spaced groups",
      sample);
  add(output, "zero-variance", Kind::choice, "WORD", "auto",
      "zero-variance posterior means from the gradients of the run, in columns mean_zv, mcse_zv and gain_zv (how many "
      "times more draws the plain mean would need); auto: linear for up to 200 unconstrained parameters, in JSON only",
      sample)
      .choices = {"auto", "none", "linear", "quadratic"};
  add(output, "only", Kind::text, "NAME", "", "show these variables only; may be given several times, or as a,b,c",
      {Command::sample, Command::resume, Command::summary, Command::compare, Command::calibrate})
      .repeatable = true;
  add(output, "all", Kind::flag, "", "false", "show every line of a long table",
      {Command::sample, Command::resume, Command::optimize, Command::summary, Command::compare, Command::diagnose,
       Command::calibrate});
  add(output, "level", Kind::number, "NUMBER", "0.01",
      "false-alarm rate of the verdict, over all quantities and their three tests", calibrate);
  add(output, "columns", Kind::text, "NAMES", "",
      "columns of the table, separated by commas: " + joined(summary_column_names(), ", ") +
          "; or all. iat is the integrated autocorrelation time, atuc that in seconds",
      {Command::summary});
  add(output, "json", Kind::flag, "", "false", "print JSON instead of text", every_command_and_resume);
  add(output, "quiet", Kind::flag, "", "false",
      "print only errors, and JSON if asked for: no progress, table or warnings",
      {Command::sample, Command::resume, Command::optimize, Command::calibrate});

  const std::string general = "General";
  add(general, "config", Kind::text, "FILE", "",
      "read options from a TOML or JSON file, or from the run.json of a previous run; the command line takes "
      "precedence",
      every_command);
  add(general, "threads", Kind::count, "COUNT", "0",
      "number of threads; 0: all processors. Results do not depend on it", every_command_and_resume);
  add(general, "help", Kind::flag, "", "false", "show this help", every_command_and_resume);
  return table;
}

}  // namespace

std::string_view command_name(Command command) { return command_names[static_cast<std::size_t>(command)]; }

std::optional<Command> command_by_name(std::string_view name) {
  const auto found = std::find(command_names.begin(), command_names.end(), name);
  if (found == command_names.end()) return std::nullopt;
  return static_cast<Command>(found - command_names.begin());
}

const std::vector<OptionDeclaration>& option_table() {
  static const std::vector<OptionDeclaration> table = make_table();
  return table;
}

bool OptionDeclaration::belongs_to(Command command) const {
  return std::find(commands.begin(), commands.end(), command) != commands.end();
}

std::string OptionDeclaration::key() const {
  std::string text = name;
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

bool OptionDeclaration::is_sampler_default(const std::string& text) const {
  return std::find(sampler_defaults.begin(), sampler_defaults.end(), text) != sampler_defaults.end();
}

std::string option_name(std::string_view key) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::vector<const OptionDeclaration*> options_of(Command command) {
  std::vector<const OptionDeclaration*> options;
  for (const auto& option : option_table())
    if (option.belongs_to(command)) options.push_back(&option);
  return options;
}

const OptionDeclaration* find_option(Command command, std::string_view name) {
  for (const auto* option : options_of(command))
    if (option->name == name || option->key() == name) return option;
  return nullptr;
}

}  // namespace sgmcmc
