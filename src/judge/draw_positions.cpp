// Looks up parameters among the columns of draws, and inverts their constraints.
#include "judge/draw_positions.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {

DrawPositions::DrawPositions(const Model& model, const MemoryDraws& draws, const std::vector<std::string>& left_out)
    : model_(model), draws_(draws), left_out_(left_out) {
  const auto is_left_out = [&](const std::string& element) {
    const auto name = element.substr(0, element.find('['));
    return std::find(left_out_.begin(), left_out_.end(), name) != left_out_.end();
  };
  std::map<std::string, std::size_t> places;
  for (std::size_t k = 0; k < draws.names().size(); ++k) places.emplace(draws.names()[k], k);
  for (const auto& name : model.constrained_names()) {
    if (is_left_out(name)) continue;
    const auto found = places.find(name);
    if (found == places.end())
      throw DataError("the draws have no column '" + name +
                      "', a parameter of the model: they are draws of another model");
    columns_.push_back(found->second);
  }
}

std::map<std::string, std::vector<double>> DrawPositions::values(std::size_t chain, std::size_t draw) const {
  std::map<std::string, std::vector<double>> result;
  std::size_t column = 0;
  for (const auto& info : model_.parameters()) {
    if (std::find(left_out_.begin(), left_out_.end(), info.name) != left_out_.end()) continue;
    auto& numbers = result[info.name];
    for (std::int64_t i = 0; i < info.shape.size(); ++i) numbers.push_back(draws_(chain, draw, columns_[column++]));
  }
  return result;
}

/// The coordinates of a unit vector are standard normals apart from its direction, so that their length is independent
/// of it: the norm of as many standard normals. Draws have the direction only.
void DrawPositions::draw_lengths(std::size_t chain, std::size_t draw, std::span<double> theta) const {
  for (const auto& info : model_.parameters()) {
    if (info.constraint.name() != "unit_vector") continue;
    const auto size = static_cast<std::size_t>(info.shape[info.shape.rank() - 1]);
    const auto first = static_cast<std::size_t>(info.offset);
    std::vector<double> normals(static_cast<std::size_t>(info.unconstrained_size));
    fill_normal({.chain = static_cast<std::uint32_t>(chain), .iteration = draw, .purpose = Purpose::lengths}, normals,
                first);
    for (std::size_t at = 0; at < normals.size(); at += size) {
      double square = 0;
      for (std::size_t k = 0; k < size; ++k) square += normals[at + k] * normals[at + k];
      for (std::size_t k = 0; k < size; ++k) theta[first + at + k] *= std::sqrt(square);
    }
  }
}

std::optional<std::vector<double>> DrawPositions::position(std::size_t chain, std::size_t draw) const {
  try {
    auto theta = model_.unconstrain(values(chain, draw));
    draw_lengths(chain, draw, theta);
    if (std::all_of(theta.begin(), theta.end(), [](double x) { return std::isfinite(x); })) return theta;
  } catch (const DataError&) {
  }
  return std::nullopt;
}

}  // namespace sgmcmc
