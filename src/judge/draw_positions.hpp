// Maps draws on the constrained scale back to unconstrained positions.
#pragma once

#include <sgmcmc/draws.hpp>
#include <sgmcmc/model.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

class DrawPositions {
 public:
  /// Throws DataError naming a parameter that the draws lack. Ignores the parameters in `left_out`: their coordinates
  /// are 0.
  DrawPositions(const Model& model, const MemoryDraws& draws, const std::vector<std::string>& left_out = {});

  /// Columns of the parameters, in the order of Model::constrained_names(), without those in `left_out`.
  const std::vector<std::size_t>& columns() const { return columns_; }
  std::map<std::string, std::vector<double>> values(std::size_t chain, std::size_t draw) const;
  /// Empty if a value was rounded to the boundary of its constraint.
  std::optional<std::vector<double>> position(std::size_t chain, std::size_t draw) const;

 private:
  void draw_lengths(std::size_t chain, std::size_t draw, std::span<double> theta) const;

  const Model& model_;
  const MemoryDraws& draws_;
  std::vector<std::string> left_out_;
  std::vector<std::size_t> columns_;
};

}  // namespace sgmcmc
