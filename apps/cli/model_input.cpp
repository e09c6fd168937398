// Reading the model and its data, and finding which of them were observed.
#include "cli/model_input.hpp"

#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "cli/interrupt.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/toml.hpp"
#include "cli/words.hpp"

#include <sgmcmc/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <set>
#include <sstream>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t most_observed_values = 1'000'000;  // more are not copied into draws.nc

void add_wanted(const stan::Program& program, std::vector<WantedVariable>& wanted) {
  for (const auto& statement : program.data.statements) {
    const auto* declaration = std::get_if<stan::Declaration>(&statement->form);
    if (!declaration) continue;
    if (std::none_of(wanted.begin(), wanted.end(), [&](const auto& each) { return each.name == declaration->name; }))
      wanted.push_back({declaration->name, declaration->type.is_integer() ? WantedKind::integer : WantedKind::real});
  }
}

/// Names on the left of sampling statements, at any depth.
void collect_outcomes(const stan::Statement& statement, std::set<std::string>& names) {
  const auto visit = [&](const stan::StatementPointer& inner) {
    if (inner) collect_outcomes(*inner, names);
  };
  if (const auto* sampling = std::get_if<stan::Sampling>(&statement.form)) {
    const stan::Tree* left = sampling->left.get();
    while (const auto* indexed = std::get_if<stan::Indexed>(&left->form)) left = indexed->container.get();
    if (const auto* name = std::get_if<stan::Name>(&left->form)) names.insert(name->name);
  } else if (const auto* loop = std::get_if<stan::For>(&statement.form)) {
    visit(loop->body);
  } else if (const auto* each = std::get_if<stan::ForEach>(&statement.form)) {
    visit(each->body);
  } else if (const auto* conditional = std::get_if<stan::If>(&statement.form)) {
    visit(conditional->then);
    visit(conditional->otherwise);
  } else if (const auto* block = std::get_if<stan::Block>(&statement.form)) {
    for (const auto& inner : block->statements) visit(inner);
  }
}

std::vector<ObservedArray> observed_in(const stan::Program& program, const DataVariables& data) {
  std::set<std::string> names;
  for (const auto& statement : program.model.statements) collect_outcomes(*statement, names);
  std::vector<ObservedArray> observed;
  for (const auto& name : names) {
    const auto* variable = data.find(name);
    if (!variable || variable->array.is_sparse() || variable->array.size() > most_observed_values) continue;
    const auto& array = variable->array;
    ObservedArray copy{name, array.shape(), {}, array.is_integer()};
    copy.values.resize(static_cast<std::size_t>(array.size()));
    for (std::int64_t i = 0; i < array.size(); ++i) copy.values[static_cast<std::size_t>(i)] = array[i];
    observed.push_back(std::move(copy));
  }
  return observed;
}

Json read_json(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return Json::parse(text.str());
  } catch (const Json::parse_error& error) {
    throw DataError(json_mistake(path, text.str(), error.byte, error.what()));
  }
}

void flatten(const Json& value, const std::string& where, std::vector<double>& numbers) {
  if (value.is_array()) {
    for (const auto& element : value) flatten(element, where, numbers);
  } else if (value.is_number()) {
    numbers.push_back(value.get<double>());
  } else {
    throw DataError(where + ": expected numbers, found " + value.dump());
  }
}

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
  options.precision = values.text("precision") == "float" ? Precision::float32 : Precision::float64;
  return options;
}

DataVariables read_model_data(const OptionValues& values, const std::vector<stan::ModelText>& programs) {
  std::vector<WantedVariable> wanted;
  for (const auto& text : programs) add_wanted(*text.program, wanted);
  ThreadPool pool(values.threads());
  return read_data(values.texts("data"), wanted, &pool);
}

ModelInput load_model(const OptionValues& values) {
  ModelInput input;
  input.path = model_path(values);
  ProgressDisplay display(terminal_stream(), stderr_is_terminal() && !values.flag("quiet"), 0, 0);
  display.say("reading " + input.path + (values.given("data") ? " and its data ..." : " ..."));
  input.text = stan::read_model(input.path, values.texts("include"));
  auto data = read_model_data(values, {input.text});
  if (values.command() == Command::sample && values.given("out"))
    input.observed = observed_in(*input.text.program, data);
  stan::BindOptions options = bind_options(values);
  options.consume_data = true;
  options.print = [lock = std::make_shared<std::mutex>()](const std::string& text) {
    const std::lock_guard<std::mutex> own(*lock);
    std::cerr << text << "\n";
  };
  {
    const InterruptWatch watch;
    options.interrupt = watch.flag();  // outlives the watch: outputs of draws look at it, too
    input.bound = std::make_unique<stan::BoundModel>(input.text.source, input.text.program, data, options);
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
  for (const auto& warning : warnings_of(input)) std::cerr << rendered_warning(*input.text.source, warning) << "\n";
}

std::vector<stan::Warning> warnings_of(const ModelInput& input) {
  auto warnings = input.text.warnings;
  if (!input.bound) return warnings;
  for (const auto& warning : input.bound->warnings())
    if (std::none_of(warnings.begin(), warnings.end(), [&](const auto& known) {
          return known.span.begin == warning.span.begin && known.message == warning.message;
        }))
      warnings.push_back(warning);
  return warnings;
}

std::string rendered_warning(const stan::Source& source, const stan::Warning& warning) {
  std::string text = source.render(warning.span, warning.message, warning.help);
  const auto word = text.find(": error: ");
  if (word != std::string::npos) text.replace(word, 9, ": warning: ");
  return text;
}

std::string words_on_few_rows(const stan::BoundModel& bound) {
  if (!bound.few_rows()) return "";
  const auto& [name, rows] = *bound.few_rows();
  const bool data_count = std::any_of(bound.statements().begin(), bound.statements().end(), [](const auto& statement) {
    return statement.kind != stan::StatementReport::Kind::prior;
  });
  if (rows == 1) return "the data have a single row, " + name + " = 1: every method uses all data at each step";
  return "the data have no rows, " + name + " = 0" +
         (data_count ? "" : ": no statement of the model depends on data, and the posterior is the prior");
}

std::vector<std::string> element_names(const std::string& name, const Shape& shape) {
  if (shape.is_scalar()) return {name};
  std::vector<std::string> names;
  std::vector<std::int64_t> index(shape.rank(), 1);
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    std::vector<std::string> texts;
    for (const auto at : index) texts.push_back(std::to_string(at));
    names.push_back(name + "[" + joined(texts, ",") + "]");
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] <= shape[axis]) break;
      index[axis] = 1;
    }
  }
  return names;
}

ChosenOutputs choose_outputs(const stan::BoundModel& bound, const std::string& choice, const std::string& needed) {
  ChosenOutputs chosen;
  std::size_t position = 0;
  for (const auto& output : bound.outputs()) {
    const auto& dims = output.shape.dims();
    const bool by_rows = bound.rows() > 1000 && std::find(dims.begin(), dims.end(), bound.rows()) != dims.end();
    const auto size = static_cast<std::size_t>(output.shape.size());
    if (choice == "all" || (choice == "auto" && !by_rows) || output.name == needed) {
      for (auto& name : element_names(output.name, output.shape)) chosen.names.push_back(std::move(name));
      for (std::size_t i = 0; i < size; ++i) chosen.positions.push_back(position + i);
    } else {
      chosen.left_out.push_back(output.name);
    }
    position += size;
  }
  return chosen;
}

std::map<std::string, std::vector<double>> read_initial(const std::string& path, const Model& model) {
  const Json contents = read_json(path);
  if (!contents.is_object()) throw DataError(path + ": expected {\"parameter\": value, ...}");
  std::map<std::string, std::vector<double>> initial;
  for (const auto& [name, value] : contents.items()) flatten(value, path + ": '" + name + "'", initial[name]);
  try {
    (void)model.unconstrain(initial);
  } catch (const DataError& error) {
    throw DataError(path + ": " + error.what());
  }
  return initial;
}

std::vector<std::vector<double>> read_points(const std::string& path, std::size_t dimension) {
  const Json contents = read_json(path);
  const std::string expected = path + ": expected {\"unconstrained\": [[...], ...]}";
  if (!contents.is_object() || !contents.contains("unconstrained") || !contents["unconstrained"].is_array())
    throw DataError(expected);
  std::vector<std::vector<double>> points;
  for (const auto& point : contents["unconstrained"]) {
    const std::string where = path + ": point " + std::to_string(points.size() + 1);
    if (!point.is_array()) throw DataError(where + " is not a list of numbers: one list per point");
    auto& numbers = points.emplace_back();
    flatten(point, where, numbers);
    if (numbers.size() != dimension)
      throw DataError(where + " has " + std::to_string(numbers.size()) + " coordinates; the model has " +
                      std::to_string(dimension) + " unconstrained parameters");
  }
  return points;
}

}  // namespace sgmcmc::cli
