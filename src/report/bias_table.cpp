// Lays out a diagnosis as text.
#include "report/bias_table.hpp"

#include "base/text.hpp"
#include "report/cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sgmcmc {
namespace {

std::string number(const char* format, double value) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return formatted(format, value);
}

std::string with_error(const char* format, double value, double error) {
  return number(format, value) + " +- " + number(format, error);
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string left(const std::string& text, std::size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

std::string spending(const BiasReport& report) {
  std::string text = std::to_string(report.points) + " of " + std::to_string(report.draws) + " draws of " +
                     std::to_string(report.chains) + (report.chains == 1 ? " chain" : " chains") + ", ";
  text += report.full_gradients
              ? "full gradients"
              : "gradients by control variates from " + std::to_string(report.batch_size) + " rows each";
  text += "\n";
  if (report.passes > 0)
    text += "spent: " + formatted("%.3g", report.rows_touched) + " rows, " + formatted("%.3g", report.passes) +
            " passes over the data; ";
  else
    text += "spent: ";
  return text + formatted("%.2g s\n", report.seconds);
}

std::string discrepancies(const BiasReport& report) {
  constexpr std::size_t column = 28;
  const auto line = [](const char* what, const std::string& found, const std::string& remark) {
    return left(what, column) + left(found, 20) + remark + "\n";
  };
  std::string text;
  text += line("R-hat", number("%.3f", report.worst_rhat), "largest: " + report.worst_rhat_name);
  text += line("effective sample size", number("%.0f", report.least_ess), "least: " + report.least_ess_name);
  const double exact = std::sqrt(report.kernel.exact_squared);
  if (report.full_gradients)
    text += line("kernel Stein discrepancy", number("%.2g", std::sqrt(std::max(0.0, report.kernel.v_squared))),
                 "exact independent draws: about " + number("%.2g", exact));
  text += line("kernel Stein, unbiased", number("%.2g", report.kernel.u_squared),
               "squared; exact independent draws: about 0");
  text += line("finite-set discrepancy", with_error("%.2g", report.finite_set.squared, report.finite_set.error),
               "squared; exact draws: about 0");
  return text;
}

}  // namespace

std::string bias_table(const BiasReport& report, const BiasTableOptions& options) {
  auto order = worst_first(report);
  const std::size_t all = order.size();
  if (options.most_rows > 0 && all > options.most_rows) order.resize(options.most_rows);
  std::size_t width = 10;
  for (const auto* c : order) width = std::max(width, c->name.size());
  const bool predicted =
      std::any_of(order.begin(), order.end(), [](const auto* c) { return !std::isnan(c->predicted_sd_ratio); });
  const bool noisy = std::any_of(order.begin(), order.end(), [](const auto* c) { return c->noise_ratio > 0; });

  std::string text = spending(report) + "\n" + discrepancies(report) + "\n";
  text += left("", width) + right("sd ratio", 15) + right("mean shift", 17) + (noisy ? right("noise", 10) : "") +
          (predicted ? right("predicted", 11) : "") + (report.halving ? right("half step", 17) : "") + "\n";
  for (const auto* c : order) {
    text += left(c->name, width);
    text += right(with_error("%.2f", c->moments.sd_ratio, c->moments.sd_ratio * c->moments.log_sd_ratio_error), 15);
    text += right(with_error("%.2f", c->moments.mean_shift, c->moments.mean_shift_error), 17);
    if (noisy) text += right(number("%.3f", c->noise_ratio), 10);
    if (predicted) text += right(number("%.2f", c->predicted_sd_ratio), 11);
    if (report.halving) {
      const auto& half = report.halving->coordinates[static_cast<std::size_t>(c - report.coordinates.data())];
      text += right(with_error("%.2f", std::exp(half.log_sd_change), half.log_sd_change_error), 17);
    }
    text += "  " + std::string(trust_words(c->trust)) + "\n";
  }
  if (order.size() < all)
    text += std::to_string(all - order.size()) + " more, no worse" + hint_line(options.how_to_see_all);
  return text;
}

}  // namespace sgmcmc
