// Names and validation of gradient options.
#include "base/text.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/gradient.hpp>

#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace sgmcmc {
namespace {

constexpr std::pair<Estimator, std::string_view> names[] = {{Estimator::full, "full"},
                                                            {Estimator::minibatch, "minibatch"},
                                                            {Estimator::control_variate, "cv"},
                                                            {Estimator::saga, "saga"},
                                                            {Estimator::svrg, "svrg"}};

constexpr auto estimators = [] {
  std::array<Estimator, std::size(names)> all{};
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = names[k].first;
  return all;
}();

}  // namespace

std::span<const Estimator> all_estimators() { return estimators; }

std::string_view estimator_name(Estimator estimator) {
  for (const auto& [value, name] : names)
    if (value == estimator) return name;
  return "";
}

Estimator estimator_by_name(std::string_view wanted) {
  std::vector<std::string> known;
  for (const auto& [value, name] : names) {
    if (name == wanted) return value;
    known.emplace_back(name);
  }
  throw OptionError("there is no gradient estimator '" + std::string(wanted) + "'." + did_you_mean(wanted, known));
}

void GradientOptions::validate(std::int64_t rows, std::int64_t dimension) const {
  if (estimator != Estimator::full) minibatch.validate(rows);
  if (tile_rows < 0) throw OptionError("tile_rows is " + std::to_string(tile_rows) + "; use 0 to let it be chosen");
  if (!centre.empty()) {
    if (static_cast<std::int64_t>(centre.size()) != dimension)
      throw OptionError("centre has " + std::to_string(centre.size()) + " elements; the model has " +
                        std::to_string(dimension) + " unconstrained parameters");
    for (std::size_t i = 0; i < centre.size(); ++i)
      if (!std::isfinite(centre[i])) throw OptionError("centre[" + std::to_string(i) + "] is not finite");
  }
  if (estimator == Estimator::saga) {
    const double bytes = 8.0 * static_cast<double>(rows) * static_cast<double>(dimension);
    if (bytes > static_cast<double>(table_bytes_limit))
      throw OptionError("saga keeps one gradient per row: " + std::to_string(rows) + " x " + std::to_string(dimension) +
                        " numbers, " + std::to_string(static_cast<std::uint64_t>(bytes / 1048576.0)) +
                        " MiB, more than table_bytes_limit allows; use svrg or cv, which keep one gradient in all");
  }
}

}  // namespace sgmcmc
