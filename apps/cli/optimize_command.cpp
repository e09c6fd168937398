// sgmcmc optimize: the mode, on the constrained scale.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/model_input.hpp"
#include "cli/words.hpp"
#include "model/constrained_values.hpp"
#include "service/finite.hpp"
#include "service/initial_values.hpp"
#include "service/option_settings.hpp"
#include "service/run_folder.hpp"
#include "settings/methods.hpp"
#include "settings/run_record.hpp"

#include <sgmcmc/dynamics.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/sample.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <numeric>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

ModeResult find(const OptionValues& values, const std::string& method, const Model& model) {
  std::vector<double> start;
  if (values.given("initial")) start = model.unconstrain(read_initial(values.text("initial"), model));
  if (method == "lbfgs") {
    LbfgsOptions options;
    if (values.given("iterations")) options.max_iterations = values.count("iterations");
    options.gain_tolerance = values.number("gain-tolerance");
    return find_mode(model, options, start, values.threads());
  }
  const auto gradient = gradient_options(values, estimator_of(method), model);
  const auto set_common = [&](auto& options) {
    if (values.given("iterations")) options.iterations = values.count("iterations");
    if (values.given("schedule")) {
      SamplerOptions reader = SgldOptions{};  // the samplers' own way of reading a schedule
      set_option(reader, "schedule", values.text("schedule"));
      options.schedule = std::get<SgldOptions>(reader).schedule;
    }
  };
  if (method.starts_with("adam")) {
    AdamOptions options;
    set_common(options);
    if (values.given("step-size")) options.step_size = step_size_for(values, method, model);
    return find_mode(model, options, gradient, start, values.count("seed"));
  }
  SgdOptions options;
  set_common(options);
  options.step_size = step_size_for(values, method, model);
  return find_mode(model, options, gradient, start, values.count("seed"));
}

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
    text += names[i] + std::string(width - names[i].size(), ' ') + formatted(" %12.6g\n", numbers[i]);
  if (order.size() < names.size())
    text += "... and " + std::to_string(names.size() - order.size()) + " more; " + how_to_see_all + "\n";
  return text;
}

}  // namespace

int run_optimize(const OptionValues& values) {
  RunFolder folder(values, model_path(values));
  auto input = load_model(values);
  auto& bound = *input.bound;
  const Model& model = bound.model();
  const std::string method = method_for(values, bound);
  show_warnings(values, input);
  const ModeResult mode = find(values, method, model);

  std::vector<double> numbers = constrained_values(LogPosterior(model), mode.theta);
  const std::size_t parameters = numbers.size();
  numbers.resize(parameters + bound.output_size());
  try {
    bound.evaluate_outputs(
        std::vector<double>(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(parameters)),
        values.count("seed"), 0, 0, std::span(numbers).subspan(parameters));
  } catch (const stan::LimitError&) {
    throw;
  } catch (const Error& error) {  // the mode is found all the same
    if (!values.flag("quiet"))
      std::cerr << "sgmcmc: warning: not all outputs can be computed at the mode:\n" << error.what() << "\n";
  }
  auto names = model.constrained_names();
  for (auto& name : choose_outputs(bound, KeptOutputs::all).names) names.push_back(std::move(name));

  Json by_parameter = Json::object(), by_output = Json::object();
  const double* next = numbers.data();
  for (const auto& info : model.parameters()) by_parameter[info.name] = nested(next, info.shape);
  for (const auto& output : bound.outputs()) by_output[output.name] = nested(next, output.shape);
  Json report = {{"parameters", by_parameter}, {"outputs", by_output}};
  if (method == "lbfgs") report["log_density"] = mode.report.value;
  report["converged"] = mode.report.converged();
  report["iterations"] = mode.report.iterations;
  report["evaluations"] = mode.report.evaluations;
  report["report"] = mode.report.describe();

  if (folder.exists()) {
    folder.start();
    write_whole(folder.path() / "mode.json", by_parameter.dump(2) + "\n");
    folder.record()["mode"] = mode.report.describe();
    folder.write_record("finished");
  }
  if (values.flag("json")) {
    std::cout << report.dump(2) << "\n";
  } else if (!values.flag("quiet")) {
    std::cout << table(names, numbers, values.flag("all") ? names.size() : 60) << "\n";
    if (method == "lbfgs") std::printf("log density %.10g\n", mode.report.value), std::fflush(stdout);
    std::cout << method << ": " << mode.report.describe() << "\n";
  }
  return 0;
}

}  // namespace sgmcmc::cli
