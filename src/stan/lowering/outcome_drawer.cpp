// Draws the outcomes of one statement: which elements, from which distribution, within which limits.
#include "stan/lowering/outcome_drawer.hpp"

#include "stan/builtins/numbers.hpp"
#include "stan/builtins/signatures.hpp"
#include "stan/check/check.hpp"
#include "stan/lowering/forward_order.hpp"
#include "stan/lowering/indexing.hpp"
#include "stan/lowering/outcome_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc::stan {
namespace {

using Kind = ConstraintTree::Kind;

constexpr int most_tries = 100'000;

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::simplex: return "simplex";
    case Kind::ordered: return "ordered";
    case Kind::positive_ordered: return "positive_ordered";
    case Kind::unit_vector: return "unit_vector";
    case Kind::cholesky_factor_corr: return "cholesky_factor_corr";
    case Kind::cholesky_factor_cov: return "cholesky_factor_cov";
    case Kind::corr_matrix: return "corr_matrix";
    case Kind::cov_matrix: return "cov_matrix";
    case Kind::none: break;
  }
  return "";
}

/// The distributions from which a parameter of this kind can be drawn.
std::vector<std::string> laws_of(Kind kind) {
  switch (kind) {
    case Kind::simplex: return {"dirichlet"};
    case Kind::cholesky_factor_corr: return {"lkj_corr_cholesky"};
    case Kind::cholesky_factor_cov: return {"wishart_cholesky", "inv_wishart_cholesky"};
    case Kind::corr_matrix: return {"lkj_corr"};
    case Kind::cov_matrix: return {"wishart", "inv_wishart"};
    default: return {};
  }
}

bool is_ordered(Kind kind) { return kind == Kind::ordered || kind == Kind::positive_ordered; }

/// The count of numbers in one element of an array of such values.
std::size_t numbers_in_one(const Declaration& declaration, const Dims& dims) {
  const auto rank = static_cast<std::ptrdiff_t>(declaration.type.base_rank());
  return static_cast<std::size_t>(size_of(Dims(dims.end() - rank, dims.end())));
}

/// The support of a distribution.
struct Support {
  double lower = -numbers::infinity, upper = numbers::infinity;
};

Support support_of(const std::string& law, const OutcomeArguments& arguments, std::size_t which) {
  const OutcomeSupport known = outcome_support(law);
  const auto end = [&](int parameter, double otherwise) {
    return parameter < 0 ? otherwise : arguments.number(static_cast<std::size_t>(parameter), which);
  };
  return {end(known.lower_end, known.lower), end(known.upper_end, known.upper)};
}

}  // namespace

const char* const write_simulator =
    "give a program to simulate from, whose generated quantities draw the parameters and the data";

struct OutcomeDrawer::Outcome {
  std::string name;
  DrawnVariable* drawn = nullptr;
  Interpreter::Variable* variable = nullptr;
  std::vector<std::int64_t> flat;  ///< positions of its elements in the variable
  Dims dims;
  Type type;

  const Declaration& declaration() const { return *drawn->declaration; }
  /// The constraint that restricts the draws; data are only checked against theirs.
  Kind kind() const { return drawn->parameter ? declaration().constraint.kind : Kind::none; }
  double at(std::size_t element) const { return variable->value.numbers[static_cast<std::size_t>(flat[element])]; }
  bool has(std::size_t element) const { return drawn->drawn[static_cast<std::size_t>(flat[element])]; }
};

struct OutcomeDrawer::Arguments : OutcomeArguments {
  const Function* own = nullptr;  ///< user-defined function that draws
  std::vector<Value> values;      ///< for it
};

struct OutcomeDrawer::Limits {
  std::vector<double> lower, upper;  ///< by element; empty: none
  bool ordered = false;
  bool allow(std::size_t element, double number) const {
    return (lower.empty() || number >= lower[element]) && (upper.empty() || number <= upper[element]);
  }
};

OutcomeDrawer::Outcome OutcomeDrawer::outcome_of(const Sampling& form) {
  Outcome made;
  made.name = drawn_name(*form.left)->name;
  made.drawn = &variables_.at(made.name);
  made.variable = interpreter_.lookup(made.name);
  made.type = form.left->type;
  const auto* call = std::get_if<Call>(&form.left->form);
  const Tree* tree = drawn_part(*form.left);
  const bool by_column = call && tree->type == Type{Base::matrix, 0};
  std::vector<const Indexed*> chain;
  while (const auto* indexed = std::get_if<Indexed>(&tree->form)) {
    chain.push_back(indexed);
    tree = indexed->container.get();
  }
  std::vector<Interpreter::Place> places;
  for (auto indexed = chain.rbegin(); indexed != chain.rend(); ++indexed) {
    if (std::any_of(places.begin(), places.end(), [](const auto& place) { return !place.vanishes(); }))
      fail(form.left->span, "only the last brackets may select several elements", "write x[i, j] for x[i][j]");
    auto more = interpreter_.evaluate_indices((*indexed)->indices);
    places.insert(places.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  made.flat = interpreter_.positions(made.variable->dims, places, made.dims, made.name, form.left->span);
  if (by_column) made.flat = by_columns(made.flat, made.dims);
  if (call && call->arguments.size() > 1) {
    const auto whole = static_cast<std::int64_t>(made.flat.size());
    const std::int64_t count = interpreter_.evaluate(*call->arguments.back()).integer();
    const std::int64_t first = call->name == "head"   ? 0
                               : call->name == "tail" ? whole - count
                                                      : interpreter_.evaluate(*call->arguments[1]).integer() - 1;
    if (first < 0 || count < 0 || first + count > whole)
      fail(form.left->span, "these elements are not all among the " + std::to_string(whole) + " of '" + made.name + "'",
           "");
    made.flat = {made.flat.begin() + first, made.flat.begin() + first + count};
  }
  if (call) made.dims = {static_cast<std::int64_t>(made.flat.size())};
  return made;
}

bool OutcomeDrawer::is_fixed(const Tree& tree) const {
  std::set<std::string> names;
  collect_names(tree, names);
  return tree.data_only &&
         std::none_of(names.begin(), names.end(), [&](const auto& name) { return varying_.count(name) > 0; });
}

bool OutcomeDrawer::has_fixed_law(const Outcome& outcome, const Sampling& form) const {
  const auto fixed = [&](const TreePointer& tree) { return !tree || is_fixed(*tree); };
  const auto& constraint = outcome.declaration().constraint;
  return std::all_of(form.arguments.begin(), form.arguments.end(), fixed) && fixed(constraint.lower) &&
         fixed(constraint.upper) &&
         (!form.truncation || (fixed(form.truncation->lower) && fixed(form.truncation->upper)));
}

/// Draws parameters with dependent elements as a whole, from distributions on such values.
void OutcomeDrawer::check_kind(const Outcome& outcome, const Sampling& form) const {
  const Kind kind = outcome.kind();
  if (kind == Kind::none) {
    static const std::set<std::string> of_kinds{"dirichlet",   "lkj_corr",         "lkj_corr_cholesky",   "wishart",
                                                "inv_wishart", "wishart_cholesky", "inv_wishart_cholesky"};
    if (outcome.drawn->parameter && of_kinds.count(form.distribution))
      fail(form.left->span, "'" + outcome.name + "' is not declared as what '" + form.distribution + "' draws",
           "declare it as a simplex, a correlation or a covariance matrix");
    return;
  }
  const std::string declared = "'" + outcome.name + "' is declared as " + kind_name(kind);
  const std::size_t one = numbers_in_one(outcome.declaration(), outcome.variable->dims);
  for (std::size_t i = 0; i < outcome.flat.size(); ++i)
    if (one > 0 && (outcome.flat.size() % one != 0 || static_cast<std::size_t>(outcome.flat[i]) % one != i % one))
      fail(form.left->span, declared + ": its elements cannot be drawn separately",
           "give one distribution to the whole variable");
  if (is_ordered(kind)) {
    const auto ranks = outcome_ranks(form.distribution + std::string(density_suffix(form.distribution)));
    if (!ranks.empty() && (ranks[0] == 1 || ranks[0] == 0)) return;
  }
  const auto known = laws_of(kind);
  if (std::find(known.begin(), known.end(), form.distribution) != known.end()) return;
  std::string names;
  for (const auto& law : known) names += (names.empty() ? "" : " or ") + law;
  fail(form.distribution_span, declared + ", which cannot be drawn from '" + form.distribution + "'",
       (names.empty() ? std::string() : "write " + names + ", or ") + write_simulator);
}

/// Declared bounds of a parameter and the truncation of the statement. Truncating the distribution at the bounds gives
/// the model's prior only if its normalising constant does not depend on parameters, because the log density does not
/// include it.
OutcomeDrawer::Limits OutcomeDrawer::limits_of(const Outcome& outcome, const Sampling& form,
                                               const Arguments& arguments) {
  Limits limits;
  const std::size_t count = outcome.flat.size();
  const auto cut = [&](const Tree& tree, bool lower, bool by_place) {
    const Value bound = interpreter_.evaluate(tree);
    auto& side = lower ? limits.lower : limits.upper;
    if (side.empty()) side.assign(count, lower ? -numbers::infinity : numbers::infinity);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = by_place ? static_cast<std::size_t>(outcome.flat[i]) : i;
      const double at = bound.numbers[bound.dims.empty() ? 0 : place % bound.numbers.size()];
      side[i] = lower ? std::max(side[i], at) : std::min(side[i], at);
    }
  };
  if (form.truncation && form.truncation->lower) cut(*form.truncation->lower, true, false);
  if (form.truncation && form.truncation->upper) cut(*form.truncation->upper, false, false);
  if (!outcome.drawn->parameter) return limits;
  const Limits own = limits;
  const auto& constraint = outcome.declaration().constraint;
  if (constraint.lower) cut(*constraint.lower, true, true);
  if (constraint.upper) cut(*constraint.upper, false, true);
  limits.ordered = is_ordered(outcome.kind());
  if (outcome.kind() == Kind::positive_ordered) {
    if (limits.lower.empty()) limits.lower.assign(count, 0);
    for (double& at : limits.lower) at = std::max(at, 0.0);
  }
  const bool joint = arguments.outcome_rank > 0;
  const bool exchangeable = !joint && arguments.all_shared();
  if ((limits.ordered && !exchangeable) || (joint && !(limits.lower.empty() && limits.upper.empty()))) {
    if (!has_fixed_law(outcome, form))
      fail(form.left->span,
           "'" + outcome.name +
               "' is constrained, and the probability of the constraint under this distribution depends on parameters: "
               "draws from the restricted distribution would not follow the prior of this statement",
           std::string("use a distribution that does not depend on parameters, or ") + write_simulator);
    return limits;
  }
  if (joint || arguments.own) return limits;
  for (std::size_t i = 0; i < count; ++i) {
    const Support natural = arguments.knows(i) ? support_of(arguments.law, arguments, i) : Support{};
    const double low = own.lower.empty() ? natural.lower : std::max(natural.lower, own.lower[i]);
    const double high = own.upper.empty() ? natural.upper : std::min(natural.upper, own.upper[i]);
    if (limits.allow(i, low) && limits.allow(i, high)) continue;
    if (!arguments.knows(i) || has_fixed_law(outcome, form)) continue;
    fail(form.left->span,
         "'" + outcome.name +
             "' has bounds, and their probability under this distribution depends on parameters: the model omits that "
             "probability from the log density, so its prior is not this distribution truncated at the bounds",
         "write the truncation explicitly, as in `" + std::string(interpreter_.source_.text(form.left->span)) + " ~ " +
             form.distribution + "(...) T[" + (limits.lower.empty() ? "" : "lower") + ", " +
             (limits.upper.empty() ? "" : "upper") + "]`, or " + write_simulator);
  }
  return limits;
}

OutcomeDrawer::Arguments OutcomeDrawer::arguments_of(const Outcome& outcome, const Sampling& form, Span span) {
  Arguments made;
  made.law = form.distribution;
  std::vector<Type> types, with_outcome{form.left->type};
  for (const auto& argument : form.arguments) {
    types.push_back(argument->type);
    made.values.push_back(interpreter_.evaluate(*argument));
  }
  with_outcome.insert(with_outcome.end(), types.begin(), types.end());
  if (find_density(interpreter_.program_, form.distribution, with_outcome)) {
    made.own = find_function(interpreter_.program_, form.distribution + "_rng", types);
    if (!made.own)
      fail(form.distribution_span,
           "'" + form.distribution + "' is a density of this program, which cannot be drawn from",
           "define a function '" + form.distribution + "_rng' of the same arguments beside it, or " + write_simulator);
    made.count = 1;
    return made;
  }
  for (auto& value : made.values) made.operands.push_back(operand_of(value));
  try {
    made.complete(outcome.dims, outcome.type);
    if (made.takes_total()) {
      std::vector<double> totals(made.count, 0.0);
      for (std::size_t i = 0; i < outcome.flat.size(); ++i)
        totals[i / made.stretch] += outcome.drawn->given[static_cast<std::size_t>(outcome.flat[i])];
      made.add_totals(std::move(totals));
    }
  } catch (const ArgumentError& error) {
    fail(span, error.message, error.help);
  }
  if (!made.has_generator())
    fail(form.distribution_span, "drawing from '" + form.distribution + "' is not supported here", write_simulator);
  return made;
}

Operand OutcomeDrawer::random(const std::string& function, const std::vector<Operand>& arguments, Span span) {
  try {
    return apply_rng(function, arguments, uniform_);
  } catch (const ArgumentError& error) {
    fail(span, error.message,
         error.help.empty() ? std::string("priors that allow such values must be narrower; else ") + write_simulator
                            : error.help);
  }
}

void OutcomeDrawer::refuse_rejection(Span span) const {
  fail(span, "of " + std::to_string(most_tries) + " draws, none is within the limits",
       "check the prior and the bounds of the parameter");
}

/// One number for each of these outcomes; redraws outside the limits.
std::vector<double> OutcomeDrawer::scalar_draws(const Arguments& arguments, const Limits& limits,
                                                const std::vector<std::size_t>& which, Span span) {
  std::vector<double> result(which.size());
  std::vector<std::size_t> open(which.size());
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
  for (int tries = 0; !open.empty(); ++tries) {
    if (tries == most_tries) refuse_rejection(span);
    std::vector<std::size_t> outcomes, left;
    for (const auto i : open) outcomes.push_back(which[i]);
    const auto numbers = draw_scalars(arguments, outcomes, [&](const std::string& name, const auto& operands) {
      return random(name, operands, span).numbers;
    });
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (limits.allow(outcomes[k], numbers[k]))
        result[open[k]] = numbers[k];
      else
        left.push_back(open[k]);
    }
    open = std::move(left);
  }
  return result;
}

/// The numbers of one vector or matrix.
std::vector<double> OutcomeDrawer::joint_draw(const Arguments& arguments, const Limits& limits, std::size_t which,
                                              Span span) {
  for (int tries = 0; tries < most_tries; ++tries) {
    const auto numbers = draw_jointly(arguments, which, [&](const std::string& name, const auto& operands) {
      return random(name, operands, span).numbers;
    });
    bool inside = !limits.ordered || std::is_sorted(numbers.begin(), numbers.end());
    for (std::size_t k = 0; k < numbers.size() && inside; ++k)
      inside = limits.allow(which * arguments.stretch + k, numbers[k]);
    if (inside) return numbers;
  }
  refuse_rejection(span);
}

void OutcomeDrawer::store(const Outcome& outcome, std::size_t element, double number) {
  const auto place = static_cast<std::size_t>(outcome.flat[element]);
  outcome.variable->value.numbers.writable()[place] = number;
  outcome.drawn->drawn[place] = true;
}

void OutcomeDrawer::observe(const Outcome& outcome, const Arguments& arguments, const Limits& limits,
                            std::size_t element) const {
  if (!observer_ || !outcome.drawn->parameter) return;
  ElementLaw law{arguments.law, {}};
  for (std::size_t k = 0; k < arguments.operands.size(); ++k) law.arguments.push_back(arguments.number(k, element));
  if (!limits.lower.empty()) law.lower = limits.lower[element];
  if (!limits.upper.empty()) law.upper = limits.upper[element];
  observer_(outcome.name, static_cast<std::size_t>(outcome.flat[element]), std::move(law));
}

/// Independent elements conditioned on increasing: sorts them if all have the same distribution; else redraws until
/// they increase.
void OutcomeDrawer::draw_in_order(const Outcome& outcome, const Arguments& arguments, const Limits& limits, Span span) {
  const std::size_t one = numbers_in_one(outcome.declaration(), outcome.variable->dims);
  for (std::size_t start = 0; start < outcome.flat.size(); start += one) {
    std::vector<std::size_t> which(one);
    for (std::size_t i = 0; i < one; ++i) which[i] = start + i;
    std::vector<double> numbers = scalar_draws(arguments, limits, which, span);
    if (arguments.all_shared()) {
      std::sort(numbers.begin(), numbers.end());
    } else {
      for (int tries = 1; !std::is_sorted(numbers.begin(), numbers.end()); ++tries) {
        if (tries == most_tries) refuse_rejection(span);
        numbers = scalar_draws(arguments, limits, which, span);
      }
    }
    for (std::size_t i = 0; i < one; ++i) store(outcome, start + i, numbers[i]);
  }
}

/// Draws the outcomes whose arguments are known; returns whether there were any.
bool OutcomeDrawer::draw_known(const Outcome& outcome, const Arguments& arguments, const Limits& limits, Span span) {
  if (arguments.own) {
    if (std::any_of(arguments.values.begin(), arguments.values.end(), has_unknown)) return false;
    const Value value = interpreter_.call_user(*arguments.own, arguments.values, span);
    if (value.dims != outcome.dims)
      fail(span,
           "'" + arguments.own->name + "' gives " + Shape(value.dims).to_string() + ", '" + outcome.name + "' is " +
               Shape(outcome.dims).to_string(),
           "draw one outcome at a time in a loop, or have the function give them all");
    for (std::size_t i = 0; i < outcome.flat.size(); ++i) {
      if (!limits.allow(i, value.numbers[i]))
        fail(span, "'" + arguments.own->name + "' drew a value outside the bounds of '" + outcome.name + "'", "");
      store(outcome, i, value.numbers[i]);
    }
    return true;
  }
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < arguments.count; ++i)
    if (!outcome.has(i * arguments.stretch) && arguments.knows(i)) known.push_back(i);
  if (known.empty()) return false;
  if (arguments.outcome_rank == 0 && limits.ordered) {
    if (known.size() != arguments.count) return false;
    draw_in_order(outcome, arguments, limits, span);
  } else if (arguments.outcome_rank == 0) {
    const auto numbers = scalar_draws(arguments, limits, known, span);
    for (std::size_t k = 0; k < known.size(); ++k) {
      store(outcome, known[k], numbers[k]);
      observe(outcome, arguments, limits, known[k]);
    }
  } else {
    for (const auto i : known) {
      const auto numbers = joint_draw(arguments, limits, i, span);
      for (std::size_t k = 0; k < numbers.size(); ++k) store(outcome, i * arguments.stretch + k, numbers[k]);
    }
  }
  return true;
}

void OutcomeDrawer::refuse_unknown(const Sampling& form, Span span) {
  std::set<std::string> names;
  for (const auto& argument : form.arguments) collect_names(*argument, names);
  std::string unknown;
  for (const auto& name : names) {
    const auto* variable = interpreter_.lookup(name);
    if (variable && variable->value.set && has_unknown(variable->value))
      unknown += (unknown.empty() ? "'" : ", '") + name + "'";
  }
  fail(span,
       unknown.empty() ? "the arguments are not numbers (NaN) in this simulation"
                       : "this needs " + unknown + ", and no statement that can be run before it draws that",
       std::string("statements that need each other's outcomes are run in the order of the text; else ") +
           write_simulator);
}

void OutcomeDrawer::draw(const Sampling& form, Span span) {
  const Outcome outcome = outcome_of(form);
  if (outcome.flat.empty()) return;
  check_kind(outcome, form);
  double* numbers = outcome.variable->value.numbers.writable();
  for (std::size_t i = 0; i < outcome.flat.size(); ++i) {
    if (outcome.has(i))
      fail(span,
           "'" + outcome.name +
               "' already has a distribution: a second one multiplies the densities, and the product cannot be drawn "
               "from",
           std::string("keep one of them, or ") + write_simulator);
    numbers[outcome.flat[i]] = std::numeric_limits<double>::quiet_NaN();
  }
  const auto open = [&] {
    for (std::size_t i = 0; i < outcome.flat.size(); ++i)
      if (!outcome.has(i)) return true;
    return false;
  };
  while (open()) {
    const Arguments arguments = arguments_of(outcome, form, span);
    const Limits limits = limits_of(outcome, form, arguments);
    if (!draw_known(outcome, arguments, limits, span)) refuse_unknown(form, span);
  }
}

void OutcomeDrawer::draw_flat(const Declaration& declaration) {
  const auto& constraint = declaration.constraint;
  DrawnVariable& drawn = variables_.at(declaration.name);
  Value& value = interpreter_.lookup(declaration.name)->value;
  double* numbers = value.numbers.writable();
  const auto count = static_cast<std::size_t>(size_of(value.dims));
  const auto refuse = [&] {
    fail(declaration.name_span, "'" + declaration.name + "' has no prior: a flat prior cannot be drawn from",
         "write one, such as `" + declaration.name + " ~ normal(0, 1);`, or " + write_simulator);
  };
  if (constraint.kind == Kind::none) {
    if (!constraint.lower || !constraint.upper || !is_fixed(*constraint.lower) || !is_fixed(*constraint.upper))
      refuse();
    const Value lower = interpreter_.evaluate(*constraint.lower), upper = interpreter_.evaluate(*constraint.upper);
    for (std::size_t i = 0; i < count; ++i) {
      const double low = lower.numbers[lower.dims.empty() ? 0 : i % lower.numbers.size()];
      const double high = upper.numbers[upper.dims.empty() ? 0 : i % upper.numbers.size()];
      if (!std::isfinite(low) || !std::isfinite(high)) refuse();
      numbers[i] = low + (high - low) * uniform_.next();
      if (observer_) observer_(declaration.name, i, {"uniform", {low, high}});
    }
  } else {
    const std::size_t one = numbers_in_one(declaration, value.dims);
    for (std::size_t start = 0; start < count; start += one) {
      const auto made = draw_uniformly(constraint.kind, one, value.dims.back(), uniform_);
      if (made.empty()) refuse();
      std::copy(made.begin(), made.end(), numbers + start);
    }
  }
  drawn.drawn.assign(count, true);
}

}  // namespace sgmcmc::stan
