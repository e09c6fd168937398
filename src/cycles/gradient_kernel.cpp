// Gradient kernels of a cycle: one iteration of a sampler on some blocks, given all others.
#include "cycles/conditional_estimators.hpp"
#include "dynamics/dynamics.hpp"
#include "dynamics/traits.hpp"
#include "graph/node.hpp"

#include <sgmcmc/cycle.hpp>
#include <sgmcmc/error.hpp>

#include <algorithm>

namespace sgmcmc {

namespace {

std::string name_of(const SamplerOptions& sampler, const std::vector<std::string>& blocks) {
  std::string text(sampler_name(sampler));
  for (std::size_t i = 0; i < blocks.size(); ++i) text += (i == 0 ? " " : ", ") + blocks[i];
  return text;
}

/// Samplers that need only gradients of the current conditional distribution: others keep information about it between
/// steps, or are prepared for one distribution.
void check_sampler(const std::string& name, const SamplerOptions& sampler, std::size_t dimension) {
  if (!traits_of(sampler).in_cycles)
    throw OptionError("kernel '" + name + "': " + std::string(sampler_name(sampler)) +
                      " cannot be part of a cycle; use " +
                      samplers_with([](const SamplerTraits& traits) -> bool { return traits.in_cycles; }));
  validate(sampler, dimension);
}

BlockKernel make_kernel(std::shared_ptr<ConditionalEstimator> estimator, const SamplerOptions& sampler,
                        const ChainStart& start) {
  std::shared_ptr<Dynamics> dynamics = make_dynamics(sampler, estimator->dimension());
  const bool exact = is_exact(sampler);
  const auto started = std::make_shared<std::uint64_t>(0);
  const auto initialise = [dynamics, start, started](std::span<const double> position) {
    dynamics->initialise(position, {start.seed, start.chain});
    dynamics->plan_warmup(start.warmup);
    *started = 1;
  };
  BlockKernel kernel = [estimator, dynamics, exact, started, initialise](Blocks& state, KernelRandom&,
                                                                         std::uint64_t iteration) {
    const auto position = estimator->begin(state);
    if (*started == 0)
      initialise(position);
    else
      dynamics->set_position(position);
    const StepStatus status = dynamics->step(*estimator, iteration);
    if (!status.ok())
      throw DivergenceError(std::string(status.failure == StepFailure::gradient_not_finite
                                            ? "the gradient is not finite"
                                            : "the position is no longer finite") +
                            ". Try a smaller step size, or a start nearer to the mode");
    estimator->end(dynamics->position());
    // Weights matter if step sizes shrink; exact samplers have none.
    return BlockMove{true, exact ? 0.0 : dynamics->draw_weight()};
  };
  kernel.visit_state = [estimator, dynamics, started, initialise](StateVisitor& visitor) {
    const bool was_started = *started != 0;
    visitor.visit("started", *started);
    if (*started == 0) return;
    if (!was_started) initialise(std::vector<double>(estimator->dimension(), 0.0));  // restored next
    dynamics->visit_state(visitor);
    estimator->visit_state(visitor);
  };
  return kernel;
}

bool reaches(const Expression& from, const Expression& to) {
  if (&from.node() == &to.node()) return true;
  const auto& inputs = from.node().inputs;
  return std::any_of(inputs.begin(), inputs.end(), [&](const Expression& input) { return reaches(input, to); });
}

/// A parameter fixed by its unconstrained coordinates would change its value if its bounds moved.
void check_bounds_stay(const std::string& kernel, const Model& model, const std::vector<std::string>& blocks) {
  const auto moves = [&](const auto& info) {
    return std::find(blocks.begin(), blocks.end(), info.name) != blocks.end();
  };
  for (const auto& stays : model.parameters())
    for (const auto& moved : model.parameters()) {
      if (moves(stays) || !moves(moved)) continue;
      for (const auto& bound : stays.constraint.bounds())
        if (reaches(bound, moved.value))
          throw ModelError("kernel '" + kernel + "': the bounds of '" + stays.name + "' depend on '" + moved.name +
                           "', so that one cannot stay while the other moves. Move both in one kernel");
    }
}

}  // namespace

Cycle& Cycle::gradient(std::vector<std::string> blocks, SamplerOptions sampler, ConditionalGradient conditional) {
  const std::string name = name_of(sampler, blocks);
  indices_of(name, blocks);
  const std::size_t dimension = size_of(blocks);
  check_sampler(name, sampler, dimension);
  if (!conditional) throw ModelError("kernel '" + name + "' has no function");
  const auto make = [blocks, sampler, dimension, conditional = std::move(conditional)](const ChainStart& start) {
    return make_kernel(std::make_shared<FunctionBlocksEstimator>(blocks, dimension, conditional), sampler, start);
  };
  return kernel(name, std::move(blocks), make);
}

Cycle& Cycle::gradient(std::vector<std::string> blocks, SamplerOptions sampler, const Model& model,
                       const GradientOptions& options) {
  const std::string name = name_of(sampler, blocks);
  indices_of(name, blocks);
  std::int64_t dimension = 0;
  for (const auto& info : model.parameters()) {
    const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& b) { return b.name == info.name; });
    if (found == blocks_.end())
      throw ModelError("kernel '" + name + "': the model has a parameter '" + info.name +
                       "', but there is no block of that name. Declare it before the kernel");
    if (static_cast<std::int64_t>(found->initial.size()) != info.shape.size())
      throw ModelError("kernel '" + name + "': block '" + info.name + "' has " + std::to_string(found->initial.size()) +
                       " numbers; the parameter of the model has " + std::to_string(info.shape.size()));
    if (std::find(blocks.begin(), blocks.end(), info.name) != blocks.end()) dimension += info.unconstrained_size;
  }
  for (const auto& block : blocks)
    if (std::none_of(model.parameters().begin(), model.parameters().end(),
                     [&](const auto& info) { return info.name == block; }))
      throw ModelError("kernel '" + name + "': block '" + block + "' is not a parameter of the model");
  check_bounds_stay(name, model, blocks);
  check_sampler(name, sampler, static_cast<std::size_t>(dimension));
  GradientOptions used = options;
  if (model.row_log_likelihood()) {
    if (takes_every_row(sampler)) used.estimator = Estimator::full;
    if (used.estimator == Estimator::control_variate)
      throw OptionError(
          "kernel '" + name +
          "': control variates have a centre for one conditional distribution; use full, minibatch, saga or svrg");
    used.validate(model.rows(), model.dimension());
  }
  const auto posterior = std::make_shared<const LogPosterior>(model);
  const auto make = [blocks, sampler, posterior, used](const ChainStart& start) {
    return make_kernel(std::make_shared<ModelBlocksEstimator>(posterior, blocks, used, start.seed, start.chain),
                       sampler, start);
  };
  return kernel(name, std::move(blocks), make);
}

}  // namespace sgmcmc
