// Walks the data block and the sampling statements, and counts elements.
#include "stan/binding/model_variables.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace sgmcmc::stan {
namespace {

constexpr std::int64_t most_values = 1'000'000;

/// Names on the left side of sampling statements, at any depth.
void collect_outcomes(const Statement& statement, std::set<std::string>& names) {
  const auto visit = [&](const StatementPointer& inner) {
    if (inner) collect_outcomes(*inner, names);
  };
  if (const auto* sampling = std::get_if<Sampling>(&statement.form)) {
    const Tree* left = sampling->left.get();
    while (const auto* indexed = std::get_if<Indexed>(&left->form)) left = indexed->container.get();
    if (const auto* name = std::get_if<Name>(&left->form)) names.insert(name->name);
  } else if (const auto* loop = std::get_if<For>(&statement.form)) {
    visit(loop->body);
  } else if (const auto* each = std::get_if<ForEach>(&statement.form)) {
    visit(each->body);
  } else if (const auto* conditional = std::get_if<If>(&statement.form)) {
    visit(conditional->then);
    visit(conditional->otherwise);
  } else if (const auto* block = std::get_if<Block>(&statement.form)) {
    for (const auto& inner : block->statements) visit(inner);
  }
}

}  // namespace

void add_wanted(const Program& program, std::vector<WantedVariable>& wanted) {
  for (const auto& statement : program.data.statements) {
    const auto* declaration = std::get_if<Declaration>(&statement->form);
    if (!declaration) continue;
    if (std::none_of(wanted.begin(), wanted.end(), [&](const auto& each) { return each.name == declaration->name; }))
      wanted.push_back({declaration->name, declaration->type.is_integer() ? WantedKind::integer : WantedKind::real});
  }
}

std::vector<StanValues> outcomes_in(const Program& program, const DataVariables& data) {
  std::set<std::string> names;
  for (const auto& statement : program.model.statements) collect_outcomes(*statement, names);
  std::vector<StanValues> outcomes;
  for (const auto& name : names) {
    const auto* variable = data.find(name);
    if (!variable || variable->array.is_sparse() || variable->array.size() > most_values) continue;
    const auto& array = variable->array;
    StanValues copy{name, array.shape(), {}, array.is_integer()};
    copy.values.resize(static_cast<std::size_t>(array.size()));
    for (std::int64_t i = 0; i < array.size(); ++i) copy.values[static_cast<std::size_t>(i)] = array[i];
    outcomes.push_back(std::move(copy));
  }
  return outcomes;
}

std::vector<std::string> element_names(const std::string& name, const Shape& shape) {
  if (shape.is_scalar()) return {name};
  std::vector<std::string> names;
  std::vector<std::int64_t> index(shape.rank(), 1);
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    std::string text = name + "[";
    for (std::size_t axis = 0; axis < index.size(); ++axis) text += (axis > 0 ? "," : "") + std::to_string(index[axis]);
    names.push_back(text + "]");
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] <= shape[axis]) break;
      index[axis] = 1;
    }
  }
  return names;
}

}  // namespace sgmcmc::stan
