// Formats the rate and remaining time of the current pass.
#include "service/pass_words.hpp"

#include "base/text.hpp"
#include "data/pass_meter.hpp"
#include "data/row_pages.hpp"
#include "data/store.hpp"

#include <cmath>
#include <memory>

namespace sgmcmc {
namespace {

std::string words_on(const PassProgress& pass) {
  if (!pass.name || pass.done == 0 || !(pass.seconds > 0)) return "";
  const double share = static_cast<double>(pass.done) / static_cast<double>(pass.units);
  const double rate = share * pass.bytes / pass.seconds;
  return std::string(pass.name) + formatted(": %.0f %% of %.2g GB, ", std::floor(100 * share), pass.bytes / 1e9) +
         (rate < 1e9 ? formatted("%.0f MB/s, ", rate / 1e6) : formatted("%.1f GB/s, ", rate / 1e9)) +
         formatted("%.0f s left", std::ceil((1 - share) / share * pass.seconds));
}

}  // namespace

std::string pass_words(const Model& model) {
  RowPages* const pages = model.data().store().pages();
  return pages ? words_on(pages->meter().now()) : "";
}

std::function<std::string()> watch_row_files(StanBindOptions& options) {
  options.meter = std::make_shared<PassMeter>("verifying checksums");
  return [meter = options.meter] { return words_on(meter->now()); };
}

}  // namespace sgmcmc
