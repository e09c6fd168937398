// Declares the options of results (comparison, diagnosis, output), and those that all commands have.
#include "settings/declare.hpp"

#include "base/text.hpp"
#include "report/summary_table.hpp"

#include <sgmcmc/compare.hpp>

namespace sgmcmc {
namespace {

using Kind = ValueKind;

const std::vector<Command> every_command = {
    Command::sample,   Command::optimize,  Command::log_density, Command::check, Command::summary,   Command::compare,
    Command::diagnose, Command::calibrate, Command::lda,         Command::dpmix, Command::factorize, Command::combine,
    Command::report,   Command::plot,      Command::data,        Command::pack};
const std::vector<Command> every_command_and_resume = {
    Command::sample,  Command::resume,   Command::optimize,  Command::log_density, Command::check, Command::summary,
    Command::compare, Command::diagnose, Command::calibrate, Command::lda,         Command::dpmix, Command::factorize,
    Command::combine, Command::report,   Command::plot,      Command::data,        Command::pack};

}  // namespace

void declare_comparison_options(OptionTable& table) {
  const OptionGroup add(table, "Comparison");
  add("dirichlet", Kind::text, "NUMBERS", "",
      "compare A with a Dirichlet distribution instead of B: its concentration parameters, separated by commas",
      {Command::compare});
  add("most-draws", Kind::count, "COUNT", std::to_string(CompareOptions{}.most_draws),
      "maximum number of draws per set, evenly spaced, for distances computed from all pairs of draws",
      {Command::compare});
}

void declare_diagnosis_options(OptionTable& table) {
  const OptionGroup add(table, "Diagnosis");
  const std::vector<Command> diagnose = {Command::diagnose};
  add("draws", Kind::count, "COUNT", "2000", "maximum number of draws to examine, evenly spaced", diagnose);
  add("gradients", Kind::choice, "WORD", "auto",
      "gradients at the draws: over all rows (full), or by control variates around the mean of the draws (cv); auto: "
      "full if that is cheap",
      diagnose)
      .choices({"auto", "full", "cv"});
  add("most-passes", Kind::number, "NUMBER", "200",
      "control variates: maximum cost of the gradients, in passes over all rows", diagnose);
  add("halving", Kind::count, "COUNT", "0",
      "continue each chain for this many iterations at half the step size, and compare; 0: do not", diagnose);

  add("diagnose", Kind::choice, "WORD", "quick",
      "verdict at the end of the run: quick adds about a tenth to the time of the run; full does what sgmcmc diagnose "
      "does",
      {Command::sample, Command::resume, Command::combine})
      .sets_choice(&RunSettings::diagnose,
                   NamedValues<Judging>{{"quick", Judging::quick}, {"full", Judging::full}, {"none", Judging::none}})
      .may_change();
  add("judge", Kind::choice, "WORD", "auto",
      "auto: read model and data again to judge the draws if the run has no verdict, to draw priors, and to simulate "
      "data for predictive checks; none: do not",
      {Command::report})
      .choices({"auto", "none"});
  add("exit-status", Kind::choice, "WORD", "verdict",
      "verdict: exit with 3 if the verdict is \"do not trust\", and with 4 if it is \"cannot tell\"; plain: exit with "
      "0 for every completed run",
      {Command::sample, Command::resume, Command::combine})
      .choices({"verdict", "plain"})
      .may_change();
}

void declare_output_options(OptionTable& table) {
  const OptionGroup add(table, "Output");
  add("out", Kind::text, "DIR", "",
      "folder for chain-1.csv, chain-2.csv, ... (as CmdStan writes them), draws.nc (as ArviZ reads it) and run.json",
      only_sample)
      .may_change();
  add("out", Kind::text, "DIR", "", "folder for mode.json, which `initial` reads, and run.json", only_optimize);
  add("out", Kind::text, "FILE", "", "the HTML file to write; default: report.html in DIR", {Command::report});
  add("out", Kind::text, "FILE", "", "with `report`: the HTML file to write; default: comparison.html",
      {Command::compare});
  add("out", Kind::text, "FILE", "", "the SVG file to write; default: WHAT.svg", {Command::plot});
  add("out", Kind::text, "FILE", "", "the row file to write, such as rows.sgr", only_pack);
  add("out", Kind::text, "DIR", "",
      "folder to write the data set to, as files that `data` reads: covertype.csv, with features scaled to [0, 1]; "
      "mnist_train_images.npy and the like",
      {Command::data});
  add("folder", Kind::text, "DIR", "",
      "folder that has the files of the data set: nothing is downloaded. Default: the folder named by the environment "
      "variable SGMCMC_DATA, or else the cache, ~/.cache/sgmcmc",
      {Command::data});
  add("what", Kind::choice, "WHAT", "trace", "kind of figure", {Command::plot})
      .choices({"trace", "density", "ranks", "tuning", "verdict"});
  add("watch", Kind::flag, "", "false",
      "serve the report of a running job to a browser on this machine, and update it as draws are added",
      {Command::report});
  add("port", Kind::count, "NUMBER", "0", "with `watch`: port on 127.0.0.1; 0: any free port", {Command::report});
  add("overwrite", Kind::flag, "", "false", "replace a previous run in the folder of `out`", with_initial).may_change();
  add("overwrite", Kind::flag, "", "false", "replace the file of `out`, and start from the beginning", only_pack);
  add("checkpoint-every", Kind::number, "SECONDS", "60",
      "with `out`: seconds between checkpoints, from which sgmcmc resume continues; 0: only at the end and when "
      "interrupted",
      {Command::sample, Command::resume, Command::lda, Command::dpmix, Command::factorize})
      .may_change();
  add("draws-limit", Kind::number, "GB", "2",
      "with `out`: maximum disk space for draws; a run that would exceed it keeps fewer draws", only_sample)
      .may_change();
  add("keep", Kind::text, "NAME", "",
      "write draws of these parameters and outputs only: a variable, an element beta[3], a range beta[1:10], or none; "
      "may be given several times, or as a,b,c. The others are summarised during the run, in summary.csv",
      only_sample)
      .repeatable()
      .adds_to(&RunSettings::keep);
  add("compress", Kind::flag, "", "false",
      "with `out`: compress draws.nc and remove the CSV files when the run is finished, which then cannot be extended",
      only_sample);
  add("report", Kind::flag, "", "false", "also write the comparison as an HTML page", {Command::compare});
  add("report", Kind::flag, "", "false", "with `out`: also write report.html, as sgmcmc report does",
      {Command::sample, Command::resume})
      .may_change();
  add("log-density", Kind::choice, "WORD", "auto",
      "whether to compute the log density of every draw (column lp__) or write 0; auto: compute it if a pass over all "
      "rows costs no more than the iterations between two draws",
      only_sample)
      .sets_choice(&RunSettings::log_density, NamedValues<LogDensityAtDraws>{{"auto", LogDensityAtDraws::automatic},
                                                                             {"always", LogDensityAtDraws::always},
                                                                             {"never", LogDensityAtDraws::never}});
  add("outputs", Kind::choice, "WORD", "auto",
      "transformed parameters and generated quantities to write; auto: all, but above 1000 rows none with one value "
      "per row",
      only_sample)
      .sets_choice(&RunSettings::outputs,
                   NamedValues<KeptOutputs>{
                       {"auto", KeptOutputs::automatic}, {"all", KeptOutputs::all}, {"none", KeptOutputs::none}});
  add("log-likelihood", Kind::flag, "", "false",
      "with `out`: write the log likelihood of each row at each draw to the group log_likelihood of draws.nc, for "
      "ArviZ's loo and waic; taken from log_lik if the generated quantities have one",
      only_sample)
      .may_change();
  add("groups", Kind::text, "LIST", "auto",
      "hierarchical models whose groups are integrated out: groups whose parameters are drawn and written: all, none, "
      "or numbers and ranges such as 1:300,512; auto: all if that is up to 3000 numbers per draw, else evenly spaced "
      "groups",
      only_sample)
      .sets(&RunSettings::groups);
  add("zero-variance", Kind::choice, "WORD", "auto",
      "zero-variance estimates of posterior means, from gradients at the draws, in columns mean_zv, mcse_zv and "
      "gain_zv (how many times more draws the plain mean needs for that error); auto: linear for up to 200 "
      "unconstrained parameters, in JSON only",
      only_sample)
      .sets_choice(
          &RunSettings::zero_variance,
          named<ZeroVarianceForm>(zero_variance_name, {ZeroVarianceForm::automatic, ZeroVarianceForm::none,
                                                       ZeroVarianceForm::linear, ZeroVarianceForm::quadratic}));
  add("only", Kind::text, "NAME", "", "show these variables only; may be given several times, or as a,b,c",
      {Command::sample, Command::resume, Command::summary, Command::compare, Command::calibrate, Command::combine,
       Command::plot})
      .repeatable()
      .may_change();
  add("all", Kind::flag, "", "false", "show every line of a long table",
      {Command::sample, Command::resume, Command::optimize, Command::summary, Command::compare, Command::diagnose,
       Command::calibrate, Command::combine})
      .may_change();
  add("level", Kind::number, "NUMBER", "0.01",
      "false-alarm rate of the whole verdict: all quantities, three tests each", only_calibrate);
  add("columns", Kind::text, "NAMES", "",
      "columns of the table, separated by commas: " + joined(summary_column_names(), ", ") +
          "; or all. iat is the integrated autocorrelation time in draws, atuc in seconds",
      {Command::summary});
  add("json", Kind::flag, "", "false", "print JSON instead of text", every_command_and_resume).may_change();
  add("quiet", Kind::flag, "", "false", "print errors only, and JSON with `json`: no progress, tables or warnings",
      {Command::sample, Command::resume, Command::optimize, Command::calibrate, Command::combine, Command::pack})
      .may_change();
}

void declare_general_options(OptionTable& table) {
  const OptionGroup add(table, "General");
  add("config", Kind::text, "FILE", "",
      "read options from a TOML or JSON file, or from the run.json of a previous run; the command line takes "
      "precedence",
      every_command);
  add("threads", Kind::count, "COUNT", "0", "number of threads; 0: all processors. Results do not depend on it",
      every_command_and_resume)
      .sets(&RunSettings::threads, threads_from)
      .may_change();
  add("help", Kind::flag, "", "false", "show this help", every_command_and_resume);
}

}  // namespace sgmcmc
