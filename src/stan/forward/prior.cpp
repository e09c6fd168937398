// Draws parameters from their priors, and mixes the distributions they were drawn from.
#include "stan/forward/prior.hpp"

#include "stan/builtins/draw_uniforms.hpp"
#include "stan/builtins/number_program.hpp"
#include "stan/builtins/operands.hpp"
#include "stan/builtins/signatures.hpp"
#include "stan/forward/forward_constants.hpp"
#include "stan/forward/forward_program.hpp"
#include "stan/lowering/forward_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace sgmcmc::stan {
namespace {

/// The log density of a distribution as a function of the outcome and its arguments, all numbers.
NumberProgram density_program(const std::string& law, std::size_t arguments) {
  const std::string function = law + std::string(density_suffix(law));
  return NumberProgram(
      [function](std::span<const Expression> x) {
        std::vector<Operand> operands;
        for (const auto& one : x) operands.push_back(symbol_operand(real_type, one));
        return as_expression(apply_builtin(function, operands));
      },
      arguments + 1);
}

/// Probability below a bound.
double mass_below(const ElementLaw& law, double bound) {
  const OutcomeSupport support = outcome_support(law.name);
  const auto end = [&](int argument, double otherwise) {
    return argument < 0 ? otherwise : law.arguments[static_cast<std::size_t>(argument)];
  };
  if (bound <= end(support.lower_end, support.lower)) return 0;
  if (bound >= end(support.upper_end, support.upper)) return 1;
  std::vector<Operand> operands{real_operand(bound)};
  for (const double argument : law.arguments) operands.push_back(real_operand(argument));
  return apply_builtin(law.name + "_cdf", operands).numbers.at(0);
}

}  // namespace

std::vector<double> ElementPrior::density(std::span<const double> at) const {
  if (laws.empty()) return {};
  try {
    std::vector<double> sum(at.size(), 0.0), values(at.size());
    const NumberProgram program = density_program(laws.front().name, laws.front().arguments.size());
    for (const auto& law : laws) {
      if (law.name != laws.front().name || law.arguments.size() != laws.front().arguments.size()) return {};
      const double mass = mass_below(law, law.upper) - mass_below(law, law.lower);
      if (!(mass > 0)) return {};
      std::vector<std::span<const double>> arguments{at};
      for (const double& argument : law.arguments) arguments.emplace_back(&argument, 1);
      program.evaluate(arguments, values);
      for (std::size_t k = 0; k < at.size(); ++k)
        if (at[k] >= law.lower && at[k] <= law.upper && !std::isnan(values[k])) sum[k] += std::exp(values[k]) / mass;
    }
    for (double& each : sum) each /= static_cast<double>(laws.size());
    return sum;
  } catch (const ArgumentError&) {  // no distribution function
    return {};
  } catch (const std::logic_error&) {  // cannot be computed for single numbers
    return {};
  }
}

struct PriorSampler::Parts {
  Parts(const ModelText& model, const DataVariables& data, const LikelihoodSpans& likelihood)
      : text(model), forward(model, ForwardPart::parameters, likelihood), constants(constants_of(model, data)) {
    keep_what_is_read();
    DrawUniforms uniforms(0, 0, 0, DrawPurpose::simulation);  // detects errors
    run(uniforms, {}, [&](const std::string& name, const Value& value, const std::vector<bool>& elements) {
      drawn[name] = {value.dims, elements};
    });
  }

  /// Data that only the likelihood reads are neither converted nor copied.
  void keep_what_is_read() {
    std::set<std::string> read;
    for (const auto* block : {&forward.program.parameters, &forward.program.model})
      for (const auto& statement : block->statements) {
        const Uses uses = uses_of(*statement);
        read.insert(uses.reads.begin(), uses.reads.end());
      }
    std::erase_if(constants, [&](const auto& constant) { return !read.count(constant.first); });
    write_out_sparse(constants);
  }

  std::vector<const Declaration*> proper_parameters() const {
    std::vector<const Declaration*> found;
    for (const auto* declaration : declarations_in(forward.program.parameters))
      if (!forward.improper.count(declaration->name)) found.push_back(declaration);
    return found;
  }

  /// Draws all parameters once; `result` is called for each.
  template <class Result>
  void run(UniformSource& uniforms, const LawObserver& observer, const Result& result) const {
    DrawnVariables variables;
    Interpreter interpreter(*text.source, forward.program, nullptr);
    interpreter.set_uniform_source(&uniforms);
    OutcomeDrawer drawer(interpreter, variables, forward.varying, uniforms);
    drawer.set_observer(observer);
    interpreter.set_drawer(&drawer);
    for (const auto& [name, value] : constants) interpreter.define(name, value);
    const auto parameters = proper_parameters();
    for (const auto* declaration : parameters) {
      const Dims dims = interpreter.sizes(*declaration).dims;
      const auto size = static_cast<std::size_t>(size_of(dims));
      const double nan = std::numeric_limits<double>::quiet_NaN();
      interpreter.define(declaration->name,
                         number_value(declaration->type, dims, Numbers(std::vector<double>(size, nan))));
      variables[declaration->name] = {declaration, true, std::vector<bool>(size, false), {}};
    }
    for (const auto* declaration : parameters)
      if (!forward.drawn.count(declaration->name)) drawer.draw_flat(*declaration);
    interpreter.run(forward.program.model);
    for (const auto* declaration : parameters)
      result(declaration->name, *interpreter.find(declaration->name), variables.at(declaration->name).drawn);
  }

  struct Drawn {
    Dims dims;
    std::vector<bool> elements;  ///< that statements draw
  };
  ModelText text;
  ForwardProgram forward;
  Constants constants;
  std::map<std::string, Drawn> drawn;  ///< by parameter
};

PriorSampler::PriorSampler(const ModelText& model, const DataVariables& data, const LikelihoodSpans& likelihood)
    : parts_(std::make_unique<Parts>(model, data, likelihood)) {}
PriorSampler::~PriorSampler() = default;

const std::set<std::string>& PriorSampler::improper() const { return parts_->forward.improper; }

std::vector<ElementPrior> PriorSampler::draw(const std::set<std::string>& wanted, std::size_t count,
                                             std::uint64_t seed) const {
  std::vector<ElementPrior> priors;
  std::map<std::string, std::map<std::size_t, std::size_t>> places;  // by parameter and element: which prior
  for (const auto& [parameter, drawn] : parts_->drawn) {
    const auto names = element_names(parameter, drawn.dims);
    for (std::size_t element = 0; element < names.size(); ++element)
      if (drawn.elements[element] && wanted.count(names[element])) {
        places[parameter][element] = priors.size();
        priors.push_back({names[element], {}, {}});
      }
  }
  const LawObserver observer = [&](const std::string& parameter, std::size_t element, ElementLaw law) {
    const auto& own = places[parameter];
    if (const auto found = own.find(element); found != own.end()) priors[found->second].laws.push_back(std::move(law));
  };
  for (std::size_t k = 0; k < count; ++k) {
    DrawUniforms uniforms(seed, 3, k, DrawPurpose::simulation);
    parts_->run(uniforms, observer, [&](const std::string& parameter, const Value& value, const auto&) {
      for (const auto& [element, prior] : places[parameter]) priors[prior].draws.push_back(value.numbers[element]);
    });
  }
  for (auto& prior : priors) {
    if (prior.laws.size() != count) prior.laws.clear();
    const bool same = std::all_of(prior.laws.begin(), prior.laws.end(),
                                  [&](const ElementLaw& law) { return law == prior.laws.front(); });
    if (same && !prior.laws.empty()) prior.laws.resize(1);
  }
  return priors;
}

}  // namespace sgmcmc::stan
