// sgmcmc diagnose: detects biased draws in a run folder, even if its chains agree.
#include "cli/commands.hpp"
#include "cli/model_input.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/words.hpp"
#include "report/bias_table.hpp"
#include "report/json_text.hpp"
#include "service/diagnosis.hpp"
#include "service/record/run_json.hpp"
#include "service/record/saved_draws.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace sgmcmc::cli {
namespace {

void print(const OptionValues& values, const BiasReport& report, const std::vector<std::string>& columns) {
  if (values.flag("json")) {
    std::cout << json_text(diagnosis_json(report, columns), 1) << "\n";
    return;
  }
  BiasTableOptions table;
  if (values.flag("all")) table.most_rows = 0;
  table.how_to_see_all = how_to_see_all;
  std::cout << bias_table(report, table) << "\nverdict: " << trust_words(report.verdict.trust) << "\n";
  for (const auto& sentence : report.verdict.sentences)
    std::cout << "  " << wrapped(sentence, terminal_width(), 2, 2) << "\n";
}

}  // namespace

int run_diagnose(const OptionValues& values) {
  if (values.operands.size() != 1)
    throw UsageError("name the folder of a run: sgmcmc diagnose DIR, the DIR of sgmcmc sample --out DIR");
  const std::string& folder = values.operands.front();
  const Diagnosis diagnosis(values, folder);
  ProgressDisplay display(terminal_stream(), stderr_is_terminal(), 0, 0);
  display.say("reading the draws of " + folder + " ...");
  const auto read = read_saved_draws({folder});
  display.clear();
  for (const auto& warning : read.warnings) std::cerr << "sgmcmc: warning: " << warning << "\n";
  const ModelInput input = load_model(diagnosis.call());
  display.say("comparing the draws with the posterior ...");
  const auto report = diagnosis.report(input.posterior, read.draws);
  display.clear();
  print(values, report, read.draws.names());
  return 0;
}

}  // namespace sgmcmc::cli
