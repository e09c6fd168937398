// Chooses the sampler of the global parameters and its length, by the cost of a gradient and the distance to normal.
#include "tune/tuning_of_groups.hpp"

#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "chains/setup.hpp"
#include "groups/group_target.hpp"
#include "groups/normal_proposals.hpp"
#include "groups/split_groups.hpp"

#include <sgmcmc/error.hpp>

namespace sgmcmc {
namespace {

constexpr std::size_t most_globals = 300;  // their Hessian is found column by column
// Limits on rows for gradients over all groups: a run of nuts takes about 30,000 gradients at 0.2 microseconds per row.
constexpr double cheap_work_for_groups = 4e3, dear_work_for_groups = 6e4, most_work_for_groups = 3e5;
constexpr double least_acceptance_of_normal = 0.6;
constexpr std::size_t most_globals_of_normal_proposals = 20;  // with more, chains get stuck in the tails
constexpr double far_from_normal = 0.4;                       // see GroupTarget::distance_to_normal

class GroupTuner {
 public:
  GroupTuner(const Model& model, const SampleOptions& options, const TuneOptions& how, bool chooses_length,
             std::string& why_not)
      : model_(model), options_(options), how_(how), chooses_length_(chooses_length), why_not_(why_not) {}

  std::optional<Tuned> result() {
    auto finding = find_groups(model_);
    if (!finding.model || finding.model->global.size() > most_globals) return std::nullopt;
    const auto groups = *finding.model;
    Tuned tuned;
    tuned.options = options_;
    tuned.options.precondition = Precondition::none;
    std::shared_ptr<const GroupTarget> target;
    bool exact = true;
    try {
      tuned.options.method("marginal-nuts");
      target = prepared(tuned);
      if (!target) return tuned;  // interrupted
      exact = takes_all_groups(*target);
      if (exact && work_of_groups(*target->posterior) > most_work_for_groups) return std::nullopt;
      if (exact && takes_normal_proposals(*target)) {
        tuned.options = options_with(tuned.options.findings, "marginal-metropolis");
        std::get<MarginalMetropolisOptions>(tuned.options.sampler).target = target;
      }
      if (!exact) {
        const double step = target->distance_to_normal > far_from_normal ? 0.05 : 0.5;
        tuned.options = options_with(tuned.options.findings, "marginal-sglm");
        tuned.options.step_size(step);
        target.reset();  // frees memory for the next
        target = prepared(tuned);
        if (!target) return tuned;
      }
    } catch (const ModelError& error) {
      why_not_ = error.what();
      return std::nullopt;
    }
    plan_length_of_groups(tuned.options, *target, exact);
    std::string locals;
    for (const auto& name : groups.local_parameters) locals += (locals.empty() ? "" : ", ") + name;
    tuned.report.why =
        std::string(sampler_name(tuned.options.sampler)) + ": " + locals + ", of " + std::to_string(groups.groups) +
        " groups, " + (groups.local_parameters.size() > 1 ? "are" : "is") +
        " integrated out, and drawn given the other " + std::to_string(groups.global.size()) + " parameters.";
    if (!exact) {
      const auto& sglm = std::get<MarginalSglmOptions>(tuned.options.sampler);
      const std::size_t split = target->posterior->groups().splits.size();
      tuned.report.why += " Every step uses " + std::to_string(sglm.groups_per_step) + " groups with all their rows" +
                          (split == 0 ? "."
                                      : ", or pieces of the " + std::to_string(split) +
                                            " largest, whose parameters are sampled with the global ones.");
    }
    if (target->quadrature_error > 0.1)
      tuned.report.why += " The quadrature is inaccurate: a finer rule would shift parameters by " +
                          formatted("%.3g", target->quadrature_error) + " posterior standard deviations.";
    tuned.report.mode = target->mode_report.describe();
    return tuned;
  }

 private:
  SampleOptions options_with(const std::map<std::string, std::vector<double>>& findings,
                             const std::string& method) const {
    SampleOptions options = options_;
    options.precondition = Precondition::none;
    options.findings = findings;
    options.method(method);
    return options;
  }
  /// Finds mode and scales for the sampler of tuned.options, and stores them there.
  std::shared_ptr<const GroupTarget> prepared(Tuned& tuned) const {
    SampleOptions first = tuned.options;
    first.zero_variance = ZeroVarianceForm::none;
    first.chains = 1;
    first.sink = nullptr;
    first.progress = nullptr;
    const RunSetup setup(model_, first);
    tuned.options.sampler = setup.options().sampler;
    tuned.options.findings = setup.options().findings;
    return group_target_of(tuned.options.sampler);
  }
  /// The cost of a gradient over all groups, in rows.
  static double work_of_groups(const MarginalPosterior& posterior) {
    const double groups = posterior.group_count(), rows = static_cast<double>(posterior.model().rows());
    if (posterior.rows_are_known()) return 0.3 * groups;
    if (posterior.is_quadratic()) return 0.2 * rows + 0.3 * groups;
    return rows * static_cast<double>(posterior.quadrature().count()) / 7.0;
  }
  static bool takes_all_groups(const GroupTarget& target) {
    const double work = work_of_groups(*target.posterior);
    // With few groups, a minibatch would include most of them, unless large ones are split.
    constexpr std::int64_t enough = 300;
    const auto& posterior = *target.posterior;
    const bool few =
        posterior.group_count() < enough &&
        (work <= dear_work_for_groups || split_groups(posterior.model(), posterior.groups()).groups < enough);
    return target.collapsed || few || work <= cheap_work_for_groups ||
           (target.distance_to_normal > far_from_normal && work <= dear_work_for_groups);
  }
  /// Whether the global parameters are close enough to normal for independence proposals; a trajectory of gradients
  /// costs about fifteen times as much as one proposal.
  bool takes_normal_proposals(const GroupTarget& target) const {
    if (target.collapsed || target.distance_to_normal > far_from_normal) return false;
    if (target.posterior->dimension() > most_globals_of_normal_proposals) return false;
    if (work_of_groups(*target.posterior) <= cheap_work_for_groups) return false;
    ThreadPool pool(options_.threads > 0 ? options_.threads : hardware_threads());
    return acceptance_of_normal(target, &pool, options_.seed) >= least_acceptance_of_normal;
  }
  void plan_length_of_groups(SampleOptions& options, const GroupTarget& target, bool exact) const {
    const bool skewed = target.distance_to_normal > far_from_normal;
    if (std::holds_alternative<MarginalMetropolisOptions>(options.sampler)) {
      if (chooses_length_) {
        options.iterations = 2000;
        options.thin = 2;
      }
      if (how_.warmup && options_.warmup == 0) options.warmup = 100;
      return;
    }
    if (exact) {
      const bool dear = work_of_groups(*target.posterior) > cheap_work_for_groups;
      if (chooses_length_ && dear) options.iterations = 500;
      if (chooses_length_ && skewed && !dear && target.posterior->is_quadratic()) options.iterations = 2000;
      if (how_.warmup && options_.warmup == 0) options.warmup = target.collapsed ? 1000 : dear && !skewed ? 150 : 300;
      return;
    }
    if (chooses_length_) {
      options.iterations = skewed ? 40'000 : 4'000;
      options.thin = skewed ? 40 : 4;
    }
    if (how_.warmup && options_.warmup == 0) options.warmup = skewed ? 2000 : 200;
  }

  const Model& model_;
  const SampleOptions& options_;
  const TuneOptions& how_;
  bool chooses_length_;
  std::string& why_not_;
};

}  // namespace

std::optional<Tuned> tune_groups(const Model& model, const SampleOptions& options, const TuneOptions& how,
                                 bool chooses_length, std::string& why_not) {
  return GroupTuner(model, options, how, chooses_length, why_not).result();
}

}  // namespace sgmcmc
