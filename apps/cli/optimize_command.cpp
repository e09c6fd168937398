// sgmcmc optimize: the mode, on the constrained scale.
#include "cli/commands.hpp"
#include "cli/model_input.hpp"
#include "cli/words.hpp"
#include "report/finite.hpp"
#include "report/words.hpp"
#include "service/optimum.hpp"
#include "service/option_settings.hpp"
#include "service/record/run_folder.hpp"
#include "settings/run_record.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <numeric>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Nested lists, outermost axis first.
Json nested(const double*& next, const Shape& shape, std::size_t axis = 0) {
  if (axis == shape.rank()) return number_or_null(*next++);
  Json list = Json::array();
  for (std::int64_t i = 0; i < shape[axis]; ++i) list.push_back(nested(next, shape, axis + 1));
  return list;
}

/// Of more than `most`, scalars come first.
std::string table(const std::vector<std::string>& names, const std::vector<double>& numbers, std::size_t most) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto is_scalar = [&](std::size_t i) { return names[i].find('[') == std::string::npos; };
  if (names.size() > most) {
    std::stable_partition(order.begin(), order.end(), is_scalar);
    order.resize(most);
  }
  std::size_t width = 8;
  for (const std::size_t i : order) width = std::max(width, names[i].size());
  std::string text;
  for (const std::size_t i : order)
    text += names[i] + std::string(width - names[i].size(), ' ') + " " + digits_text(numbers[i], 6, 12) + "\n";
  if (order.size() < names.size())
    text += "... and " + std::to_string(names.size() - order.size()) + " more; " + how_to_see_all + "\n";
  return text;
}

}  // namespace

int run_optimize(const OptionValues& values) {
  RunFolder folder(values, model_path(values));
  const auto input = load_model(values);
  const StanPosterior& posterior = input.posterior;
  const Model& model = posterior.model();
  const RunSettings settings = run_settings(values, model);
  show_warnings(values, posterior.warnings());
  const Optimum optimum =
      naming_options(values, [&] { return find_optimum(posterior, settings, values.number("gain-tolerance")); });
  const OptimizeReport& found = optimum.mode.report;
  if (!optimum.outputs_problem.empty() && !values.flag("quiet"))
    std::cerr << "sgmcmc: warning: not all outputs can be computed at the mode:\n" << optimum.outputs_problem << "\n";

  Json by_parameter = Json::object(), by_output = Json::object();
  const double* next = optimum.values.data();
  for (const auto& info : model.parameters()) by_parameter[info.name] = nested(next, info.shape);
  for (const auto& output : posterior.outputs()) by_output[output.name] = nested(next, output.shape);
  Json report = {{"parameters", by_parameter}, {"outputs", by_output}};
  if (optimum.method == "lbfgs") report["log_density"] = found.value;
  report["converged"] = found.converged();
  report["iterations"] = found.iterations;
  report["evaluations"] = found.evaluations;
  report["report"] = found.describe();

  if (folder.exists()) {
    folder.start();
    write_whole(folder.path() / "mode.json", by_parameter.dump(2) + "\n");
    folder.record()["mode"] = found.describe();
    folder.write_record("finished");
  }
  if (values.flag("json")) {
    std::cout << report.dump(2) << "\n";
  } else if (!values.flag("quiet")) {
    std::cout << table(optimum.names, optimum.values, values.flag("all") ? optimum.names.size() : 60) << "\n";
    if (optimum.method == "lbfgs") std::printf("log density %.10g\n", found.value), std::fflush(stdout);
    std::cout << optimum.method << ": " << found.describe() << "\n";
  }
  return 0;
}

}  // namespace sgmcmc::cli
