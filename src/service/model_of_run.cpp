// From the record of a run to its model and data.
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

constexpr double most_bytes = 20e6, most_rows = 200'000;

void refuse_large_data(const Json& record) {
  double bytes = 0;
  if (const Json& files = part_of(record, "data"); files.is_array())
    for (const auto& entry : files)
      if (const Json& size = part_of(entry, "bytes"); size.is_number()) bytes += size.get<double>();
  if (bytes > most_bytes)
    throw DataError("the data files have " + short_number(bytes / 1e6) + " MB, and are not read again above " +
                    short_number(most_bytes / 1e6) + " MB");
  const Json& rows = part_of(part_of(record, "bound"), "rows");
  if (rows.is_number() && rows.get<double>() > most_rows)
    throw DataError(
        formatted("the data have %.0f rows, and are not read again above %.0f", rows.get<double>(), most_rows));
}

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
  refuse_large_data(run.record);
  const Diagnosis diagnosis(OptionValues(Command::diagnose), folder);
  const OptionValues& call = diagnosis.call();
  if (call.operands.empty()) throw FileError("the record of the run names no model");
  RunModel model;
  model.text = stan::read_model(call.operands.front(), call.texts("include"));
  std::vector<WantedVariable> wanted;
  stan::add_wanted(*model.text.program, wanted);
  ThreadPool pool(threads);
  model.data = read_data(call.texts("data"), wanted, &pool);
  constexpr std::int64_t most_written_out = 50'000'000;
  for (const auto& [name, variable] : model.data.by_name)
    if (variable.array.is_sparse() && variable.array.shape().size() > most_written_out)
      throw DataError("'" + name + "' is a sparse matrix that is too large to be written out");
  model.rows = text_at(part_of(run.record, "options"), "rows");
  model.likelihood = likelihood_of(run.record);
  return model;
}

}  // namespace sgmcmc
