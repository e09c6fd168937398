// Conversions of run settings: to text, and minibatch sizes to rows.
#include <sgmcmc/settings.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {

std::string RunSettings::written(std::string_view setting, std::string_view value) const {
  if (writer) return writer(setting, value);
  return std::string(setting) + (value.empty() ? "" : " = " + std::string(value));
}

std::int64_t BatchSize::of(std::int64_t rows) const {
  if (count > 0) return count;
  const double share = std::round(fraction * static_cast<double>(rows));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(share));
}

}  // namespace sgmcmc
