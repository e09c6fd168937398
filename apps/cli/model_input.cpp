// Reading the model, its data, and files of points.
#include "cli/model_input.hpp"

#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "cli/command_table.hpp"
#include "cli/interrupt.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "service/option_settings.hpp"
#include "settings/toml.hpp"
#include "stan/binding/model_variables.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/stan.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <sstream>

namespace sgmcmc::cli {
namespace {

/// What to do with a folder where a model was expected.
std::string words_on_folder(const std::filesystem::path& folder) {
  const std::string name = folder.string();
  std::error_code ignored;
  std::string text = "'" + name + "' is a folder, not a model";
  if (std::filesystem::exists(folder / "run.json", ignored))
    return text + "; it holds a run: use sgmcmc summary " + name + " or sgmcmc diagnose " + name;
  std::vector<std::string> models;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".stan") models.push_back(entry.path().string());
  std::sort(models.begin(), models.end());
  constexpr std::size_t most = 8;
  if (models.size() > most) models.resize(most);
  return text + (models.empty() ? "; name a file in the Stan language" : "; it contains " + quoted_list(models));
}

}  // namespace

std::string model_path(const OptionValues& values) {
  const auto& declaration = declaration_of(values.command());
  if (values.operands.empty())
    throw UsageError("name the model: sgmcmc " + declaration.name + " MODEL ...; a file in the Stan language");
  if (values.operands.size() > 1)
    throw UsageError("one model is expected, but '" + values.operands[0] + "' and '" + values.operands[1] +
                     "' are given; data files follow --data");
  const std::filesystem::path path = values.operands.front();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw UsageError(words_on_folder(path));
  return path.string();
}

stan::BindOptions bind_options(const OptionValues& values) {
  stan::BindOptions options;
  options.rows = values.text("rows");
  options.precision = precision_of(values);
  return options;
}

DataVariables read_model_data(const OptionValues& values, const std::vector<stan::ModelText>& programs) {
  std::vector<WantedVariable> wanted;
  for (const auto& text : programs) stan::add_wanted(*text.program, wanted);
  ThreadPool pool(values.threads());
  return read_data(values.texts("data"), wanted, &pool);
}

ModelInput load_model(const OptionValues& values) {
  const std::string path = model_path(values);
  ProgressDisplay display(terminal_stream(), stderr_is_terminal() && !values.flag("quiet"), 0, 0);
  display.say("reading " + path + (values.given("data") ? " and its data ..." : " ..."));
  const StanModel model = StanModel::from_file(path, values.texts("include"));
  StanData data;
  for (const auto& argument : values.texts("data")) data.file(argument);
  StanBindOptions options;
  options.rows = values.text("rows");
  options.precision = precision_of(values);
  options.threads = values.threads();
  options.keep_outcomes = values.command() == Command::sample && values.given("out");
  options.print = [lock = std::make_shared<std::mutex>()](const std::string& text) {
    const std::lock_guard<std::mutex> own(*lock);
    std::cerr << text << "\n";
  };
  ModelInput input{path, model.text(), {}, nullptr};
  {
    const InterruptWatch watch;
    options.interrupt = watch.flag();  // outlives the watch: outputs of draws look at it, too
    input.posterior = model.bind(data, options);
    input.bound = &input.posterior->bound();
  }
  if (options.interrupt->load()) std::raise(SIGINT);  // ends the program, as it does outside the watch
  if (input.bound->model().dimension() == 0 && values.command() != Command::check)
    throw ModelError(input.path + ": the model has no parameters, so there is nothing to " +
                     (values.command() == Command::log_density ? "evaluate" : declaration_of(values.command()).name));
  return input;
}

void show_warnings(const OptionValues& values, const ModelInput& input) {
  if (values.flag("quiet")) return;
  for (const auto& note : values.notes) std::cerr << "sgmcmc: warning: " << note << "\n";
  for (const auto& warning : warnings_of(input)) std::cerr << stan::render(*input.text.source, warning) << "\n";
}

std::vector<stan::Warning> warnings_of(const ModelInput& input) {
  return input.bound ? stan::all_warnings(input.text, *input.bound) : input.text.warnings;
}

}  // namespace sgmcmc::cli
