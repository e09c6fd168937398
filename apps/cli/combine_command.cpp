// sgmcmc combine: combines runs on all parts of the rows into draws of the posterior given all rows.
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_input.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/run_verdict.hpp"
#include "cli/run_warnings.hpp"
#include "cli/summary_output.hpp"
#include "cli/terminal.hpp"
#include "report/finite.hpp"
#include "report/words.hpp"
#include "service/parts/combine_run.hpp"
#include "service/record/run_json.hpp"
#include "service/sampling/draw_warnings.hpp"

#include <sgmcmc/error.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string closing_line(const CombineRun& run, const StanPosterior& posterior, const RunFolder& folder) {
  std::string text = std::string(combine_method_name(run.options.method)) + " of " + std::to_string(run.parts) +
                     " parts of " + std::to_string(posterior.rows()) + " rows, " + std::to_string(run.chains) +
                     (run.chains == 1 ? " chain" : " chains") + " of " + std::to_string(run.draws_per_chain) + " draws";
  if (std::isfinite(run.acceptance)) text += ", " + digits_text(100 * run.acceptance, 2) + " % of proposals accepted";
  text += ", " + digits_text(run.seconds, 3) + " s";
  if (folder.exists()) text += "; draws in " + folder.path().string();
  return wrapped(text, terminal_width(), 0) + "\n";
}

Json about(const CombineRun& run, const StanPosterior& posterior, const RunFolder& folder,
           const RunWarnings& warnings) {
  Json json = {{"method", combine_method_name(run.options.method)},
               {"parts", run.parts},
               {"rows", posterior.rows()},
               {"chains", run.chains},
               {"draws_per_chain", run.draws_per_chain},
               {"acceptance", number_or_null(run.acceptance)},
               {"bandwidth", number_or_null(run.bandwidth)},
               {"seconds", run.seconds}};
  if (folder.exists()) json["folder"] = folder.path().string();
  json["warnings"] = warnings.all();
  if (run.verdict) json["verdict"] = verdict_json(*run.verdict);
  return json;
}

}  // namespace

int run_combine(const OptionValues& values) {
  if (values.operands.empty())
    throw UsageError(
        "name the folders of the parts: sgmcmc combine DIR..., or the DIR of sgmcmc sample --subposterior all/20 --out "
        "DIR");
  const PartRuns parts(values);
  RunFolder folder(values, parts.call().operands.front());
  RunWarnings warnings(values);
  for (const auto& warning : parts.warnings()) warnings.warn(warning);
  const ModelInput input = load_model(parts.call());
  const bool json = values.flag("json"), quiet = values.flag("quiet");
  ProgressDisplay display(terminal_stream(), stderr_is_terminal() && !quiet, 0, 0);
  const InterruptWatch watch;
  RunHooks hooks;
  hooks.interrupt = watch.flag();
  hooks.warning = [&](const RunWarning& warning) { warnings.add({warning}); };
  hooks.phase = [&](RunPhase phase) {
    if (phase == RunPhase::sampling) display.say("combining " + std::to_string(parts.count()) + " parts ...");
    if (phase == RunPhase::judging) display.say("judging the draws ...");
  };
  const CombineRun run = sgmcmc::run_combine(values, parts, input.posterior, folder, hooks);
  display.clear();
  const auto warn_of_draws = [&] {
    warnings.add(warnings_about_draws(SampleResult(), run.left_out, false, RunSettings()));
  };
  if (json) warn_of_draws();
  DrawsFacts facts;
  facts.seconds = run.seconds;
  facts.known_names = run.all_names;
  facts.shared_error = run.shared_error;
  facts.verdict_follows = run.verdict.has_value();
  print_summary(values, run.draws, facts, json ? about(run, input.posterior, folder, warnings) : Json());
  if (!json) warn_of_draws();
  if (!json && !quiet) {
    std::cout << "\n" << closing_line(run, input.posterior, folder);
    std::cerr.flush();
    if (run.verdict)
      std::cout << verdict_text(*run.verdict,
                                folder.exists() ? "sgmcmc diagnose " + folder.path().string() : std::string());
  }
  return exit_status(values, run.verdict);
}

}  // namespace sgmcmc::cli
