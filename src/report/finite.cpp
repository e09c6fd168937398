// Formats numbers for fields of CSV files.
#include "report/finite.hpp"

#include "base/text.hpp"

namespace sgmcmc {

std::string number_or_nothing(double x) { return std::isfinite(x) ? formatted("%.8g", x) : std::string(); }

}  // namespace sgmcmc
