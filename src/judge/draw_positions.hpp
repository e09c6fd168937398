// Draws on the constrained scale, by name, turned back into unconstrained positions.
#pragma once

#include <sgmcmc/draws.hpp>
#include <sgmcmc/model.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

class DrawPositions {
 public:
  /// Throws DataError naming a parameter that the draws lack. Parameters named in `left_out` are not looked at: their
  /// coordinates are 0.
  DrawPositions(const Model& model, const MemoryDraws& draws, const std::vector<std::string>& left_out = {});

  /// Which columns of the draws are parameters, in the order of Model::constrained_names(), but for those left out.
  const std::vector<std::size_t>& columns() const { return columns_; }
  std::map<std::string, std::vector<double>> values(std::size_t chain, std::size_t draw) const;
  /// Nothing where a value has been rounded onto the border of its constraint.
  std::optional<std::vector<double>> position(std::size_t chain, std::size_t draw) const;

 private:
  const Model& model_;
  const MemoryDraws& draws_;
  std::vector<std::string> left_out_;
  std::vector<std::size_t> columns_;
};

}  // namespace sgmcmc
