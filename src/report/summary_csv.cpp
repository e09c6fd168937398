// Writes the rows of a summary as CSV lines.
#include "report/summary_csv.hpp"

#include <charconv>
#include <cmath>

namespace sgmcmc {
namespace {

void append_number(std::string& text, double value) {
  text += ',';
  if (!std::isfinite(value)) {
    text += "NA";
    return;
  }
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

std::string summary_csv(const std::vector<SummaryRow>& rows) {
  std::string text = "name,mean,mcse_mean,sd,q5,q50,q95,ess,rhat\n";
  for (const SummaryRow& row : rows) {
    const bool quoted = row.name.find(',') != std::string::npos;
    text += quoted ? '"' + row.name + '"' : row.name;
    const QuantitySummary& s = row.summary;
    for (const double value : {s.mean, s.mcse_mean, s.standard_deviation, s.q5, s.q50, s.q95, s.ess_bulk, s.rhat})
      append_number(text, value);
    text += '\n';
  }
  return text;
}

}  // namespace sgmcmc
