// One chain of a cycle: its blocks, and the kernels with their state.
#pragma once

#include <sgmcmc/cycle.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

class CycleChain {
 public:
  CycleChain(const Cycle& cycle, const CycleOptions& options, std::uint32_t chain);

  void step();
  std::uint64_t iteration() const { return iteration_; }  ///< completed iterations

  /// Blocks, then recorded functions, in the order of names_of().
  std::span<const double> values();
  double weight() const { return weight_; }  ///< weight of the current state as a draw
  const std::vector<KernelReport>& reports() const { return reports_; }
  void visit_state(StateVisitor& visitor);

  static std::vector<std::string> names_of(const Cycle& cycle);

 private:
  void allow(const std::vector<std::size_t>& blocks, const std::string& kernel);
  void check(const std::vector<std::size_t>& blocks, const std::string& what) const;
  [[noreturn]] void refuse(const std::string& what) const;

  const Cycle& cycle_;
  std::uint64_t seed_;
  std::uint32_t chain_;
  std::uint64_t iteration_ = 0;  // counted from 1; 0: before the first step
  Blocks state_;
  std::vector<BlockKernel> kernels_;
  std::vector<KernelReport> reports_;
  std::vector<double> values_;
  double weight_ = 1;
};

}  // namespace sgmcmc
