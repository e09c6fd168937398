// Samples factors, predicts, and writes the results.
#include "service/factorize_run.hpp"

#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "factors/ranked_factors.hpp"
#include "report/finite.hpp"
#include "service/factor_warnings.hpp"
#include "service/ranks/rank_service.hpp"
#include "service/record/run_failure.hpp"
#include "settings/factorize.hpp"
#include "settings/run_record.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

namespace sgmcmc {
namespace {

namespace fs = std::filesystem;

std::string prediction_text(const FactorPrediction& prediction) {
  const std::string sd = std::isfinite(prediction.sd) ? formatted("%.6g", prediction.sd) : "";
  return formatted("%.6g,", prediction.mean) + sd + formatted(",%.6g,%.6g", prediction.lower, prediction.upper);
}

/// Quotes the field if CSV requires it.
std::string id_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

/// Given the side features of users and items that the model does not know.
FactorPrediction predict_pair(const FactorModel& model, const Ratings& pairs, const FactorFeatures& features,
                              const Rating& pair) {
  std::optional<std::span<const double>> of_user, of_item;
  if (features.users && pair.user >= model.users()) of_user = features.users->find(pairs.user_name(pair.user));
  if (features.items && pair.item >= model.items()) of_item = features.items->find(pairs.item_name(pair.item));
  const std::span<const double> none;
  return model.predict(pair.user, pair.item, of_user.value_or(none), of_item.value_or(none));
}

FactorFeatures read_features(const OptionValues& values) {
  FactorFeatures features;
  if (values.given("user-features")) features.users = SideFeatures::read(values.text("user-features"));
  if (values.given("item-features")) features.items = SideFeatures::read(values.text("item-features"));
  return features;
}

/// Throws unless the file has the columns of the run that is applied.
void check_columns(const OptionValues& values, const char* option, const std::optional<SideFeatures>& features,
                   const std::vector<std::string>& expected) {
  if (!features || features->names() == expected) return;
  throw UsageError(values.where(option) + ": the columns are " + joined(features->names(), ", ") +
                   "; those of the run are " + (expected.empty() ? "none" : joined(expected, ", ")));
}

/// Throws UsageError if options are given that an application has no use for.
void refuse_idle_options(const OptionValues& values) {
  const std::vector<std::string_view> used = {"apply",    "columns", "config",        "format",
                                              "interval", "json",    "out",           "overwrite",
                                              "quiet",    "threads", "user-features", "item-features"};
  std::vector<std::string> idle;
  for (const auto* option : options_of(Command::factorize))
    if (values.given(option->name) && std::find(used.begin(), used.end(), option->name) == used.end())
      idle.push_back(values.written(option->name));
  if (!idle.empty())
    throw UsageError(values.where("apply") + ": predicts from draws that exist, so " + joined(idle, ", ") +
                     (idle.size() == 1 ? " has" : " have") + " no effect; leave " + (idle.size() == 1 ? "it" : "them") +
                     " out");
}

void write_predictions(const fs::path& folder, const FactorModel& model, const Ratings& pairs,
                       const FactorFeatures& features, int threads) {
  const auto entries = pairs.entries();
  std::vector<std::string> lines(entries.size());
  ThreadPool pool(threads);
  pool.for_each(entries.size(), [&](std::size_t i, int) {
    lines[i] = id_field(pairs.user_name(entries[i].user)) + "," + id_field(pairs.item_name(entries[i].item)) + "," +
               prediction_text(predict_pair(model, pairs, features, entries[i])) + "\n";
  });
  std::string text = "user,item,mean,sd,lower,upper\n";
  for (const auto& line : lines) text += line;
  write_whole(folder / "predictions.csv", text);
}

std::uint64_t write_recommendations(const fs::path& folder, const FactorModel& model, const Ratings& ratings,
                                    std::size_t count, int threads) {
  std::vector<std::vector<std::uint32_t>> rated(model.users());
  for (const Rating& rating : ratings.entries()) rated[rating.user].push_back(rating.item);
  std::vector<std::string> lines(model.users());
  std::vector<std::uint64_t> counts(model.users());
  ThreadPool pool(threads);
  pool.for_each(model.users(), [&](std::size_t i, int) {
    const auto user = static_cast<std::uint32_t>(i);
    const auto best = model.recommend(user, count, rated[i]);
    counts[i] = best.size();
    for (std::size_t rank = 0; rank < best.size(); ++rank)
      lines[i] += id_field(model.user_name(user)) + "," + std::to_string(rank + 1) + "," +
                  id_field(model.item_name(best[rank].item)) + "," + prediction_text(best[rank].prediction) + "\n";
  });
  std::string text = "user,rank,item,mean,sd,lower,upper\n";
  for (const auto& line : lines) text += line;
  write_whole(folder / "recommendations.csv", text);
  std::uint64_t all = 0;
  for (const auto each : counts) all += each;
  return all;
}

void write_results(RunFolder& folder, const FactorResult& result) {
  result.model.save(folder.path().string());
  std::string trace = "iteration,rmse,averaged_rmse,log_predictive,coverage,noise_precision,seconds\n";
  for (const auto& point : result.trace)
    trace += std::to_string(point.iteration) + "," + number_or_nothing(point.rmse) + "," +
             number_or_nothing(point.averaged.rmse) + "," + number_or_nothing(point.averaged.log_predictive) + "," +
             number_or_nothing(point.averaged.coverage) + "," + number_or_nothing(point.noise_precision) +
             formatted(",%.6g\n", point.seconds);
  write_whole(folder.path() / "trace.csv", trace);
  folder.record()["rmse"] = number_or_null(result.scores.rmse);
  folder.record()["log_predictive"] = number_or_null(result.scores.log_predictive);
  folder.record()["coverage"] = number_or_null(result.scores.coverage);
}

/// Throws if the option needs an output folder and there is none.
void need_folder(const OptionValues& values, const char* option, bool wanted) {
  if (wanted && !values.given("out"))
    throw UsageError(values.where(option) + ": name a folder for the file with " + values.written("out", "DIR"));
}

}  // namespace

FactorInput read_ratings_for_run(const OptionValues& values, const std::string& path) {
  const FactorOptions options = factor_options(values);
  options.validate();  // before reading, which may take long
  need_folder(values, "predict", values.given("predict"));
  need_folder(values, "recommend", values.count("recommend") > 0);
  const RatingsOptions how = ratings_options(values);
  FactorInput input{Ratings::read(path, how), std::nullopt, std::nullopt, read_features(values)};
  if (values.given("test")) input.test = Ratings::read(values.text("test"), how, input.ratings);
  if (values.given("predict")) {
    RatingsOptions pairs = how;
    pairs.with_values = false;
    input.pairs = Ratings::read(values.text("predict"), pairs, input.test ? *input.test : input.ratings);
  }
  check_factorization(input.ratings, options, input.test ? &*input.test : nullptr, input.features);
  return input;
}

std::uint64_t run_length(const OptionValues& values) { return factor_options(values).iterations; }

FactorizeRun run_factorization(const OptionValues& values, const FactorInput& input, RunFolder& folder,
                               const std::atomic<bool>* interrupt,
                               const std::function<void(const FactorPoint&)>& progress, RankJob* ranks) {
  folder.start();
  FactorizeRun run;
  run.options = factor_options(values);
  run.options.interrupt = interrupt;
  run.options.checkpoint = folder.checkpoints(values);
  run.options.progress = progress;
  run.threads = run.options.threads > 0 ? run.options.threads : hardware_threads();
  recording_failure(folder, 1, nullptr, [&] {
    RankLeader* const leader = ranks ? ranks->leader() : nullptr;
    run.result = factorize_on_ranks(input.ratings, run.options, input.test ? &*input.test : nullptr, input.features,
                                    leader ? &leader->start_factorization() : nullptr);
    run.warnings = factor_warnings(values, run.options, run.result);
    if (!folder.exists()) return;
    write_results(folder, run.result);
    folder.record()["warnings"] = run.warnings;
    if (input.pairs) {
      write_predictions(folder.path(), run.result.model, *input.pairs, input.features, run.options.threads);
      run.predicted = input.pairs->size();
    }
    if (const auto count = values.count("recommend"); count > 0)
      run.recommended = write_recommendations(folder.path(), run.result.model, input.ratings,
                                              static_cast<std::size_t>(count), run.options.threads);
    folder.finish(run.result.interrupted);
  });
  return run;
}

FactorApplication::FactorApplication(const OptionValues& values, const RunFolder& folder, const std::string& path)
    : values_(values),
      model_([&] {
        refuse_idle_options(values);
        const std::string from = values.text("apply");
        std::error_code ignored;
        if (folder.exists() && fs::equivalent(from, folder.path(), ignored))
          throw UsageError(values.where("out") + ": '" + from + "' holds the draws to be applied; name another folder");
        return FactorModel::load(from);
      }()),
      pairs_([&] {
        RatingsOptions how = ratings_options(values);
        how.with_values = false;
        return Ratings::read(path, how, model_.ids());
      }()),
      features_(read_features(values)) {
  check_columns(values, "user-features", features_.users, model_.user_feature_names());
  check_columns(values, "item-features", features_.items, model_.item_feature_names());
  if (values.given("interval")) model_.set_interval(values.number("interval"));
}

FactorPrediction FactorApplication::predict(std::uint64_t pair) const {
  return predict_pair(model_, pairs_, features_, pairs_.entries()[pair]);
}

void FactorApplication::write(RunFolder& folder) const {
  folder.start();
  if (!folder.exists()) return;
  write_predictions(folder.path(), model_, pairs_, features_, values_.threads());
  folder.write_record("finished");
}

}  // namespace sgmcmc
