// Assembles the page of a run.
#include "service/reports/run_report.hpp"

#include "base/text.hpp"
#include "report/html_page.hpp"
#include "service/diagnosis.hpp"
#include "service/given/option_settings.hpp"
#include "service/model_of_run.hpp"
#include "service/page/documents_json.hpp"
#include "service/page/factors_json.hpp"
#include "service/page/parameters_json.hpp"
#include "service/page/predictive_json.hpp"
#include "service/page/priors_json.hpp"
#include "service/page/record_json.hpp"
#include "service/page/reported_run.hpp"
#include "service/record/run_json.hpp"
#include "settings/run_record.hpp"

#include <sgmcmc/error.hpp>

#include <chrono>
#include <cmath>

namespace sgmcmc {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// Judges the draws of a run that has no verdict: it was interrupted, or run without one.
void diagnose_now(ReportedRun& run, const fs::path& folder, int threads) {
  if ((run.command() != "sample" && run.command() != "combine") || !run.verdict.is_null() ||
      run.read.draws.chains() == 0)
    return;
  try {
    OptionValues values(Command::diagnose);
    values.set(*find_option(Command::diagnose, "threads"), std::to_string(threads), "threads");
    const Diagnosis diagnosis(values, folder);
    const OptionValues& call = diagnosis.call();
    if (call.operands.empty()) throw FileError("the record of the run names no model");
    const StanPosterior posterior =
        StanModel::from_file(call.operands.front(), call.texts("include")).bind(data_of(call), bind_options(call));
    const BiasReport report = diagnosis.report(posterior, run.read.draws);
    run.verdict = verdict_json(report.verdict);
    run.diagnosis = saved_diagnosis_json(report, run.read.draws.names());
    if (run.status() != "finished")
      run.verdict["sentences"].push_back(
          "The run has not ended: this is about the draws so far. Continue it with sgmcmc resume " + run.label + ".");
  } catch (const Error& error) {
    run.why_no_verdict += " They could not be judged now, either: " + std::string(error.what());
  }
}

/// The first line of a message, which says where and what.
std::string first_line(const std::string& message) { return message.substr(0, message.find('\n')); }

/// Adds priors and predictive checks, or the reason why there are none.
void add_simulations(const ReportedRun& run, const fs::path& folder, int threads, PageParameters& parameters,
                     Json& data) {
  if (run.command() != "sample" || text_at(part_of(run.record, "model"), "file").empty() ||
      run.read.draws.chains() == 0)
    return;
  try {
    const RunModel model = model_of_run(run, folder, threads);
    try {
      add_priors(model, parameters);
    } catch (const Error& error) {
      data["no_priors"] = first_line(error.what());
    }
    if (Json predictive = predictive_json(run, model, threads); !predictive.is_null())
      data["predictive"] = std::move(predictive);
  } catch (const Error& error) {
    data["no_predictive"] = first_line(error.what());
  }
}

std::string headline_of(const std::string& trust) {
  if (trust == "trust") return "Trust these draws";
  if (trust == "caution") return "Use these draws with caution";
  if (trust == "do not trust") return "Do not trust these draws";
  return "Cannot tell whether to trust these draws";
}

/// Removes the words that repeat the headline.
std::string shortened(std::string sentence) {
  for (const std::string said : {"Do not trust these draws: ", "Use these draws with caution: "})
    if (sentence.starts_with(said)) sentence = sentence.substr(said.size());
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z')
    sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  return sentence;
}

std::string name_of(const ReportedRun& run) {
  const Json model = run.record.is_object() && run.record.contains("model") ? run.record["model"] : Json();
  const std::string file = text_at(model, "file");
  const std::string name = file.empty() ? fs::path(run.label).filename().string() : fs::path(file).stem().string();
  return name.empty() ? run.label : name;
}

PageHeading heading_of(const ReportedRun& run) {
  PageHeading heading{name_of(run), run_in_short(run), text_at(run.verdict, "trust"), "", {}};
  if (heading.trust.empty()) {
    heading.headline =
        run.status().empty() || run.status() == "finished" ? "No verdict on these draws" : "This run has not ended";
    heading.words = {run.why_no_verdict};
    return heading;
  }
  heading.headline = headline_of(heading.trust);
  constexpr std::size_t most_sentences = 12;
  if (run.verdict.contains("sentences") && run.verdict["sentences"].is_array())
    for (const auto& sentence : run.verdict["sentences"])
      if (sentence.is_string() && heading.words.size() < most_sentences)
        heading.words.push_back(shortened(sentence.get<std::string>()));
  return heading;
}

PageHeading heading_of_documents(const ReportedRun& run, const Json& documents) {
  const std::size_t count = documents["items"].size();
  const std::string what = documents["kind"].get<std::string>();
  PageHeading heading{name_of(run), run_in_short(run), "plain", "", {}};
  heading.headline = std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  const Json& course = documents["course"];
  if (run.status() != "finished")
    heading.words.push_back("The run has not ended: these are the results so far. Continue it with sgmcmc resume " +
                            run.label + ".");
  heading.words.push_back("There is no verdict for " + what +
                          "s: gradients that judge draws need continuous parameters. Look at the course of " +
                          (what == "topic" ? "the perplexity" : "the predictive probability") +
                          (course.is_null() ? "." : " below: where it still improves at the end, run longer."));
  return heading;
}

PageHeading heading_of_factors(const ReportedRun& run, const Json& factors) {
  PageHeading heading{name_of(run), run_in_short(run), "plain", "Factors of users and items", {}};
  const auto text = [&](const char* key, const char* form, double scale = 1) {
    return factors[key].is_number() ? formatted(form, scale * factors[key].get<double>()) : std::string();
  };
  if (run.status() != "finished")
    heading.words.push_back("The run has not ended: these are the results so far. Continue it with sgmcmc resume " +
                            run.label + ".");
  if (!text("rmse", "%.4f").empty()) {
    heading.headline = "Held-out ratings are predicted with an RMSE of " + text("rmse", "%.4f");
    std::string words;
    if (!text("coverage", "%.1f").empty())
      words = "Of the ratings held out, " + text("coverage", "%.1f", 100) + " % lie in their " +
              text("interval", "%.0f", 100) + " % predictive intervals: where that is far less, the model is too sure.";
    heading.words.push_back(words);
  }
  heading.words.push_back(
      "There is no verdict by gradients for factors: they can be turned into one another without changing a "
      "prediction. Look at the course of the error below: where it still falls at the end, run longer.");
  return heading;
}

/// The number of draws requested, over all chains; 0 if not recorded.
double draws_asked_for(const ReportedRun& run) {
  if (!run.record.is_object() || !run.record.contains("options")) return 0;
  const Json& options = run.record["options"];
  const auto number = [&](const char* key) {
    const auto found = options.find(key);
    return found != options.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  return number("thin") > 0 ? std::floor(number("iterations") / number("thin")) * number("chains") : 0;
}

RunReport report_on(ReportedRun run, const fs::path& folder, const RunReportOptions& options) {
  RunReport report;
  if (options.diagnose && run.record.is_object()) diagnose_now(run, folder, options.threads);
  const auto start = std::chrono::steady_clock::now();
  Json data = {{"version", 1}, {"run", record_json(run)}};
  PageHeading heading;
  if (run.command() == "optimize")
    throw FileError("'" + run.label + "' holds the mode that sgmcmc optimize found: there are no draws to report on");
  if (run.command() == "lda" || run.command() == "dpmix") {
    data["documents"] = run.command() == "lda" ? topics_json(folder) : clusters_json(folder);
    heading = heading_of_documents(run, data["documents"]);
  } else if (run.command() == "factorize") {
    data["factors"] = factors_json(run, folder);
    heading = heading_of_factors(run, data["factors"]);
  } else {
    heading = heading_of(run);
    data["trust"] = heading.trust;
    if (Json bias = bias_json(run); !bias.is_null()) data["bias"] = std::move(bias);
    PictureBudget budget;
    constexpr std::size_t fine_live_pictures = 20;  // regenerated repeatedly
    if (!options.live.is_null()) budget.fine = fine_live_pictures;
    PageParameters parameters = parameters_json(run, options.threads, budget);
    if (options.simulate && run.record.is_object()) add_simulations(run, folder, options.threads, parameters, data);
    if (Json pairs = pairs_json(run, parameters); !pairs.is_null()) data["pairs"] = std::move(pairs);
    if (Json energy = energy_json(run); !energy.is_null()) data["energy"] = std::move(energy);
    data["parameters"] = std::move(parameters.json);
  }
  const bool live = !options.live.is_null();
  if (live) {
    data["live"] = options.live;
    data["live"]["target"] = draws_asked_for(run);
  }
  report.html = html_page(heading, data, live);
  report.warnings = std::move(run.warnings);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace

RunReport report_on_run(const std::vector<fs::path>& paths, const RunReportOptions& options) {
  if (paths.empty()) throw UsageError("name the folder of a run");
  try {
    ReportedRun run = read_reported_run(paths);
    if (!options.label.empty()) run.label = options.label;
    return report_on(std::move(run), paths.front(), options);
  } catch (const Json::exception& error) {
    throw FileError((paths.front() / "run.json").string() + " is damaged (" + error.what() + ")");
  }
}

fs::path report_path(const OptionValues& values) {
  if (values.given("out")) return values.text("out");
  const fs::path folder = values.operands.front();
  std::error_code ignored;
  return fs::is_directory(folder, ignored) ? folder / "report.html" : fs::path("report.html");
}

void write_report(const fs::path& path, const RunReport& report) { write_whole(path, report.html); }

}  // namespace sgmcmc
