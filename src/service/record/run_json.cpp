// Converts the results of a run to JSON.
#include "service/record/run_json.hpp"

#include "report/finite.hpp"

#include <algorithm>

namespace sgmcmc {

namespace {

using Json = nlohmann::ordered_json;

Json coordinate_json(const CoordinateBias& c) {
  return {{"name", c.name},
          {"mean", number_or_null(c.moments.mean)},
          {"sd", number_or_null(c.moments.standard_deviation)},
          {"sd_ratio", number_or_null(c.moments.sd_ratio)},
          {"log_sd_ratio_error", number_or_null(c.moments.log_sd_ratio_error)},
          {"mean_shift", number_or_null(c.moments.mean_shift)},
          {"mean_shift_error", number_or_null(c.moments.mean_shift_error)},
          {"noise_ratio", number_or_null(c.noise_ratio)},
          {"predicted_sd_ratio", number_or_null(c.predicted_sd_ratio)},
          {"predicted_from_step", number_or_null(c.predicted_from_step)},
          {"rhat", number_or_null(c.rhat)},
          {"ess", number_or_null(c.ess)},
          {"trust", trust_words(c.trust)},
          {"advice", c.advice}};
}

}  // namespace

Json diagnosis_json(const BiasReport& report, const std::vector<std::string>& columns) {
  Json json;
  json["verdict"] = verdict_json(report.verdict);
  json["draws"] = report.draws;
  json["points"] = report.points;
  json["dropped"] = report.dropped;
  json["gradients"] = report.full_gradients ? "full" : "cv";
  json["batch_size"] = report.batch_size;
  json["rows_touched"] = report.rows_touched;
  json["passes"] = report.passes;
  json["seconds"] = report.seconds;
  json["worst_rhat"] = number_or_null(report.worst_rhat);
  json["least_ess"] = number_or_null(report.least_ess);
  json["kernel_stein_discrepancy"] = {{"points", report.kernel.points},
                                      {"v_squared", number_or_null(report.kernel.v_squared)},
                                      {"u_squared", number_or_null(report.kernel.u_squared)},
                                      {"exact_squared", number_or_null(report.kernel.exact_squared)}};
  json["finite_set_stein_discrepancy"] = {{"squared", number_or_null(report.finite_set.squared)},
                                          {"error", number_or_null(report.finite_set.error)}};
  json["jointly"] = report.jointly;
  if (report.step_within_five_percent) json["step_factor_within_five_percent"] = *report.step_within_five_percent;
  json["coordinates"] = Json::array();
  for (std::size_t d = 0; d < report.coordinates.size(); ++d) {
    auto& coordinate = json["coordinates"].emplace_back(coordinate_json(report.coordinates[d]));
    if (!report.halving) continue;
    const auto& half = report.halving->coordinates[d];
    coordinate["half_step"] = {{"log_sd_change", number_or_null(half.log_sd_change)},
                               {"log_sd_change_error", number_or_null(half.log_sd_change_error)},
                               {"mean_change", number_or_null(half.mean_change)},
                               {"mean_change_error", number_or_null(half.mean_change_error)}};
  }
  json["zero_variance"] = Json::array();
  for (std::size_t k = 0; k < report.zero_variance.size(); ++k) {
    const auto& estimate = report.zero_variance[k];
    json["zero_variance"].push_back({{"name", columns[k]},
                                     {"mean_zv", number_or_null(estimate.mean)},
                                     {"mcse_zv", number_or_null(estimate.mcse)},
                                     {"gain_zv", number_or_null(estimate.gain)}});
  }
  return json;
}

Json saved_diagnosis_json(BiasReport report, const std::vector<std::string>& columns) {
  constexpr std::size_t most_coordinates = 5000;
  const std::size_t all = report.coordinates.size();
  if (all > most_coordinates) {
    const auto worst = worst_first(report);
    std::vector<CoordinateBias> kept;
    for (std::size_t k = 0; k < most_coordinates; ++k) kept.push_back(*worst[k]);
    report.coordinates = std::move(kept);
    report.halving.reset();
  }
  Json json = diagnosis_json(report, columns);
  json.erase("verdict");  // run.json holds the final verdict, based on more than the gradients
  json.erase("seconds");  // so that the same run writes the same file
  json["all_coordinates"] = all;
  return json;
}

namespace {

/// [[iterations, error], ...], one entry per round.
Json course_json(const TuningCandidate& candidate) {
  auto list = Json::array();
  for (const auto& point : candidate.course) list.push_back({point.iterations, number_or_null(point.error)});
  return list;
}

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
                                  {"course", course_json(c)},
                                  {"chosen", c.chosen}});
  }
  return json;
}

Json verdict_json(const Verdict& verdict) {
  return {{"trust", trust_words(verdict.trust)}, {"sentences", verdict.sentences}};
}

std::string step_text(const SampleOptions& options) {
  for (const auto& option : describe_options(options.sampler))
    if (option.name == "step_size") return option.default_text;  // the value that is set
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
