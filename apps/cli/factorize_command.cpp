// sgmcmc factorize: factorises ratings, or predicts from the draws of a previous run.
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/run_warnings.hpp"
#include "cli/runs.hpp"
#include "cli/terminal.hpp"
#include "report/finite.hpp"
#include "report/json_text.hpp"
#include "report/words.hpp"
#include "service/factorize_run.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace sgmcmc::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const FactorInput& input, const FactorizeRun& run) {
  const FactorResult& result = run.result;
  Json trace = Json::array();
  for (const auto& point : result.trace)
    trace.push_back({{"iteration", point.iteration},
                     {"rmse", number_or_null(point.rmse)},
                     {"averaged_rmse", number_or_null(point.averaged.rmse)},
                     {"log_predictive", number_or_null(point.averaged.log_predictive)},
                     {"coverage", number_or_null(point.averaged.coverage)},
                     {"noise_precision", point.noise_precision},
                     {"seconds", point.seconds}});
  return {{"method", factor_method_name(run.options)},
          {"observations", observation_names()[static_cast<std::size_t>(run.options.observations)]},
          {"rmse", number_or_null(result.scores.rmse)},
          {"log_predictive", number_or_null(result.scores.log_predictive)},
          {"coverage", number_or_null(result.scores.coverage)},
          {"last_rmse", number_or_null(result.last_rmse)},
          {"noise_precision", result.mean_noise_precision},
          {"users", input.ratings.users()},
          {"items", input.ratings.items()},
          {"ratings", result.ratings},
          {"held_out", result.held_out},
          {"iterations", result.iterations},
          {"interrupted", result.interrupted},
          {"draws", result.model.draws()},
          {"limited_share", result.limited_share},
          {"improving", result.improving},
          {"usable", result.usable},
          {"warnings", run.warnings},
          {"predicted", run.predicted},
          {"recommended", run.recommended},
          {"sampling_seconds", result.sampling_seconds},
          {"seconds", result.seconds},
          {"trace", trace}};
}

std::string ratings_path(const OptionValues& values) {
  return only_operand(
      values,
      "name the ratings: sgmcmc factorize RATINGS ...; a file with user, item and rating on each line, or a "
      "MatrixMarket file",
      "ratings");
}

int apply_factors(const OptionValues& values, const std::string& path, RunFolder& folder) {
  const FactorApplication application(values, folder, path);
  application.write(folder);
  const Ratings& pairs = application.pairs();
  if (values.flag("json")) {
    Json predictions = Json::array();
    for (std::uint64_t i = 0; i < pairs.size(); ++i) {
      const FactorPrediction predicted = application.predict(i);
      predictions.push_back({{"user", pairs.user_name(pairs.entries()[i].user)},
                             {"item", pairs.item_name(pairs.entries()[i].item)},
                             {"mean", predicted.mean},
                             {"sd", number_or_null(predicted.sd)},
                             {"lower", predicted.lower},
                             {"upper", predicted.upper}});
    }
    std::cout << json_text({{"predictions", predictions}}, 2) << "\n";
  } else if (!values.flag("quiet")) {
    constexpr std::uint64_t most_shown = 20;
    std::cout << "user item mean sd lower upper\n";
    for (std::uint64_t i = 0; i < std::min(most_shown, pairs.size()); ++i) {
      const FactorPrediction predicted = application.predict(i);
      std::cout << pairs.user_name(pairs.entries()[i].user) << " " << pairs.item_name(pairs.entries()[i].item) << " "
                << fixed_text(predicted.mean, 3) << " " << fixed_text(predicted.sd, 3) << " "
                << fixed_text(predicted.lower, 3) << " " << fixed_text(predicted.upper, 3) << "\n";
    }
    if (pairs.size() > most_shown)
      std::cout << "... and " << pairs.size() - most_shown << " more"
                << (folder.exists() ? ", in predictions.csv\n" : "; --out DIR writes all of them\n");
  }
  return 0;
}

void print_scores(const FactorizeRun& run) {
  const FactorResult& result = run.result;
  if (result.held_out == 0) {
    std::cout << "no ratings were held out\n";
    return;
  }
  std::cout << "rmse            " << fixed_text(result.scores.rmse, 4) << "\nlog predictive "
            << fixed_text(result.scores.log_predictive, 4) << "\ncoverage        "
            << fixed_text(result.scores.coverage, 4) << " of intervals of "
            << digits_text(100 * run.options.interval, 4) << " %\nof " << result.held_out << " held-out ratings\n";
}

}  // namespace

int run_factorize(const OptionValues& values, RankJob* ranks) {
  RunFolder folder(values, ratings_path(values));
  return factorize_into(folder, values, ranks);
}

int factorize_into(RunFolder& folder, const OptionValues& values, RankJob* ranks) {
  const std::string path = ratings_path(values);
  if (values.given("apply")) {
    refuse_to_resume_application(folder, values);
    return apply_factors(values, path, folder);
  }
  const FactorInput input = read_ratings_for_run(values, path);
  const bool quiet = values.flag("quiet");
  const InterruptWatch watch;
  const bool shown = stderr_is_terminal() && !quiet;
  ProgressDisplay display(terminal_stream(), shown, 0, 0);  // removes its line also if the run fails
  if (shown)
    std::cerr << input.ratings.users() << " users, " << input.ratings.items() << " items, " << input.ratings.size()
              << " ratings\n";
  const std::string iterations = std::to_string(run_length(values));
  const auto show = [&](const FactorPoint& point) {
    std::string line = std::to_string(point.iteration) + " of " + iterations + " iterations";
    if (std::isfinite(point.rmse)) line += "  rmse " + fixed_text(point.rmse, 4);
    if (std::isfinite(point.averaged.rmse)) line += "  averaged " + fixed_text(point.averaged.rmse, 4);
    display.say(line);
  };
  const FactorizeRun run = run_factorization(values, input, folder, watch.flag(), show, ranks);
  display.clear();
  const FactorResult& result = run.result;
  if (values.flag("json")) {
    std::cout << json_text(json_of(input, run), 2) << "\n";
  } else if (!quiet) {
    print_scores(run);
    if (run.predicted > 0) std::cout << run.predicted << " predictions in predictions.csv\n";
    if (run.recommended > 0) std::cout << run.recommended << " recommendations in recommendations.csv\n";
  }
  std::cout.flush();
  RunWarnings warnings(values);
  for (const auto& text : run.warnings) warnings.warn(text);
  return status_at_end(folder, result.interrupted, result.iterations, run.options.iterations);
}

}  // namespace sgmcmc::cli
