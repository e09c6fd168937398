// Simulates data given parameters, for all rows or some of them.
#include "stan/forward/replicate.hpp"

#include "stan/builtins/draw_uniforms.hpp"
#include "stan/forward/forward_constants.hpp"
#include "stan/forward/forward_program.hpp"
#include "stan/lowering/forward_order.hpp"
#include "stan/lowering/outcome_drawer.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>

namespace sgmcmc::stan {
namespace {

bool is_name(const TreePointer& tree, const std::string& name) {
  const auto* found = tree ? std::get_if<Name>(&tree->form) : nullptr;
  return found && found->name == name;
}

bool mentions(const TreePointer& tree, const std::string& name) {
  std::set<std::string> names;
  if (tree) collect_names(*tree, names);
  return names.count(name) > 0;
}

/// Whether the number of rows is used only for sizes and loop bounds.
bool only_counts_rows(const Program& program, const std::string& rows) {
  for (const auto* declaration : declarations_in(program.parameters))
    for (const auto& size : declaration->sizes)
      if (mentions(size, rows)) return false;
  bool only = true;
  for (const auto& statement : program.model.statements)
    for_each_statement(*statement, [&](const Statement& each) {
      if (const auto* assignment = std::get_if<Assignment>(&each.form)) {
        only = only && !mentions(assignment->value, rows) && !mentions(assignment->target, rows);
      } else if (const auto* sampling = std::get_if<Sampling>(&each.form)) {
        only = only && !mentions(sampling->left, rows);
        for (const auto& argument : sampling->arguments) only = only && !mentions(argument, rows);
      } else if (const auto* declaration = std::get_if<Declaration>(&each.form)) {
        only = only && !mentions(declaration->value, rows);
        for (std::size_t k = 0; k < declaration->sizes.size(); ++k)
          only = only && (k == 0 ? is_name(declaration->sizes[0], rows) || !mentions(declaration->sizes[0], rows)
                                 : !mentions(declaration->sizes[k], rows));
      } else if (const auto* branch = std::get_if<If>(&each.form)) {
        only = only && !mentions(branch->condition, rows);
      } else if (const auto* loop = std::get_if<While>(&each.form)) {
        only = only && !mentions(loop->condition, rows);
      }
    });
  return only;
}

/// Distinct rows in ascending order, all equally likely; the same for the same arguments.
std::vector<std::size_t> some_of(std::size_t count, std::size_t wanted) {
  DrawUniforms uniforms(0, 1, 0, DrawPurpose::simulation);
  std::set<std::size_t> chosen;  // Floyd's algorithm
  for (std::size_t last = count - wanted; last < count; ++last) {
    const auto row = std::min(last, static_cast<std::size_t>(uniforms.next() * static_cast<double>(last + 1)));
    if (!chosen.insert(row).second) chosen.insert(last);
  }
  return {chosen.begin(), chosen.end()};
}

/// In dense form if it was sparse.
Value rows_of_sparse(const Value& value, const std::vector<std::size_t>& rows) {
  const SparseRows sparse = value.sparse->sparse();
  const auto columns = static_cast<std::size_t>(sparse.columns);
  std::vector<double> numbers(rows.size() * columns, 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (auto at = sparse.row_start[rows[k]]; at < sparse.row_start[rows[k] + 1]; ++at) {
      const auto place = static_cast<std::size_t>(at);
      numbers[k * columns + static_cast<std::size_t>(sparse.column[place])] += sparse.value[place];
    }
  return number_value(value.type, {static_cast<std::int64_t>(rows.size()), sparse.columns},
                      Numbers(std::move(numbers)));
}

Value rows_of(const Value& value, const std::vector<std::size_t>& rows) {
  if (value.sparse) return rows_of_sparse(value, rows);
  Dims dims = value.dims;
  const std::size_t stride = value.numbers.size() / static_cast<std::size_t>(std::max<std::int64_t>(1, dims[0]));
  dims[0] = static_cast<std::int64_t>(rows.size());
  std::vector<double> numbers;
  numbers.reserve(rows.size() * stride);
  for (const std::size_t row : rows)
    for (std::size_t k = 0; k < stride; ++k) numbers.push_back(value.numbers[row * stride + k]);
  return number_value(value.type, dims, Numbers(std::move(numbers)));
}

/// Keeps only these rows of all data and transformed data that have one entry per row.
void thin_rows(Constants& constants, const Program& program, const std::string& rows, std::size_t most) {
  const auto size =
      std::find_if(constants.begin(), constants.end(), [&](const auto& one) { return one.first == rows; });
  if (size == constants.end() || !size->second.is_scalar() || !only_counts_rows(program, rows)) return;
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, size->second.integer()));
  if (count <= most) return;
  std::vector<const Declaration*> long_ones;
  for (const auto* block : {&program.data, &program.transformed_data})
    for (const auto* declaration : declarations_in(*block))
      for (std::size_t k = 0; k < declaration->sizes.size(); ++k) {
        if (k > 0 && mentions(declaration->sizes[k], rows)) return;  // across rows
        if (k > 0 || !mentions(declaration->sizes[0], rows)) continue;
        if (!is_name(declaration->sizes[0], rows)) return;
        long_ones.push_back(declaration);
      }
  const std::vector<std::size_t> chosen = some_of(count, most);
  for (const auto* declaration : long_ones)
    for (auto& [name, value] : constants)
      if (name == declaration->name) value = rows_of(value, chosen);
  size->second = integer_value(static_cast<std::int64_t>(most));
}

}  // namespace

struct Replicator::Parts {
  Parts(const ModelText& model, const DataVariables& data, const std::string& rows, std::size_t most_rows,
        std::size_t most_elements)
      : text(model), forward(model, ForwardPart::data), constants(constants_of(model, data)) {
    for (const auto& [name, value] : constants)
      if (forward.drawn.count(name)) sizes[name] = value.numbers.size();
    if (!rows.empty()) thin_rows(constants, forward.program, rows, most_rows);
    for (const auto& [name, value] : constants)
      if (forward.drawn.count(name) && value.numbers.size() > most_elements)
        throw DataError("'" + name + "' has " + std::to_string(value.numbers.size()) +
                        " elements, and the model does not allow to draw the data of some rows only");
    write_out_sparse(constants);
    Interpreter interpreter(*text.source, forward.program, nullptr);
    define_constants(interpreter);
    for (const auto* declaration : declarations_in(forward.program.parameters)) {
      const auto names = element_names(declaration->name, interpreter.sizes(*declaration).dims);
      parameters.insert(parameters.end(), names.begin(), names.end());
    }
  }

  void define_constants(Interpreter& interpreter) const {
    for (const auto& [name, value] : constants) interpreter.define(name, value);
  }

  std::vector<const Declaration*> drawn_declarations() const {
    std::vector<const Declaration*> found;
    for (const auto* block : {&forward.program.data, &forward.program.transformed_data})
      for (const auto* declaration : declarations_in(*block))
        if (forward.drawn.count(declaration->name)) found.push_back(declaration);
    return found;
  }

  /// Runs the model once. Returns the data that it draws, and which of their elements are drawn.
  std::map<std::string, Numbers> run(const std::vector<double>& draw, UniformSource& uniforms,
                                     DrawnVariables& variables) const {
    Interpreter interpreter(*text.source, forward.program, nullptr);
    interpreter.set_uniform_source(&uniforms);
    OutcomeDrawer drawer(interpreter, variables, forward.varying, uniforms);
    interpreter.set_drawer(&drawer);
    define_constants(interpreter);
    const auto outcome_declarations = drawn_declarations();
    for (const auto* declaration : outcome_declarations) {
      Value value = *interpreter.find(declaration->name);
      variables[declaration->name] = {declaration, false, std::vector<bool>(value.numbers.size(), false),
                                      value.numbers};
      if (const auto known = elements.find(declaration->name); known != elements.end()) {
        double* numbers = value.numbers.writable();
        for (const std::size_t element : known->second) numbers[element] = std::numeric_limits<double>::quiet_NaN();
      }
      interpreter.define(declaration->name, std::move(value));
    }
    std::size_t at = 0;
    for (const auto* declaration : declarations_in(forward.program.parameters)) {
      const Dims dims = interpreter.sizes(*declaration).dims;
      const auto size = static_cast<std::size_t>(size_of(dims));
      const auto own = std::span(draw).subspan(at, size);
      interpreter.define(declaration->name,
                         number_value(declaration->type, dims, Numbers(std::vector<double>(own.begin(), own.end()))));
      at += size;
    }
    interpreter.run(forward.program.model);
    std::map<std::string, Numbers> made;
    for (const auto* declaration : outcome_declarations)
      made[declaration->name] = interpreter.find(declaration->name)->numbers;
    return made;
  }

  /// Detects errors, and finds which elements of the data are drawn.
  void try_once(const std::vector<double>& draw) {
    DrawUniforms uniforms(0, 0, 0, DrawPurpose::simulation);
    DrawnVariables variables;
    run(draw, uniforms, variables);
    for (const auto& [name, value] : constants) {
      const auto found = variables.find(name);
      if (found == variables.end()) continue;
      ObservedOutcome outcome{name, value.type.is_integer(), sizes.at(name), {}};
      auto& own = elements[name];
      for (std::size_t k = 0; k < found->second.drawn.size(); ++k)
        if (found->second.drawn[k]) own.push_back(k);
      for (const std::size_t element : own) outcome.observed.push_back(value.numbers[element]);
      if (!own.empty()) outcomes.push_back(std::move(outcome));
    }
  }

  ModelText text;
  ForwardProgram forward;
  Constants constants;
  std::map<std::string, std::size_t> sizes;  ///< of the data that are drawn, with all rows
  std::vector<std::string> parameters;
  std::vector<ObservedOutcome> outcomes;
  std::map<std::string, std::vector<std::size_t>> elements;  ///< that are drawn; empty in the first run
};

Replicator::Replicator(const ModelText& model, const DataVariables& data, const DrawOf& first, const std::string& rows,
                       std::size_t most_rows, std::size_t most_elements)
    : parts_(std::make_unique<Parts>(model, data, rows, most_rows, most_elements)) {
  parts_->try_once(first(parts_->parameters));
}
Replicator::~Replicator() = default;
Replicator::Replicator(Replicator&&) noexcept = default;

const std::vector<std::string>& Replicator::parameters() const { return parts_->parameters; }
const std::vector<ObservedOutcome>& Replicator::outcomes() const { return parts_->outcomes; }

std::vector<std::vector<double>> Replicator::draw(const std::vector<double>& parameters, std::uint64_t seed,
                                                  std::uint64_t replication) const {
  DrawUniforms uniforms(seed, 2, replication, DrawPurpose::simulation);
  DrawnVariables variables;
  const auto drawn = parts_->run(parameters, uniforms, variables);
  std::vector<std::vector<double>> made;
  for (const auto& outcome : parts_->outcomes) {
    auto& numbers = made.emplace_back();
    for (const std::size_t element : parts_->elements.at(outcome.name))
      numbers.push_back(drawn.at(outcome.name)[element]);
  }
  return made;
}

}  // namespace sgmcmc::stan
