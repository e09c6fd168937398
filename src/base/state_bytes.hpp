// State as bytes: what a StateVisitor is shown, one entry after the other, each with its name.
#pragma once

#include "base/state.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc {

/// Appends every entry to a string.
class StateWriter final : public StateVisitor {
 public:
  void visit(std::string_view name, double& value) override;
  void visit(std::string_view name, std::uint64_t& value) override;
  void visit(std::string_view name, std::vector<double>& values) override;

  std::string take() { return std::move(bytes_); }

 private:
  void append(std::string_view name, char kind, const void* from, std::uint64_t count);
  std::string bytes_;
};

/// Gives back what a StateWriter was shown, in the same order; throws FileError where the entries are others. The
/// bytes must outlive it.
class StateReader final : public StateVisitor {
 public:
  explicit StateReader(std::string_view bytes) : rest_(bytes) {}

  void visit(std::string_view name, double& value) override;
  void visit(std::string_view name, std::uint64_t& value) override;
  void visit(std::string_view name, std::vector<double>& values) override;

  void finish() const;  ///< throws FileError when something is left

 private:
  std::uint64_t open(std::string_view name, char kind);  ///< how many numbers follow
  void copy(void* to, std::uint64_t count);
  std::string_view rest_;
};

}  // namespace sgmcmc
