// Limits the cost of the verdict, and adds problems that gradients do not show.
#include "service/sampling/judge.hpp"

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "dynamics/dynamics.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <variant>

namespace sgmcmc {
namespace {

constexpr double share_of_run = 0.1, most_quick_passes = 50;
constexpr std::size_t quick_draws = 1000, quick_kernel_points = 300;
// For gradients with groups integrated out: the limit on rows x draws, and the minimum number of draws.
constexpr double quick_marginal_work = 8e7, fewest_marginal_draws = 300;
constexpr double many_divergences = 0.005, far_too_many_divergences = 0.1;  // of the draws
constexpr double many_subset_errors = 0.1;                                  // posterior standard deviations

/// The number of passes over all rows that the run took. Counted rather than timed, so that verdicts are reproducible.
double passes_of(const Model& model, const RunFacts& facts) {
  const auto& options = *facts.options;
  if (model.rows() == 0) return 0;
  const double iterations = static_cast<double>(options.warmup + options.iterations) * options.chains;
  const double gradients = static_cast<double>(std::max<std::uint64_t>(1, facts.gradients_per_iteration));
  if (options.gradient.estimator == Estimator::full) return 5 * iterations * gradients;  // several per trajectory
  return iterations * gradients * static_cast<double>(options.gradient.minibatch.batch_size) /
         static_cast<double>(model.rows());
}

BiasOptions how_to_look(Judging judging, int threads, const Model& model, const RunFacts& facts) {
  BiasOptions how;
  how.threads = threads;
  how.remedy = facts.remedy;
  if (judging == Judging::full) return how;
  how.most_draws = quick_draws;
  if (is_marginal(facts.options->sampler))
    how.most_draws = static_cast<std::size_t>(
        std::clamp(quick_marginal_work / static_cast<double>(std::max<std::int64_t>(1, model.rows())),
                   fewest_marginal_draws, static_cast<double>(quick_draws)));
  how.most_full_passes = share_of_run * passes_of(model, facts);
  how.most_passes = std::clamp(how.most_full_passes, 1.0, most_quick_passes);
  how.kernel.most_points = quick_kernel_points;
  return how;
}

void weaken(Verdict& verdict, Trust to, std::string sentence) {
  if (verdict.trust == Trust::trust) verdict.sentences.clear();
  if (verdict.trust == Trust::trust || to == Trust::do_not_trust) verdict.trust = to;
  verdict.sentences.insert(verdict.sentences.begin(), std::move(sentence));
}

/// Adds problems that gradients do not show.
void add_known_problems(Verdict& verdict, const MemoryDraws& draws, const RunFacts& facts) {
  const auto& options = *facts.options;
  std::size_t empty = options.chains > draws.chains() ? options.chains - draws.chains() : 0;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) empty += draws.draws(chain) == 0;
  if (empty > 0)
    weaken(verdict, Trust::cannot_tell,
           std::to_string(empty) + " of " + std::to_string(options.chains) +
               " chains have no draws: nothing shows whether chains from other starts agree.");
  const auto& sampler = *facts.sampler;
  const double divergences =
      static_cast<double>(sampler.divergences) / static_cast<double>(std::max<std::size_t>(1, sampler.draws));
  const std::string diverged =
      std::to_string(sampler.divergences) + " of " + std::to_string(sampler.draws) +
      " draws ended in a divergence: parts of the posterior may be left out, in a longer run, too. "
      "Raise the target acceptance towards 1; if effects of groups have a scale tau, write them as mu + tau * z "
      "with z ~ normal(0, 1).";
  if (sampler.has_statistics && divergences > many_divergences)
    weaken(verdict, divergences > far_too_many_divergences ? Trust::do_not_trust : Trust::caution, diverged);
  else if (sampler.has_statistics && sampler.divergences > 0)
    verdict.sentences.push_back(diverged);
  if (sampler.subset_error > many_subset_errors)
    weaken(verdict, Trust::caution,
           "Subsets of the rows tell the likelihood too roughly: means may be off by " +
               formatted("%.2g", sampler.subset_error) + " posterior standard deviations.");
  if (const std::string words = words_on_unsettled(*facts.result); !words.empty())
    weaken(verdict, Trust::caution, "They were not settled: " + words + ".");
  if (facts.result->steps_changed_among_draws())
    weaken(verdict, Trust::caution, "Steps were made smaller on the way: draws from before and after differ in law.");
}

}  // namespace

std::optional<Verdict> judge_run(Judging judging, int threads, const Model& model, const MemoryDraws& draws,
                                 const RunFacts& facts, std::optional<BiasReport>* details) {
  if (judging == Judging::none) return std::nullopt;
  Verdict verdict;
  try {
    BiasReport report = diagnose_bias(model, *facts.options, draws, how_to_look(judging, threads, model, facts));
    verdict = report.verdict;
    if (details) *details = std::move(report);
  } catch (const InterruptedError&) {
    return std::nullopt;
  } catch (const Error& error) {
    verdict = {Trust::cannot_tell, {std::string("The draws could not be judged: ") + error.what() + "."}};
  }
  add_known_problems(verdict, draws, facts);
  return verdict;
}

std::string words_on_unsettled(const SampleResult& result) {
  std::size_t drifting = 0;
  std::uint64_t most = 0;
  for (const auto& chain : result.warmup) {
    drifting += !chain.settled;
    most = std::max(most, chain.iterations);
  }
  if (drifting == 0) return "";
  return std::to_string(drifting) + " of " + std::to_string(result.warmup.size()) + " chains still drifted after " +
         std::to_string(most) + " iterations of warm-up";
}

std::uint32_t max_tree_depth(const SampleOptions& options) {
  return std::visit(
      [](const auto& sampler) {
        if constexpr (requires { sampler.max_tree_depth; }) return sampler.max_tree_depth;
        return NutsOptions{}.max_tree_depth;
      },
      options.sampler);
}

}  // namespace sgmcmc
