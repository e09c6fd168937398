// Reads the model and data that the record of a run names.
#include "service/model_of_run.hpp"

#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "service/diagnosis.hpp"
#include "settings/table.hpp"
#include "stan/binding/model_variables.hpp"

#include <sgmcmc/error.hpp>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

stan::LikelihoodSpans likelihood_of(const Json& record) {
  stan::LikelihoodSpans spans;
  const Json& statements = part_of(part_of(record, "bound"), "statements");
  if (!statements.is_array()) return spans;
  for (const auto& statement : statements)
    if (text_at(statement, "kind") == "likelihood")
      spans.push_back({statement.value("begin", 0U), statement.value("end", 0U)});
  return spans;
}

}  // namespace

RunModel model_of_run(const ReportedRun& run, const std::filesystem::path& folder, int threads) {
  const Diagnosis diagnosis(OptionValues(Command::diagnose), folder);
  const OptionValues& call = diagnosis.call();
  if (call.operands.empty()) throw FileError("the record of the run names no model");
  RunModel model;
  model.text = stan::read_model(call.operands.front(), call.texts("include"));
  std::vector<WantedVariable> wanted;
  stan::add_wanted(*model.text.program, wanted);
  ThreadPool pool(threads);
  model.data = read_data(call.texts("data"), wanted, &pool);
  model.rows = text_at(part_of(run.record, "options"), "rows");
  model.likelihood = likelihood_of(run.record);
  return model;
}

}  // namespace sgmcmc
