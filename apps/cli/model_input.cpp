// Reads the model and its data.
#include "cli/model_input.hpp"

#include "cli/command_table.hpp"
#include "cli/interrupt.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "report/words.hpp"
#include "service/given/option_settings.hpp"
#include "service/pass_words.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <utility>

namespace sgmcmc::cli {
namespace {

/// The message for a folder given as model.
std::string words_on_folder(const std::filesystem::path& folder) {
  const std::string name = folder.string();
  std::error_code ignored;
  std::string text = "'" + name + "' is a folder, not a model";
  if (std::filesystem::exists(folder / "run.json", ignored))
    return text + "; it contains a run: use sgmcmc summary " + name + " or sgmcmc diagnose " + name;
  std::vector<std::string> models;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".stan") models.push_back(entry.path().string());
  std::sort(models.begin(), models.end());
  constexpr std::size_t most = 8;
  if (models.size() > most) models.resize(most);
  return text + (models.empty() ? "; give a file in the Stan language" : "; it contains " + quoted_list_text(models));
}

}  // namespace

std::string model_path(const OptionValues& values) {
  const auto& declaration = declaration_of(values.command());
  if (values.operands.empty())
    throw UsageError("name the model: sgmcmc " + declaration.name + " MODEL ...; a file in the Stan language");
  if (values.operands.size() > 1)
    throw UsageError("expected one model, but '" + values.operands[0] + "' and '" + values.operands[1] +
                     "' are given; give data files with --data");
  const std::filesystem::path path = values.operands.front();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw UsageError(words_on_folder(path));
  return path.string();
}

ModelInput load_model(const OptionValues& values, std::shared_ptr<const RowShare> share) {
  const std::string path = model_path(values);
  ProgressDisplay display(terminal_stream(), stderr_is_terminal() && !values.flag("quiet"), 0, 0);
  display.say("reading " + path + (values.given("data") ? " and its data ..." : " ..."));
  StanModel model = StanModel::from_file(path, values.texts("include"));
  StanBindOptions options = bind_options(values);
  options.share = std::move(share);
  display.watch(watch_row_files(options));
  options.print = [lock = std::make_shared<std::mutex>()](const std::string& text) {
    const std::lock_guard<std::mutex> own(*lock);
    std::cerr << text << "\n";
  };
  const auto bind = [&] {
    const InterruptWatch watch;
    options.interrupt = watch.flag();  // outlives the watch: outputs of draws also poll it
    return model.bind(data_of(values), options);
  };
  StanPosterior posterior = bind();
  if (options.interrupt->load()) std::raise(SIGINT);  // ends the program as outside the watch
  if (posterior.model().dimension() == 0 && values.command() != Command::check)
    throw ModelError(path + ": the model has no parameters, so there is nothing to " +
                     (values.command() == Command::log_density ? "evaluate" : declaration_of(values.command()).name));
  return {std::move(model), std::move(posterior)};
}

void show_warnings(const OptionValues& values, const std::vector<std::string>& model_warnings) {
  if (values.flag("quiet")) return;
  for (const auto& note : values.notes) std::cerr << "sgmcmc: warning: " << note << "\n";
  for (const auto& warning : model_warnings) std::cerr << warning << "\n";
}

}  // namespace sgmcmc::cli
