// Calls kernels in turn, lets each write only the blocks it moves, and checks the values written.
#include "cycles/cycle_chain.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sgmcmc {

namespace {

/// A different seed per kernel, so that samplers in a cycle do not share random streams.
std::uint64_t seed_of_kernel(std::uint64_t seed, std::size_t kernel) {
  if (kernel == 0) return seed;
  std::uint64_t x = seed + 0x9e3779b97f4a7c15ULL * kernel;  // SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

CycleChain::CycleChain(const Cycle& cycle, const CycleOptions& options, std::uint32_t chain)
    : cycle_(cycle), seed_(options.seed), chain_(chain) {
  for (const auto& block : cycle.blocks_) {
    state_.blocks_.push_back({block.name, state_.values_.size(), block.initial.size(), false});
    state_.values_.insert(state_.values_.end(), block.initial.begin(), block.initial.end());
  }
  std::vector<std::size_t> all(cycle.blocks_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (cycle.start_) {
    static const std::string name = "start";
    allow(all, name);
    KernelRandom random(seed_, chain_, 0, static_cast<std::uint32_t>(cycle.kernels_.size()));
    cycle.start_(state_, random);
  }
  check(all, "the start");
  allow({}, "");
  for (std::size_t k = 0; k < cycle.kernels_.size(); ++k) {
    kernels_.push_back(cycle.kernels_[k].make({seed_of_kernel(seed_, k), chain_, options.warmup}));
    reports_.push_back({cycle.kernels_[k].name});
  }
  values_.resize(state_.values_.size() + cycle.recorded_.size());
}

void CycleChain::allow(const std::vector<std::size_t>& blocks, const std::string& kernel) {
  for (auto& block : state_.blocks_) block.is_writable = false;
  for (const std::size_t b : blocks) state_.blocks_[b].is_writable = true;
  state_.kernel_ = kernel.empty() ? nullptr : &kernel;
}

void CycleChain::refuse(const std::string& what) const {
  throw DivergenceError("chain " + std::to_string(chain_ + 1) +
                        (iteration_ > 0 ? ", iteration " + std::to_string(iteration_) : std::string()) + ": " + what);
}

void CycleChain::check(const std::vector<std::size_t>& blocks, const std::string& what) const {
  for (const std::size_t b : blocks) {
    const auto& block = state_.blocks_[b];
    for (std::size_t i = 0; i < block.size; ++i)
      if (!std::isfinite(state_.values_[block.begin + i]))
        refuse(what + " left " + block.name + (block.size > 1 ? "[" + std::to_string(i + 1) + "]" : std::string()) +
               " at a non-finite value. If it comes from a gradient, try a smaller step size");
  }
}

void CycleChain::step() {
  const std::uint64_t iteration = iteration_++;
  double weight = 0;
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    const auto& kernel = cycle_.kernels_[k];
    allow(kernel.blocks, kernel.name);
    KernelRandom random(seed_, chain_, iteration, static_cast<std::uint32_t>(k));
    BlockMove move;
    try {
      move = kernels_[k].step(state_, random, iteration);
    } catch (const DivergenceError& error) {
      refuse("kernel '" + kernel.name + "': " + error.what());
    }
    check(kernel.blocks, "kernel '" + kernel.name + "'");
    ++reports_[k].steps;
    if (move.accepted) ++reports_[k].accepted;
    if (weight == 0) weight = move.weight;
  }
  weight_ = weight > 0 ? weight : 1.0;
}

void CycleChain::visit_state(StateVisitor& visitor) {
  visitor.visit("iteration", iteration_);
  visitor.visit_numbers("blocks", state_.values_);
  visitor.visit("weight", weight_);
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    visitor.visit("steps", reports_[k].steps);
    visitor.visit("accepted", reports_[k].accepted);
    if (kernels_[k].visit_state) kernels_[k].visit_state(visitor);
  }
}

std::span<const double> CycleChain::values() {
  std::copy(state_.values_.begin(), state_.values_.end(), values_.begin());
  for (std::size_t f = 0; f < cycle_.recorded_.size(); ++f) {
    const double value = cycle_.recorded_[f].value(state_);
    if (!std::isfinite(value)) refuse("'" + cycle_.recorded_[f].name + "' is not finite although all blocks are");
    values_[state_.values_.size() + f] = value;
  }
  return values_;
}

std::vector<std::string> CycleChain::names_of(const Cycle& cycle) {
  std::vector<std::string> names;
  for (const auto& block : cycle.blocks_) {
    if (block.initial.size() == 1) {
      names.push_back(block.name);
      continue;
    }
    for (std::size_t i = 1; i <= block.initial.size(); ++i) names.push_back(block.name + "[" + std::to_string(i) + "]");
  }
  for (const auto& recorded : cycle.recorded_) names.push_back(recorded.name);
  return names;
}

}  // namespace sgmcmc
