// Finds the mode and writes it.
#include "service/optimize_run.hpp"

#include "report/finite.hpp"
#include "report/json_text.hpp"
#include "service/given/option_settings.hpp"
#include "settings/run_record.hpp"

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

/// Nests numbers from `next` on into lists, outermost axis first.
Json nested(const double*& next, const Shape& shape, std::size_t axis = 0) {
  if (axis == shape.rank()) return number_or_null(*next++);
  Json list = Json::array();
  for (std::int64_t i = 0; i < shape[axis]; ++i) list.push_back(nested(next, shape, axis + 1));
  return list;
}

}  // namespace

OptimizeRun run_optimize(const OptionValues& values, const StanPosterior& posterior, RunFolder& folder) {
  const RunSettings settings = run_settings(values, posterior.model());
  SearchOptions search;
  search.gain_tolerance = values.number("gain-tolerance");
  search.jacobian = values.text("jacobian") == "true";
  OptimizeRun run;
  run.optimum = naming_options(values, [&] { return find_optimum(posterior, settings, search); });
  run.parameters = run.outputs = Json::object();
  const double* next = run.optimum.values.data();
  for (const auto& info : posterior.model().parameters()) run.parameters[info.name] = nested(next, info.shape);
  for (const auto& output : posterior.outputs()) run.outputs[output.name] = nested(next, output.shape);
  if (folder.exists()) {
    folder.start();
    write_whole(folder.path() / "mode.json", json_text(run.parameters, 2) + "\n");
    folder.record()["mode"] = run.optimum.mode.report.describe();
    folder.write_record("finished");
  }
  return run;
}

}  // namespace sgmcmc
