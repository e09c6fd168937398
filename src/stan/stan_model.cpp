// The public API of models in the Stan language.
#include "base/thread_pool.hpp"
#include "data/variables.hpp"
#include "stan/binding/model_file.hpp"
#include "stan/binding/model_variables.hpp"
#include "stan/binding/row_order.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/stan.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace sgmcmc {

struct StanData::Parts {
  std::vector<std::string> files;
  std::map<std::string, DataArray> arrays;

  void add(const std::string& name, DataArray array) {
    if (!arrays.emplace(name, std::move(array)).second) throw DataError("the data have '" + name + "' twice");
  }
};

struct StanModel::Parts {
  stan::ModelText text;
  std::string name;
};

struct StanPosterior::Parts {
  std::optional<StanModel> model;
  std::unique_ptr<stan::BoundModel> bound;
  Precision precision = Precision::float64;
  std::vector<StanValues> outcomes;
  std::vector<std::string> data_files;
  std::optional<Subposterior> part;
};

namespace {

/// The file of a variable, without the column.
std::string file_in(const DataVariable& variable) {
  return variable.source.substr(0, variable.source.rfind(": column "));
}

/// Throws DataError if the rows of a row file, which are in an order of their own, would be combined with an array over
/// the same rows from elsewhere.
void refuse_rows_in_other_order(const stan::ModelText& text, const DataVariables& data) {
  std::map<std::string, std::string> packed;  // a variable of a row file for each first size, as written in the model
  for (const bool is_packed : {true, false})
    for (const auto& statement : text.program->data.statements) {
      const auto* declaration = std::get_if<stan::Declaration>(&statement->form);
      const DataVariable* const variable = declaration ? data.find(declaration->name) : nullptr;
      if (!variable || declaration->sizes.empty() || variable->array.is_packed() != is_packed) continue;
      const std::string size(text.source->text(declaration->sizes[0]->span));
      if (is_packed) {
        packed.emplace(size, declaration->name);
      } else if (const auto other = packed.find(size); other != packed.end()) {
        if (file_in(*variable) == file_in(*data.find(other->second)))
          throw DataError(variable->source + ": '" + declaration->name + "' was packed with another type than the " +
                          "model declares: as whole numbers (int) where it has real ones (vector, matrix or real), " +
                          "or the other way round. Pack the data again with this model, or declare '" +
                          declaration->name + "' as the model did that packed it");
        throw DataError(variable->source + ": '" + declaration->name + "' has the rows of '" + other->second + "' (" +
                        data.find(other->second)->source + "), but a row file has its rows in random order, so they " +
                        "would not match. Pack '" + declaration->name + "' and '" + other->second + "' together");
      }
    }
}

template <class Number>
void check_count(const std::string& name, std::span<const Number> values, const Shape& shape) {
  if (static_cast<std::int64_t>(values.size()) != shape.size())
    throw DataError("'" + name + "' of shape " + shape.to_string() + " takes " + std::to_string(shape.size()) +
                    " values; " + std::to_string(values.size()) + " are given");
}

template <class Number>
DataArray array_of(const std::string& name, std::span<const Number> values, const Shape& shape) {
  check_count(name, values, shape);
  return DataArray::copy_of(values, shape);
}

template <class Number>
DataArray lent_array(const std::string& name, std::span<const Number> values, const Shape& shape,
                     std::shared_ptr<const void> owner) {
  check_count(name, values, shape);
  if (!owner) throw DataError("'" + name + "' is borrowed, but no owner was given");
  return DataArray::lent(values, shape, std::move(owner));
}

template <class Number>
GrowingMemory<Number> memory_of(std::span<const Number> values) {
  GrowingMemory<Number> memory;
  for (const Number value : values) memory.push_back(value);
  return memory;
}

void check_rows(const std::string& name, std::int64_t columns, std::span<const std::int64_t> row_start,
                std::span<const std::int32_t> column) {
  const auto entries = static_cast<std::int64_t>(column.size());
  if (row_start.empty() || row_start.front() != 0 || row_start.back() != entries)
    throw DataError("'" + name + "': row starts must go from 0 to the number of entries, " + std::to_string(entries));
  for (std::size_t row = 0; row + 1 < row_start.size(); ++row) {
    if (row_start[row + 1] < row_start[row] || row_start[row + 1] > entries)
      throw DataError("'" + name + "': row " + std::to_string(row + 1) + " ends before it starts");
    for (std::int64_t k = row_start[row]; k < row_start[row + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (column[at] < 0 || column[at] >= columns || (k > row_start[row] && column[at] <= column[at - 1]))
        throw DataError("'" + name + "': the columns of row " + std::to_string(row + 1) + " must increase, from 0 to " +
                        std::to_string(columns - 1) + "; found " + std::to_string(column[at]));
    }
  }
}

Shape length_of(std::size_t count) { return Shape{static_cast<std::int64_t>(count)}; }

}  // namespace

// StanData ----------------------------------------------------------------------------------------------------------

StanData::StanData() : parts_(std::make_shared<Parts>()) {}

StanData::Parts& StanData::own() {
  auto copy = std::make_shared<Parts>(*parts_);
  Parts& parts = *copy;
  parts_ = std::move(copy);
  return parts;
}

StanData& StanData::file(std::string argument) {
  own().files.push_back(std::move(argument));
  return *this;
}

StanData& StanData::real(const std::string& name, double value) {
  own().add(name, DataArray::scalar(value));
  return *this;
}

StanData& StanData::real(const std::string& name, std::span<const double> values) {
  return real(name, values, length_of(values.size()));
}

StanData& StanData::real(const std::string& name, std::span<const double> values, const Shape& shape) {
  own().add(name, array_of(name, values, shape));
  return *this;
}

StanData& StanData::lend(const std::string& name, std::span<const double> values, const Shape& shape,
                         std::shared_ptr<const void> owner) {
  own().add(name, lent_array(name, values, shape, std::move(owner)));
  return *this;
}

StanData& StanData::lend(const std::string& name, std::span<const float> values, const Shape& shape,
                         std::shared_ptr<const void> owner) {
  own().add(name, lent_array(name, values, shape, std::move(owner)));
  return *this;
}

StanData& StanData::integer(const std::string& name, std::int32_t value) {
  own().add(name, DataArray::scalar(value));
  return *this;
}

StanData& StanData::integer(const std::string& name, std::span<const std::int32_t> values) {
  return integer(name, values, length_of(values.size()));
}

StanData& StanData::integer(const std::string& name, std::span<const std::int32_t> values, const Shape& shape) {
  own().add(name, array_of(name, values, shape));
  return *this;
}

StanData& StanData::sparse(const std::string& name, std::int64_t columns, std::span<const std::int64_t> row_start,
                           std::span<const std::int32_t> column, std::span<const double> values) {
  if (values.size() != column.size())
    throw DataError("'" + name + "' has " + std::to_string(values.size()) + " values for " +
                    std::to_string(column.size()) + " columns");
  check_rows(name, columns, row_start, column);
  own().add(name, DataArray(memory_of(row_start), memory_of(column), memory_of(values), columns));
  return *this;
}

const std::vector<std::string>& StanData::files() const { return parts_->files; }

// StanModel ---------------------------------------------------------------------------------------------------------

StanModel::StanModel(stan::ModelText text, std::string name)
    : parts_(std::make_shared<const Parts>(Parts{std::move(text), std::move(name)})) {}

StanModel StanModel::from_file(const std::string& path, const std::vector<std::string>& include) {
  return StanModel(stan::read_model(path, include), path);
}

StanModel StanModel::from_text(std::string text, std::string name, const std::vector<std::string>& include) {
  return StanModel(stan::read_model_text(name, std::move(text), include), name);
}

const std::string& StanModel::name() const { return parts_->name; }
std::vector<std::string> StanModel::data_names() const { return stan::declared_data(*parts_->text.program); }
const stan::ModelText& StanModel::text() const { return parts_->text; }

std::vector<std::string> StanModel::warnings() const {
  std::vector<std::string> texts;
  for (const auto& warning : parts_->text.warnings) texts.push_back(stan::render(*parts_->text.source, warning));
  return texts;
}

StanPosterior StanModel::bind(const StanData& data, const StanBindOptions& options) const {
  const auto& text = parts_->text;
  std::vector<WantedVariable> wanted;
  stan::add_wanted(*text.program, wanted);
  ThreadPool pool(options.threads);
  DataVariables variables =
      read_data(data.parts_->files, wanted, &pool, options.interrupt, options.share.get(), options.meter.get());
  for (const auto& [name, array] : data.parts_->arrays) {
    const auto known = std::ranges::find(wanted, name, &WantedVariable::name);
    if (known == wanted.end())
      variables.unused.push_back(name);
    else if (!variables.by_name.emplace(name, DataVariable{array, "'" + name + "'"}).second)
      throw DataError("'" + name + "' is given as an array, and " + variables.find(name)->source + " has it too");
  }
  refuse_rows_in_other_order(text, variables);
  stan::refuse_order_of_rows(text, variables, options.interrupt);
  auto parts = std::make_shared<StanPosterior::Parts>();
  parts->model = *this;
  parts->precision = options.precision;
  parts->data_files = data.parts_->files;
  if (options.keep_outcomes) parts->outcomes = stan::outcomes_in(*text.program, variables);
  stan::BindOptions bind;
  bind.rows = options.rows;
  bind.precision = options.precision;
  bind.consume_data = data.parts_->arrays.empty();  // the caller's arrays may be bound again
  bind.print = options.print;
  bind.interrupt = options.interrupt;
  bind.memory_for_rows = options.memory_for_rows;
  bind.share = options.share;
  parts->bound = std::make_unique<stan::BoundModel>(text.source, text.program, variables, bind);
  StanPosterior posterior;
  posterior.parts_ = std::move(parts);
  return posterior;
}

// StanPosterior -----------------------------------------------------------------------------------------------------

const Model& StanPosterior::model() const { return parts_->bound->model(); }
const std::string& StanPosterior::name() const { return parts_->model->name(); }
std::string StanPosterior::row_axis() const { return parts_->bound->row_axis(); }
std::int64_t StanPosterior::rows() const { return parts_->bound->rows(); }
std::string StanPosterior::why_not_minibatched() const { return parts_->bound->why_not_minibatched(); }
Precision StanPosterior::precision() const { return parts_->precision; }
const std::vector<StanValues>& StanPosterior::outcomes() const { return parts_->outcomes; }
const std::vector<std::string>& StanPosterior::data_files() const { return parts_->data_files; }
stan::BoundModel& StanPosterior::bound() const { return *parts_->bound; }
const std::optional<Subposterior>& StanPosterior::part() const { return parts_->part; }

StanPosterior StanPosterior::subposterior(const Subposterior& which) const {
  if (parts_->part == which) return *this;
  if (parts_->part)
    throw OptionError("subposterior: part " + which.text() + " cannot be taken from part " + parts_->part->text());
  if (row_axis().empty())
    throw OptionError("subposterior: the model has no rows that could be dealt into parts" +
                      (why_not_minibatched().empty() ? std::string() : ".\n" + why_not_minibatched()));
  auto parts = std::make_shared<Parts>();
  parts->model = parts_->model;
  parts->precision = parts_->precision;
  parts->outcomes = parts_->outcomes;
  parts->data_files = parts_->data_files;
  parts->bound = parts_->bound->subposterior(which);
  parts->part = which;
  StanPosterior posterior;
  posterior.parts_ = std::move(parts);
  return posterior;
}

std::vector<StanVariable> StanPosterior::outputs() const {
  std::vector<StanVariable> variables;
  for (const auto& output : parts_->bound->outputs()) variables.push_back({output.name, output.shape});
  return variables;
}

std::vector<std::string> StanPosterior::output_names() const {
  std::vector<std::string> names;
  for (const auto& output : parts_->bound->outputs())
    for (auto& name : stan::element_names(output.name, output.shape)) names.push_back(std::move(name));
  return names;
}

std::vector<double> StanPosterior::outputs_at(std::span<const double> constrained, std::uint64_t seed,
                                              std::uint32_t chain, std::uint64_t draw) const {
  std::vector<double> values(parts_->bound->output_size());
  parts_->bound->evaluate_outputs(constrained, seed, chain, draw, values);
  return values;
}

std::vector<std::string> StanPosterior::warnings() const {
  const auto& text = parts_->model->text();
  std::vector<std::string> texts;
  for (const auto& warning : stan::all_warnings(text, *parts_->bound))
    texts.push_back(stan::render(*text.source, warning));
  return texts;
}

}  // namespace sgmcmc
