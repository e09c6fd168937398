// Assembles the page of a comparison.
#include "service/reports/comparison_report.hpp"

#include "report/comparison_table.hpp"
#include "report/html_page.hpp"
#include "service/page/reported_run.hpp"
#include "service/record/kept_record.hpp"
#include "service/reports/comparison_json.hpp"

#include <sgmcmc/error.hpp>

#include <chrono>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;

/// Removes the quotes used in messages.
std::string plain(const std::string& label) {
  return label.size() > 2 && label.front() == '\'' && label.back() == '\'' ? label.substr(1, label.size() - 2) : label;
}

/// The verdict on the run in a folder; empty if there is none.
std::string trust_in(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::is_directory(folder, ignored) ? text_at(verdict_in(record_in(folder)), "trust") : "";
}

std::string headline_of(const Comparison& result, std::size_t differing) {
  const std::size_t all = result.parameters.size();
  if (differing > 0)
    return std::to_string(differing) + " of " + std::to_string(all) +
           (all == 1 ? " variable differs" : " variables differ");
  const double shape = worst_ks_probability(result);
  constexpr double unlikely = 0.01;
  return shape < unlikely ? "Means and sds agree, but not the distributions" : "No difference beyond Monte Carlo error";
}

}  // namespace

RunReport report_on_comparison(const OptionValues& values, const Comparison& result, const DrawSet& a,
                               const DrawSet& b) {
  const auto start = std::chrono::steady_clock::now();
  const PageComparison page = compared_json(result, a, b, values.threads());
  Json data = {{"version", 1}, {"comparison", page.json}};
  data["comparison"]["labels"] = {plain(a.label), plain(b.label)};
  data["comparison"]["runs"] = both_runs_json(a, values.operands.at(0), b, values.operands.at(1), values.threads());
  PageHeading heading;
  heading.title = plain(a.label) + " compared with " + plain(b.label);
  heading.subtitle = std::to_string(result.draws) + " draws beside " + std::to_string(result.reference_draws) +
                     " of the reference, " + plain(b.label);
  heading.headline = headline_of(result, page.differing);
  heading.trust = page.differing > 0 || headline_of(result, 0).starts_with("Means") ? "caution" : "trust";
  heading.words = {comparison_words(result)};
  for (const auto* set : {&a, &b}) {
    const std::string trust = trust_in(values.operands.at(set == &a ? 0 : 1));
    if (!trust.empty() && trust != "trust")
      heading.words.push_back("The verdict on " + plain(set->label) + (set == &b ? ", the reference," : "") +
                              " was \u201c" + trust + "\u201d." +
                              (set == &b ? " A reference should be better than that." : ""));
  }
  if (!a.saved.model.empty() && !b.saved.model.empty() && a.saved.model != b.saved.model) {
    heading.trust = "caution";
    heading.words.insert(heading.words.begin(),
                         "These are draws of different models, '" + a.saved.model + "' and '" + b.saved.model + "'.");
  }
  RunReport report;
  report.html = html_page(heading, data);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::filesystem::path comparison_path(const OptionValues& values) {
  if (values.given("out") && !values.flag("report"))
    throw UsageError(values.where("out") + ": it names the page of the comparison; add " + values.written("report"));
  return values.given("out") ? values.text("out") : "comparison.html";
}

}  // namespace sgmcmc
