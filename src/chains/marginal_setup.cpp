// Prepares runs on hierarchical models: groups, mode and scales, starting points, and the kept part of a draw.
#include "chains/setup.hpp"
#include "dynamics/whitening.hpp"
#include "groups/group_labels.hpp"
#include "groups/group_target.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

namespace sgmcmc {
namespace {

/// Groups per minibatch such that gradient noise inflates posterior standard deviations by at most 1 %.
std::uint32_t quiet_batch(const GroupTarget& target, double step_size) {
  constexpr double most_excess = 0.02;  // of the variance: step size times variance of the gradient / 4
  const double wanted = target.noise_of_one_group * step_size / (4 * most_excess);
  const double groups = target.posterior->group_count();
  return static_cast<std::uint32_t>(std::clamp(std::ceil(wanted), std::min(50.0, groups), groups));
}

/// Calls function(options) if the sampler is a marginal one.
template <class Function>
void for_marginal(SamplerOptions& sampler, Function&& function) {
  std::visit(
      [&]<class Chosen>(Chosen& options) {
        if constexpr (is_marginal_options<Chosen>) function(options);
      },
      sampler);
}

constexpr std::size_t most_local_numbers = 3000;  // per draw: limits files to about 200 MB

/// Parses "1:300,512" into numbers from 0.
std::vector<std::uint32_t> groups_named(const std::string& text, std::uint32_t groups) {
  const auto refuse = [&] {
    return OptionError("groups is '" + text + "'; expected auto, all, none, or numbers from 1 to " +
                       std::to_string(groups) + " and ranges of them, such as 1:300,512");
  };
  std::vector<std::uint32_t> named;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto comma = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, comma - begin);
    unsigned long first = 0, last = 0;
    char rest = 0;
    const int read = std::sscanf(part.c_str(), "%lu:%lu%c", &first, &last, &rest);
    if (read == 1 && part.find_first_not_of("0123456789") == std::string::npos) last = first;
    if (read < 1 || read > 2 || (read == 1 && last == 0) || first < 1 || last < first || last > groups) throw refuse();
    for (auto group = first; group <= last; ++group) named.push_back(static_cast<std::uint32_t>(group - 1));
    begin = comma + 1;
  }
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

/// Groups whose parameters are drawn, by SampleOptions::groups; empty if all are.
std::optional<std::vector<std::uint32_t>> some_groups(const std::string& wish, const GroupModel& groups) {
  const auto count = static_cast<std::uint32_t>(groups.levels());
  const std::size_t fit = std::max<std::size_t>(1, most_local_numbers / groups.width);
  if (wish == "all" || (wish == "auto" && count <= fit)) return std::nullopt;
  std::vector<std::uint32_t> drawn;
  if (wish == "auto")
    for (std::size_t k = 0; k < fit; ++k) drawn.push_back(static_cast<std::uint32_t>(k * count / fit));
  else if (wish != "none")
    drawn = groups_named(wish, count);
  return drawn;
}

/// Elements of each parameter in a draw, from 0: those of the groups drawn, and those without a group.
std::vector<std::vector<std::int64_t>> drawn_elements(const Model& model, const GroupModel& groups,
                                                      const std::vector<std::uint32_t>& drawn) {
  std::vector<std::int32_t> owner(static_cast<std::size_t>(model.dimension()), no_group);
  for (std::size_t i = 0; i < groups.local.size(); ++i)
    owner[static_cast<std::size_t>(groups.local[i])] = static_cast<std::int32_t>(i / groups.width);
  GroupLabels labels(std::move(owner));
  std::vector<std::vector<std::int64_t>> elements;
  for (const auto& info : model.parameters()) {
    const auto of_groups = labels.of(info.value);
    auto& kept = elements.emplace_back();
    for (std::int64_t e = 0; e < info.shape.size(); ++e) {
      const std::int32_t group = of_groups ? (*of_groups)[static_cast<std::size_t>(e)] : no_group;
      if (group >= 0 && !std::binary_search(drawn.begin(), drawn.end(), static_cast<std::uint32_t>(group))) continue;
      kept.push_back(e);
    }
  }
  return elements;
}

std::vector<std::string> names_of(const Model& model, const std::vector<std::vector<std::int64_t>>& elements) {
  const auto all = model.constrained_names();
  std::vector<std::string> names;
  std::size_t first = 0, parameter = 0;
  for (const auto& info : model.parameters()) {
    for (const std::int64_t e : elements[parameter]) names.push_back(all[first + static_cast<std::size_t>(e)]);
    first += static_cast<std::size_t>(info.shape.size());
    ++parameter;
  }
  return names;
}

/// The result of the function for the groups of the model, if it has any.
template <class Function>
auto with_groups(const Model& model, const SampleOptions& options, Function&& function)
    -> decltype(function(std::declval<const GroupModel&>())) {
  if (!is_marginal(options.sampler)) return std::nullopt;
  if (const auto target = group_target_of(options.sampler)) return function(target->posterior->groups());
  const auto finding = find_groups(model);
  return finding.model ? function(*finding.model) : std::nullopt;
}

}  // namespace

std::optional<std::size_t> numbers_of_some_groups(const Model& model, const SampleOptions& options) {
  return with_groups(model, options, [&](const GroupModel& groups) -> std::optional<std::size_t> {
    const auto drawn = some_groups(options.groups, groups);
    if (!drawn) return std::nullopt;
    return groups.global.size() + drawn->size() * groups.width;
  });
}

std::optional<std::vector<std::string>> names_of_some_groups(const Model& model, const SampleOptions& options) {
  return with_groups(model, options, [&](const GroupModel& groups) -> std::optional<std::vector<std::string>> {
    const auto drawn = some_groups(options.groups, groups);
    if (!drawn) return std::nullopt;
    return names_of(model, drawn_elements(model, groups, *drawn));
  });
}

void RunSetup::find_marginal_target() {
  const auto start = std::chrono::steady_clock::now();
  auto* sglm = std::get_if<MarginalSglmOptions>(&options_.sampler);
  if (!group_target_of(options_.sampler)) {
    auto finding = find_groups(posterior_->model());
    if (!finding.model) {
      std::string why;
      for (const auto& reason : finding.reasons) why += (why.empty() ? " (" : "; ") + reason;
      throw ModelError(std::string(sampler_name(options_.sampler)) +
                       " needs parameters that belong to groups, one or a few for each level of an integer column, and "
                       "the model has none" +
                       (why.empty() ? "" : why + ")") + ". Use another method");
    }
    ThreadPool pool(threads());
    const MarginalSearch search = {sglm != nullptr, true, options_.seed, options_.interrupt};
    const auto target =
        make_group_target(posterior_->model(), std::move(*finding.model), search, &pool, options_.findings);
    for_marginal(options_.sampler, [&](auto& options) { options.target = target; });
  }
  if (const auto found = group_target_of(options_.sampler)) {
    mode_report_ = found->mode_report;
    if (sglm && sglm->groups_per_step == 0) sglm->groups_per_step = quiet_batch(*found, sglm->step_size.values.front());
  }
  seconds_.mode += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void RunSetup::keep_drawn_groups() {
  const auto target = group_target_of(options_.sampler);
  if (!target) return;
  const auto& groups = target->posterior->groups();
  const auto some = some_groups(options_.groups, groups);
  if (!some) return;
  const auto& drawn = *some;
  for_marginal(options_.sampler, [&](auto& options) {
    options.drawn_groups = std::make_shared<const std::vector<std::uint32_t>>(drawn);
  });

  const auto elements = drawn_elements(posterior_->model(), groups, drawn);
  names_ = names_of(posterior_->model(), elements);
  std::vector<Expression> outputs;
  std::size_t parameter = 0;
  for (const auto& info : posterior_->model().parameters()) {
    const auto& kept = elements[parameter++];
    if (kept.empty()) continue;
    const auto length = static_cast<std::int64_t>(kept.size());
    outputs.push_back(length == info.shape.size() ? info.value : take(info.value, kept, Shape{length}));
  }
  if (!options_.functions.empty())
    throw OptionError("test functions need the parameters of all groups: set groups to all");
  values_program_ = std::make_shared<const Program>(compile_program(outputs, {}));
}

std::vector<double> RunSetup::marginal_start(std::uint32_t chain) const {
  auto theta = starting_point(chain);
  const auto target = group_target_of(options_.sampler);
  if (!target) return theta;  // interrupted: chains will not start
  const auto& groups = target->posterior->groups();
  const auto split = groups.split_levels();
  for (std::size_t i = 0; i < groups.local.size(); ++i)
    if (!std::binary_search(split.begin(), split.end(), i / groups.width))
      theta[static_cast<std::size_t>(groups.local[i])] = target->posterior->starts()[i];
  if (!options_.initial.empty()) return theta;
  std::vector<double> z(groups.global.size()), phi(z.size());
  fill_normal({options_.seed, chain, 0, Purpose::initial}, z);
  for (double& x : z) x = std::clamp(x, -2.0, 2.0);
  Whitening(target->map).position(z, phi);
  for (std::size_t c = 0; c < phi.size(); ++c) theta[static_cast<std::size_t>(groups.global[c])] = phi[c];
  return theta;
}

}  // namespace sgmcmc
