// Finds, computes and writes the log likelihoods of rows.
#include "service/sampling/row_likelihoods.hpp"

#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "chains/density_at_draws.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace sgmcmc {
namespace {

const std::string usual_output = "log_lik";  // the conventional name in Stan models

/// Ignores the option without a folder: it may come from the record of a run that is repeated without writing files.
bool wanted(const OptionValues& values) { return values.flag("log-likelihood") && values.given("out"); }

const stan::OutputVariable* find_output(const stan::BoundModel& bound, const std::string& name) {
  for (const auto& output : bound.outputs())
    if (output.name == name) return &output;
  return nullptr;
}

/// The name of the outcome if there is exactly one, as in group observed_data.
std::string name_of_rows(const StanPosterior& posterior) {
  const auto& outcomes = posterior.outcomes();
  return outcomes.size() == 1 ? outcomes.front().name : usual_output;
}

/// Log likelihoods of the model's rows, computed at the draws. not_finite: a message if some are non-finite.
struct ComputedRows {
  ThreadPool pool;
  RowLikelihoodsAtDraws rows;
  std::string not_finite;

  ComputedRows(const Model& model, int threads) : pool(threads), rows(std::make_shared<LogPosterior>(model), &pool) {}
};

}  // namespace

std::string log_likelihood_output(const OptionValues& values, const stan::BoundModel& bound) {
  const std::string where = values.where("log-likelihood");
  if (values.flag("log-likelihood") && !values.given("out") && values.asked("log-likelihood"))
    throw UsageError(where + ": log likelihoods are written to draws.nc; add " + values.written("out", "DIR"));
  if (!wanted(values)) return "";
  if (find_output(bound, usual_output)) return usual_output;
  const std::string remedy = "Compute log_lik in the generated quantities, one number for each observation";
  if (bound.row_axis().empty())
    throw UsageError(where + ": the likelihood of this model is not a sum over rows. " + remedy);
  const auto& source = bound.source();
  for (const auto& statement : bound.statements())
    if (statement.kind == stan::StatementReport::Kind::full)
      throw UsageError(where + ": the likelihood is not a sum over " + bound.row_axis() + " alone:\n" +
                       source.render(statement.span, statement.reason) + "\n" + remedy);
  if (!bound.likelihood_outside_rows().empty())
    throw UsageError(where + ": a part of the likelihood cannot be computed row by row:\n" +
                     source.render(bound.likelihood_outside_rows().front(), "this is added once, not row by row") +
                     "\n" + remedy);
  return "";
}

void check_log_likelihood_kept(const OptionValues& values, const Model& model, const KeptNames& kept,
                               const std::vector<std::string>& names, const std::string& output) {
  if (!wanted(values) || kept.all()) return;
  const auto chosen = kept.among(names);
  const std::size_t parameters = model.constrained_names().size();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool needed = output.empty() ? k < parameters : names[k].substr(0, names[k].find('[')) == output;
    if (needed && !chosen[k])
      throw UsageError(values.where("log-likelihood") + ": it needs " +
                       (output.empty() ? "the draws of all parameters" : output) + ", and " + values.written("keep") +
                       " leaves out " + names[k] + "; keep that too, or leave " + values.written("keep") + " away");
  }
}

void check_log_likelihood_size(const OptionValues& values, const stan::BoundModel& bound, const SampleOptions& options,
                               const std::string& output) {
  if (!wanted(values)) return;
  const auto rows = output.empty() ? bound.rows() : find_output(bound, output)->shape.size();
  const double draws = static_cast<double>(options.iterations / options.thin) * options.chains;
  const double gigabytes = 8e-9 * static_cast<double>(rows) * draws;
  if (gigabytes <= values.number("draws-limit")) return;
  throw UsageError(values.where("log-likelihood") + ": " + std::to_string(rows) + " log likelihoods at " +
                   formatted("%.0f", draws) + " draws take " + formatted("%.3g", gigabytes) + " GB, and " +
                   values.written("draws-limit") + " is " + values.text("draws-limit") + ". Keep fewer draws with " +
                   values.written("thin") + ", or raise the limit");
}

void write_with_log_likelihood(const std::filesystem::path& path, NetcdfContents contents, const OptionValues& values,
                               const StanPosterior& posterior, const std::string& output, const RunHooks& hooks) {
  const auto warn = [&](const std::string& text) {
    if (hooks.warning) hooks.warning({text, "", false});
  };
  const MemoryDraws& draws = *contents.draws;
  const Model& model = posterior.model();
  std::unique_ptr<ComputedRows> computed;
  if (wanted(values) && !output.empty()) {
    std::vector<std::size_t> columns;
    for (std::size_t k = 0; k < draws.names().size(); ++k)
      if (draws.names()[k].substr(0, draws.names()[k].find('[')) == output) columns.push_back(k);
    if (columns.empty())
      warn("draws.nc has no group log_likelihood: " + output + " is not in the draws");
    else
      contents.log_likelihood = {name_of_rows(posterior), columns.size(),
                                 [&draws, columns](std::size_t chain, std::size_t draw, std::span<double> to) {
                                   for (std::size_t i = 0; i < columns.size(); ++i)
                                     to[i] = draws(chain, draw, columns[i]);
                                 }};
  } else if (wanted(values) && draws.names().size() < model.constrained_names().size()) {
    warn("draws.nc has no group log_likelihood: the parameters of some groups are not in the draws; " +
         values.written("groups", "all") + " keeps them");
  } else if (wanted(values)) {
    computed = std::make_unique<ComputedRows>(model, values.threads());
    contents.log_likelihood = {
        name_of_rows(posterior), static_cast<std::size_t>(model.rows()),
        [&draws, &computed](std::size_t chain, std::size_t draw, std::span<double> to) {
          computed->rows.at(draws.draw(chain, draw), to);
          const auto bad = std::find_if(to.begin(), to.end(), [](double value) { return !std::isfinite(value); });
          if (bad != to.end() && computed->not_finite.empty())
            computed->not_finite = "row " + std::to_string(bad - to.begin() + 1) + " at draw " +
                                   std::to_string(draw + 1) + " of chain " + std::to_string(chain + 1);
        }};
  }
  if (computed && hooks.phase) hooks.phase(RunPhase::likelihoods);
  write_netcdf(path, contents);
  if (!computed || computed->not_finite.empty()) return;
  contents.log_likelihood.reset();
  write_netcdf(path, contents);
  warn("draws.nc has no group log_likelihood: no finite number for " + computed->not_finite);
}

}  // namespace sgmcmc
