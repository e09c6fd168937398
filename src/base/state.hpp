// One path for saving and restoring state: a kernel or estimator lists its plain data once, a visitor reads or writes
// it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sgmcmc {

class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  virtual void visit(std::string_view name, double& value) = 0;
  virtual void visit(std::string_view name, std::uint64_t& value) = 0;
  virtual void visit(std::string_view name, std::vector<double>& values) = 0;
};

}  // namespace sgmcmc
