// Adds univariate distributions to the table, vectorised over their arguments.
#include "stan/builtins/laws.hpp"

#include "stan/builtins/number_program.hpp"

#include <sgmcmc/expression.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>

namespace sgmcmc::stan {
namespace {

std::int64_t common_count(const BuiltinCall& call) {
  std::vector<std::size_t> all(call.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return outcome_count(call, all);
}

/// A function of expressions with its numeric version.
struct Vectorised {
  LawFunction function;
  std::shared_ptr<const NumberProgram> on_numbers;

  Vectorised(LawFunction given, std::size_t arguments)
      : function(std::move(given)), on_numbers(std::make_shared<NumberProgram>(function, arguments)) {}

  /// Values for all outcomes, as one array.
  Expression symbols(const BuiltinCall& call) const {
    std::vector<Expression> arguments;
    arguments.reserve(call.size());
    for (const auto& argument : call.arguments) arguments.push_back(as_expression(argument));
    return function(arguments);
  }
  std::vector<double> numbers(const BuiltinCall& call, std::int64_t count) const {
    std::vector<std::span<const double>> arguments;
    arguments.reserve(call.size());
    for (const auto& argument : call.arguments) arguments.emplace_back(argument.numbers);
    std::vector<double> results(static_cast<std::size_t>(std::max<std::int64_t>(count, 1)));
    on_numbers->evaluate(arguments, results);
    return results;
  }
};

Apply summed(LawFunction function, std::size_t arguments, void (*relation)(const BuiltinCall&)) {
  return [density = Vectorised(std::move(function), arguments), relation](const BuiltinCall& call) {
    const std::int64_t count = common_count(call);
    if (count == 0) return real_operand(0);
    if (relation != nullptr) relation(call);
    if (!all_data(call.arguments)) return symbol_operand(real_type, sum(density.symbols(call)));
    const auto terms = density.numbers(call, count);
    return real_operand(std::accumulate(terms.begin(), terms.end(), 0.0));
  };
}

/// The joint probability of all outcomes.
Apply multiplied(LawFunction function, LawFunction logarithm, std::size_t arguments) {
  return [one = Vectorised(std::move(function), arguments), logarithm = std::move(logarithm)](const BuiltinCall& call) {
    const std::int64_t count = common_count(call);
    if (count == 0) return real_operand(1);
    if (all_data(call.arguments)) {
      const auto factors = one.numbers(call, count);
      return real_operand(std::accumulate(factors.begin(), factors.end(), 1.0, std::multiplies<>()));
    }
    if (count < 0) return symbol_operand(real_type, one.symbols(call));
    return symbol_operand(real_type, exp(sum(Vectorised(logarithm, call.size()).symbols(call))));
  };
}

constexpr double largest_count = 2147483647.0;

Operand draw_all(const BuiltinCall& call, UniformSource& uniform, Generator generator, bool integers) {
  std::int64_t count = -1;
  for (const auto& argument : call.arguments) {
    if (argument.dims.empty()) continue;
    if (count >= 0 && argument.dims[0] != count)
      refuse(call,
             "the sizes differ: " + std::to_string(count) + " and " + std::to_string(argument.dims[0]) + " elements");
    count = argument.dims[0];
  }
  const Base base = integers ? Base::integer : Base::real;
  Operand result = count < 0
                       ? numbers_operand({base, 0}, {}, {0.0})
                       : numbers_operand({base, 1}, {count}, std::vector<double>(static_cast<std::size_t>(count)));
  std::vector<double> parameters(call.size());
  for (std::size_t i = 0; i < result.numbers.size(); ++i) {
    for (std::size_t k = 0; k < call.size(); ++k) parameters[k] = call[k].numbers[call[k].dims.empty() ? 0 : i];
    result.numbers[i] = generator(parameters.data(), uniform);
    if (integers && !(std::fabs(result.numbers[i]) <= largest_count))
      refuse(call, "the random number does not fit into an int, which has 32 bits");
  }
  return result;
}

std::string signature_text(const Law& law, const std::string& outcome) {
  return "(" + outcome + (law.parameters.empty() ? "" : " | ") + law.parameters + "): real";
}

}  // namespace

std::int64_t outcome_count(const BuiltinCall& call, std::span<const std::size_t> arguments) {
  std::int64_t count = -1;
  std::size_t first = 0;
  for (const std::size_t i : arguments) {
    if (call[i].dims.empty()) continue;
    if (count >= 0 && call[i].dims[0] != count)
      refuse(call, "the sizes differ: argument " + std::to_string(first + 1) + " has " + std::to_string(count) +
                       " elements, argument " + std::to_string(i + 1) + " has " + std::to_string(call[i].dims[0]));
    if (count < 0) first = i;
    count = call[i].dims[0];
  }
  return count;
}

void require_in_range(const BuiltinCall& call, const Operand& outcome, std::int64_t count) {
  if (!outcome.is_data()) return;
  for (const double value : outcome.numbers)
    if (value < 1 || value > static_cast<double>(count))
      refuse(call, "the outcome is " + std::to_string(static_cast<std::int64_t>(value)) + ", must be from 1 to " +
                       std::to_string(count));
}

Expression element(const Operand& x, std::int64_t i) {
  if (x.dims.empty()) return as_expression(x);
  if (x.is_data()) return x.dims.size() == 1 ? Expression(x.numbers[static_cast<std::size_t>(i)]) : as_expression(x)[i];
  return x.symbol[i];
}

Builtin& add_density(Table& table, const std::string& name, const char* suffix,
                     std::initializer_list<std::string_view> signatures, std::vector<int> outcome_ranks, Apply apply) {
  const std::string full = name + "_" + suffix;
  const std::string without_constants = name + (std::string_view(suffix) == "lpdf" ? "_lupdf" : "_lupmf");
  Builtin& entry = table.add(full, signatures, std::move(apply));
  entry.label = name;
  entry.outcome_ranks = std::move(outcome_ranks);
  entry.checks_data = true;
  table.alias(without_constants, full);
  return entry;
}

void add_rng(Table& table, const std::string& name, Generator generator) {
  const Builtin* density = table.find(name + "_lpdf");
  if (density == nullptr) density = table.find(name + "_lpmf");
  Signature signature = density->signatures.front();
  const bool integers = signature.arguments[0].kind == Pattern::Kind::ints;
  signature.arguments.erase(signature.arguments.begin());
  const std::size_t bar = signature.text.find(" | "), close = signature.text.rfind("): ");
  const std::string inside = bar == std::string::npos ? std::string() : signature.text.substr(bar + 3, close - bar - 3);
  signature.text = "(" + inside + (integers ? "): ints" : "): reals");
  signature.result.kind = integers ? Pattern::Kind::ints : Pattern::Kind::reals;
  Builtin& entry = table.add(name + "_rng", std::vector<Signature>{std::move(signature)}, Apply());
  entry.draw = [generator, integers](const BuiltinCall& call, UniformSource& uniform) {
    return draw_all(call, uniform, generator, integers);
  };
}

void add_law(Table& table, const Law& law) {
  const std::string text = signature_text(law, law.outcome);
  const Signature signature = parse_signature(text);
  const std::size_t count = signature.arguments.size();
  const bool discrete = signature.arguments[0].kind == Pattern::Kind::ints;
  const char* suffix = discrete ? "lpmf" : "lpdf";
  Builtin& density = add_density(table, law.name, suffix, {text}, std::vector<int>(count, 0),
                                 summed(law.density, count, law.relation));
  density.lower_end = law.lower_end;
  density.upper_end = law.upper_end;
  const std::string tails = signature_text(law, !law.tail_outcome.empty() ? law.tail_outcome
                                                : discrete                ? "ints outcome"
                                                                          : law.outcome);
  const auto add = [&](const std::string& name, Apply apply) {
    Builtin& entry = table.add(name, {tails}, std::move(apply));
    entry.label = name;
    entry.outcome_ranks.assign(count, 0);
    entry.checks_data = true;
  };
  if (law.cdf) add(law.name + "_cdf", multiplied(law.cdf, law.lcdf, count));
  if (law.lcdf) add(law.name + "_lcdf", summed(law.lcdf, count, nullptr));
  if (law.lccdf) add(law.name + "_lccdf", summed(law.lccdf, count, nullptr));
  if (law.draw != nullptr) add_rng(table, law.name, law.draw);
}

void add_old_names(Table& table) {
  constexpr std::pair<std::string_view, std::string_view> suffixes[] = {
      {"_lpdf", "_log"}, {"_lpmf", "_log"}, {"_lcdf", "_cdf_log"}, {"_lccdf", "_ccdf_log"}};
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& entry : table.all())
    for (const auto& [suffix, old] : suffixes)
      if (entry->name.ends_with(suffix))
        names.emplace_back(entry->name.substr(0, entry->name.size() - suffix.size()).append(old), entry->name);
  for (const auto& [old, name] : names)
    if (table.find(old) == nullptr) table.alias(old, name, true);
}

}  // namespace sgmcmc::stan
