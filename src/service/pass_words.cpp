// Formats the rate and remaining time of the current pass.
#include "service/pass_words.hpp"

#include "base/text.hpp"
#include "data/row_pages.hpp"
#include "data/store.hpp"

#include <cmath>

namespace sgmcmc {

std::string pass_words(const Model& model) {
  const RowPages* const pages = model.data().store().pages();
  if (!pages) return "";
  const PassProgress pass = pages->pass();
  if (!pass.name || pass.done == 0 || !(pass.seconds > 0)) return "";
  const double share = static_cast<double>(pass.done) / static_cast<double>(pass.rows);
  const double rate = share * pass.bytes / pass.seconds;
  return std::string(pass.name) + formatted(": %.0f %% of %.2g GB, ", std::floor(100 * share), pass.bytes / 1e9) +
         (rate < 1e9 ? formatted("%.0f MB/s, ", rate / 1e6) : formatted("%.1f GB/s, ", rate / 1e9)) +
         formatted("%.0f s left", std::ceil((1 - share) / share * pass.seconds));
}

}  // namespace sgmcmc
