// Slices arguments, computes linear predictors, and calls generators.
#include "stan/lowering/outcome_parts.hpp"

#include "stan/builtins/draw.hpp"
#include "stan/builtins/signatures.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc::stan {
namespace {

bool is_nan(double x) { return std::isnan(x); }

/// x beta (or for a matrix of coefficients, row by row), x a matrix or one row of it.
std::vector<double> product(const Operand& x, const Operand& beta) {
  const auto inner = static_cast<std::size_t>(x.dims.back());
  const auto rows = x.dims.size() == 2 ? static_cast<std::size_t>(x.dims[0]) : 1;
  const auto columns = beta.dims.size() == 2 ? static_cast<std::size_t>(beta.dims[1]) : 1;
  if (static_cast<std::size_t>(beta.dims[0]) != inner)
    throw ArgumentError{
        "there are " + std::to_string(inner) + " predictors and " + std::to_string(beta.dims[0]) + " coefficients", {}};
  std::vector<double> result(rows * columns, 0.0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < inner; ++k)
      for (std::size_t j = 0; j < columns; ++j)
        result[i * columns + j] += x.numbers[i * inner + k] * beta.numbers[k * columns + j];
  return result;
}

Operand listed(std::vector<double> numbers) {
  const auto size = static_cast<std::int64_t>(numbers.size());
  return {{Base::real, 1}, {size}, std::move(numbers), {}};
}

/// Converts the arguments of a GLM to those of the distribution of its outcomes.
void expand_glm(OutcomeArguments& arguments) {
  auto& given = arguments.operands;
  const std::string glm = arguments.law.substr(0, arguments.law.size() - 4);
  const std::size_t x = glm == "binomial_logit" ? 1 : 0;
  std::vector<Operand> made(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(x));
  const bool many = given[x].dims.size() == 2;
  if (glm == "ordered_logistic") {
    auto location = product(given[x], given[x + 1]);
    made.push_back(many ? listed(std::move(location)) : real_operand(location[0]));
    made.push_back(given[x + 2]);
  } else if (glm == "categorical_logit") {
    auto logits = product(given[x], given[x + 2]);
    const auto columns = given[x + 2].dims[1];
    const auto& alpha = given[x + 1].numbers;
    for (std::size_t i = 0; i < logits.size(); ++i) logits[i] += alpha[i % alpha.size()];
    if (many)
      made.push_back({{Base::vector, 1}, {given[x].dims[0], columns}, std::move(logits), {}});
    else
      made.push_back({{Base::vector, 0}, {columns}, std::move(logits), {}});
  } else {
    auto location = product(given[x], given[x + 2]);
    const auto& alpha = given[x + 1];
    const bool per_row = !alpha.dims.empty();
    if (per_row && location.size() == 1) location.assign(alpha.numbers.size(), location[0]);
    if (per_row && location.size() != alpha.numbers.size())
      throw ArgumentError{"there are " + std::to_string(location.size()) + " rows of predictors and " +
                              std::to_string(alpha.numbers.size()) + " intercepts",
                          {}};
    for (std::size_t i = 0; i < location.size(); ++i) location[i] += alpha.numbers[per_row ? i : 0];
    made.push_back(many || per_row ? listed(std::move(location)) : real_operand(location[0]));
    made.insert(made.end(), given.begin() + static_cast<std::ptrdiff_t>(x) + 3, given.end());
  }
  given = std::move(made);
  arguments.law = glm == "normal_id" ? "normal" : glm;
}

bool is_lkj(const std::string& law) { return law == "lkj_corr" || law == "lkj_corr_cholesky"; }
bool is_factor_law(const std::string& law) { return law == "wishart_cholesky" || law == "inv_wishart_cholesky"; }

}  // namespace

void OutcomeArguments::complete(const Dims& outcome_dims, const Type& outcome_type) {
  if (law.ends_with("_glm")) expand_glm(*this);
  ranks = outcome_ranks(law + std::string(density_suffix(law)));
  if (ranks.empty()) ranks.assign(operands.size() + 1, 0);
  outcome_rank = ranks.front();
  ranks.erase(ranks.begin());
  ranks.resize(operands.size(), 0);
  const auto outer = static_cast<std::ptrdiff_t>(outcome_type.rank() - outcome_rank);
  count = static_cast<std::size_t>(size_of(Dims(outcome_dims.begin(), outcome_dims.begin() + outer)));
  stretch = static_cast<std::size_t>(size_of(Dims(outcome_dims.begin() + outer, outcome_dims.end())));
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (shared(k)) continue;
    const auto& dims = operands[k].dims;
    const auto parts = size_of(Dims(dims.begin(), dims.end() - ranks[k]));
    if (static_cast<std::size_t>(parts) != count)
      throw ArgumentError{"the sizes differ: " + std::to_string(count) + " outcomes, and argument " +
                              std::to_string(k + 1) + " has " + std::to_string(parts) + " elements",
                          {}};
  }
  if (is_lkj(law)) {
    operands.insert(operands.begin(), integer_operand(outcome_dims.back()));
    ranks.insert(ranks.begin(), 0);
  }
}

bool OutcomeArguments::takes_total() const {
  return law == "multinomial" || law == "multinomial_logit" || law == "dirichlet_multinomial";
}

void OutcomeArguments::add_totals(std::vector<double> totals) {
  operands.push_back({{Base::integer, 1}, {static_cast<std::int64_t>(totals.size())}, std::move(totals), {}});
  ranks.push_back(0);
}

bool OutcomeArguments::has_generator() const { return is_factor_law(law) || is_function(law + "_rng"); }

bool OutcomeArguments::all_shared() const {
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (!shared(k)) return false;
  return true;
}

bool OutcomeArguments::knows(std::size_t outcome) const {
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const auto& numbers = operands[k].numbers;
    const std::size_t size = shared(k) ? numbers.size() : numbers.size() / count;
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(shared(k) ? 0 : outcome * size);
    if (std::any_of(begin, begin + static_cast<std::ptrdiff_t>(size), is_nan)) return false;
  }
  return true;
}

double OutcomeArguments::number(std::size_t argument, std::size_t outcome) const {
  return operands[argument].numbers[shared(argument) ? 0 : outcome];
}

Operand OutcomeArguments::part(std::size_t argument, std::size_t outcome) const {
  const Operand& whole = operands[argument];
  if (shared(argument)) return whole;
  const auto rank = static_cast<std::ptrdiff_t>(ranks[argument]);
  Operand made;
  made.dims.assign(whole.dims.end() - rank, whole.dims.end());
  made.type = whole.type;
  made.type.array_rank = 0;
  if (rank == 0) made.type.base = whole.type.base == Base::integer ? Base::integer : Base::real;
  if (rank == 1 && whole.type.base == Base::matrix) made.type.base = Base::row_vector;
  const std::size_t size = whole.numbers.size() / count;
  const auto begin = whole.numbers.begin() + static_cast<std::ptrdiff_t>(outcome * size);
  made.numbers.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
  return made;
}

std::vector<double> draw_scalars(const OutcomeArguments& arguments, const std::vector<std::size_t>& outcomes,
                                 const Generate& generate) {
  const std::string function = arguments.law + "_rng";
  const bool scalars = std::all_of(arguments.ranks.begin(), arguments.ranks.end(), [](int rank) { return rank == 0; });
  std::vector<double> numbers;
  if (!scalars || arguments.operands.empty()) {
    for (const auto outcome : outcomes) {
      std::vector<Operand> own;
      for (std::size_t k = 0; k < arguments.operands.size(); ++k) own.push_back(arguments.part(k, outcome));
      numbers.push_back(generate(function, own)[0]);
    }
    return numbers;
  }
  // All at once, as arrays; expands the first argument even if it is shared, so that there is one number per outcome.
  std::vector<Operand> all;
  for (std::size_t k = 0; k < arguments.operands.size(); ++k) {
    const Operand& whole = arguments.operands[k];
    if (k > 0 && arguments.shared(k)) {
      all.push_back(whole);
      continue;
    }
    Operand list{{whole.type.base == Base::integer ? Base::integer : Base::real, 1},
                 {static_cast<std::int64_t>(outcomes.size())},
                 {},
                 {}};
    for (const auto outcome : outcomes) list.numbers.push_back(arguments.number(k, outcome));
    all.push_back(std::move(list));
  }
  return generate(function, all);
}

std::vector<double> draw_jointly(const OutcomeArguments& arguments, std::size_t outcome, const Generate& generate) {
  std::vector<Operand> own;
  for (std::size_t k = 0; k < arguments.operands.size(); ++k) own.push_back(arguments.part(k, outcome));
  if (!is_factor_law(arguments.law)) return generate(arguments.law + "_rng", own);
  own[1] = apply_builtin("multiply_lower_tri_self_transpose", std::vector<Operand>{own[1]});
  const std::string law = arguments.law.substr(0, arguments.law.rfind("_cholesky"));
  Operand matrix = own[1];
  matrix.numbers = generate(law + "_rng", own);
  return apply_builtin("cholesky_decompose", std::vector<Operand>{matrix}).numbers;
}

std::vector<double> draw_uniformly(ConstraintTree::Kind kind, std::size_t numbers, std::int64_t columns,
                                   UniformSource& uniform) {
  if (kind == ConstraintTree::Kind::simplex) {
    const Operand ones{{Base::vector, 0}, {columns}, std::vector<double>(numbers, 1.0), {}};
    return apply_rng("dirichlet_rng", std::vector<Operand>{ones}, uniform).numbers;
  }
  if (kind == ConstraintTree::Kind::corr_matrix)
    return apply_rng("lkj_corr_rng", std::vector<Operand>{integer_operand(columns), real_operand(1)}, uniform).numbers;
  if (kind != ConstraintTree::Kind::unit_vector) return {};
  std::vector<double> made(numbers);
  double length = 0;
  for (double& x : made) {
    x = draw::normal(uniform);
    length += x * x;
  }
  for (double& x : made) x /= std::sqrt(length);
  return made;
}

std::vector<std::int64_t> by_columns(const std::vector<std::int64_t>& places, const Dims& dims) {
  const auto rows = static_cast<std::size_t>(dims[0]), columns = static_cast<std::size_t>(dims[1]);
  std::vector<std::int64_t> made;
  made.reserve(places.size());
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < rows; ++i) made.push_back(places[i * columns + j]);
  return made;
}

bool has_unknown(const Value& value) {
  const auto numbers = value.numbers.view();
  return std::any_of(numbers.begin(), numbers.end(), is_nan);
}

}  // namespace sgmcmc::stan
