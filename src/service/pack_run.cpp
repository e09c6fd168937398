// Determines from the sizes declared in the model which variables have one entry per row, and writes them.
#include "service/pack_run.hpp"

#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "data/data_argument.hpp"
#include "data/row_files/file_sources.hpp"
#include "service/pack_batches.hpp"
#include "service/pack_lock.hpp"
#include "stan/binding/model_file.hpp"
#include "stan/binding/model_variables.hpp"

#include <sgmcmc/error.hpp>

#include <chrono>
#include <filesystem>
#include <map>
#include <set>

namespace sgmcmc {
namespace {

/// The first size of every array in the data block, as written in the model.
std::map<std::string, std::string> first_sizes(const stan::ModelText& text) {
  std::map<std::string, std::string> sizes;
  for (const auto& statement : text.program->data.statements) {
    const auto* declaration = std::get_if<stan::Declaration>(&statement->form);
    if (declaration && !declaration->sizes.empty())
      sizes[declaration->name] = std::string(text.source->text(declaration->sizes[0]->span));
  }
  return sizes;
}

std::vector<std::string> names_of(const std::map<std::string, std::string>& sizes) {
  std::vector<std::string> names;
  for (const auto& [name, size] : sizes) names.push_back(name);
  return names;
}

/// Variables whose first size is that of the variable with the most rows, or the size that the user names.
std::set<std::string> variables_over_rows(const OptionValues& values, const DataVariables& data,
                                          const std::map<std::string, std::string>& sizes) {
  std::string axis = values.text("rows");
  std::int64_t most = 0;
  for (const auto& [name, variable] : data.by_name) {
    const auto size = sizes.find(name);
    if (values.given("rows") || size == sizes.end() || variable.array.shape().is_scalar()) continue;
    if (variable.array.shape()[0] <= most) continue;
    most = variable.array.shape()[0];
    axis = size->second;
  }
  std::set<std::string> names;
  for (const auto& [name, variable] : data.by_name)
    if (const auto size = sizes.find(name); size != sizes.end() && size->second == axis) names.insert(name);
  if (names.empty())
    throw UsageError(values.given("rows")
                         ? values.where("rows") + ": no data are declared with the size '" + axis + "' first"
                         : "the data files have none of the arrays that the model declares (" +
                               quoted_list(names_of(sizes)) + "), so there are no rows to pack. For columns of a CSV " +
                               "file, write " + values.written("data", "NAME=FILE:COLUMNS"));
  for (const auto& [name, size] : sizes)
    if (size == axis && !names.contains(name))
      throw UsageError("the data files do not have '" + name + "', which the model declares over the same rows as '" +
                       *names.begin() +
                       "'. Give it, too: it cannot be added later, because the rows are in random order");
  return names;
}

/// Throws UsageError if the file to write is one of those that are read.
void refuse_own_input(const OptionValues& values, const std::string& model) {
  std::vector<std::string> read = {model};
  for (const std::string& argument : values.texts("data")) read.push_back(parse_data_argument(argument).file);
  std::error_code ignored;
  for (const std::string& file : read)
    if (std::filesystem::equivalent(file, values.text("out"), ignored))
      throw UsageError(values.where("out") + ": '" + values.text("out") +
                       "' is read by this call and would be replaced; name another file");
}

}  // namespace

PackRun run_pack(const OptionValues& values, const std::string& model, const PackHooks& hooks) {
  if (!values.given("data")) throw UsageError("name the data files: " + values.written("data", "FILE"));
  if (!values.given("out")) throw UsageError("name the file to write: " + values.written("out", "rows.sgr"));
  refuse_own_input(values, model);
  const auto start = std::chrono::steady_clock::now();
  const stan::ModelText text = stan::read_model(model, values.texts("include"));
  std::vector<WantedVariable> wanted;
  stan::add_wanted(*text.program, wanted);
  ThreadPool pool(values.threads());
  const DataOutline outline = outline_data(values.texts("data"), wanted, &pool, hooks.interrupt);
  PackOptions options;
  options.path = values.text("out");
  options.key = values.count("seed");
  if (values.given("precision"))
    options.precision = values.text("precision") == "float" ? Precision::float32 : Precision::float64;
  options.group_by = values.text("group-by");
  options.overwrite = values.flag("overwrite");
  options.pool = &pool;
  options.interrupt = hooks.interrupt;
  options.progress = hooks.progress;
  const PackInput input = input_from_files(values.texts("data"), wanted, outline,
                                           variables_over_rows(values, outline.variables, first_sizes(text)), options);
  if (values.given("group-by"))
    if (const std::string why = why_not_grouped(input, options.group_by); !why.empty())
      throw UsageError(values.where("group-by") + ": " + why);
  PackRun run = pack_batches(input, options);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return run;
}

std::vector<DeclaredData> declared_data(const std::string& path, const std::string& code,
                                        const std::vector<std::string>& include) {
  const stan::ModelText text =
      path.empty() ? stan::read_model_text("model.stan", code, include) : stan::read_model(path, include);
  const auto sizes = first_sizes(text);
  std::vector<WantedVariable> wanted;
  stan::add_wanted(*text.program, wanted);
  std::vector<DeclaredData> declared;
  for (const WantedVariable& variable : wanted) {
    const auto size = sizes.find(variable.name);
    declared.push_back({variable.name, variable.kind == WantedKind::integer, size == sizes.end() ? "" : size->second});
  }
  return declared;
}

PackRun pack_batches(const PackInput& input, const PackOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const PackLock lock(options.path);
  const PackedRows packed = pack_rows(input, options);
  PackRun run;
  run.path = options.path;
  run.rows = packed.layout.rows;
  run.blocks = packed.layout.blocks();
  run.bytes = packed.layout.file_bytes;
  run.group_by = packed.layout.group_by;
  for (const auto& column : packed.layout.columns)
    run.columns.push_back({column.name, storage_name(column.type), column.row_shape.dims()});
  for (const auto& constant : packed.layout.constants) run.constants.push_back(constant.name);
  run.continued = packed.continued;
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return run;
}

}  // namespace sgmcmc
