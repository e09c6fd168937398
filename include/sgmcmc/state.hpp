// Saving and restoring state: a kernel or estimator lists its plain data once, and a visitor reads or writes it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sgmcmc {

class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  virtual void visit(std::string_view name, double& value) = 0;
  virtual void visit(std::string_view name, std::uint64_t& value) = 0;
  virtual void visit(std::string_view name, std::vector<double>& values) = 0;
  /// For arrays of fixed length. Throws FileError if the length read differs.
  virtual void visit_numbers(std::string_view name, std::span<double> values);
};

}  // namespace sgmcmc
