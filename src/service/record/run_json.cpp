// What a run reports, number by number.
#include "service/record/run_json.hpp"

#include "report/finite.hpp"

#include <algorithm>

namespace sgmcmc {

namespace {
using Json = nlohmann::ordered_json;
}  // namespace

Json tuning_json(const TuningReport& report) {
  Json json;
  json["why"] = report.why;
  if (!report.mode.empty()) json["mode"] = report.mode;
  json["rows_touched"] = report.rows_touched;
  json["seconds"] = report.seconds;
  json["candidates"] = Json::array();
  for (const auto& c : report.candidates) {
    json["candidates"].push_back({{"method", c.method},
                                  {"step_size", c.step_size},
                                  {"step_per_coordinate", c.step_per_coordinate},
                                  {"batch_size", c.batch_size},
                                  {"trajectory_length", c.trajectory_length},
                                  {"friction", c.friction},
                                  {"iterations", c.iterations},
                                  {"rounds", c.rounds},
                                  {"diverged", c.diverged},
                                  {"sd_error", number_or_null(c.sd_error)},
                                  {"mean_error", number_or_null(c.mean_error)},
                                  {"monte_carlo", number_or_null(c.monte_carlo)},
                                  {"error", number_or_null(c.score)},
                                  {"autocorrelation_time", number_or_null(c.autocorrelation_time)},
                                  {"kernel_stein_discrepancy", number_or_null(c.kernel_stein)},
                                  {"log_likelihood", number_or_null(c.log_likelihood)},
                                  {"chosen", c.chosen}});
  }
  return json;
}

Json verdict_json(const Verdict& verdict) {
  return {{"trust", trust_words(verdict.trust)}, {"sentences", verdict.sentences}};
}

std::string step_text(const SampleOptions& options) {
  for (const auto& option : describe_options(options.sampler))
    if (option.name == "step_size") return option.default_text;  // as it is set
  return "";
}

std::uint64_t most_warmup(const SampleResult& result) {
  std::uint64_t most = 0;
  for (const auto& chain : result.warmup) most = std::max(most, chain.iterations);
  return most;
}

Json reductions_json(const std::vector<StepReduction>& reductions) {
  auto list = Json::array();
  for (const auto& reduction : reductions)
    list.push_back({{"chain", reduction.chain + 1},
                    {"diverged_at", reduction.diverged_at},
                    {"back_to", reduction.back_to},
                    {"step_factor", reduction.factor}});
  return list;
}

}  // namespace sgmcmc
