// Looks for groups, for priors with heavy tails, and for exchangeable labels.
#include "combine/part_checks.hpp"

#include "base/text.hpp"
#include "groups/group_model.hpp"
#include "judge/exchangeable.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

namespace sgmcmc {
namespace {

constexpr std::int64_t most_coordinates = 500;

/// The log density of a prior along single coordinates, the others at 0.
class PriorAlong {
 public:
  explicit PriorAlong(const Model& model)
      : posterior_(model.with_densities(model.log_prior() ? model.log_prior() : Expression(0.0), {})),
        executor_(posterior_.executor(ProgramKind::value_and_gradient, {})),
        theta_(static_cast<std::size_t>(model.dimension())),
        both_(theta_.size() + 1) {}

  /// Whether its integral to infinity is finite in this direction.
  bool falls(std::size_t coordinate, double sign, double farthest) {
    constexpr double first = 50, enough = 1.05;  // like 1/t or more slowly: no integral
    double here = at(coordinate, sign * first);
    for (double t = first; t <= farthest; t *= 2) {
      const double next = at(coordinate, sign * 2 * t);
      if (!std::isfinite(next)) return !(next > here);  // -infinity: it falls; NaN: unknown, assumed to fall
      if ((here - next) / std::log(2.0) > enough) return true;
      here = next;
    }
    return false;
  }

 private:
  double at(std::size_t coordinate, double value) {
    theta_[coordinate] = value;
    executor_->set_point(Point::current, theta_);
    executor_->run(RowBatch{}, both_);
    theta_[coordinate] = 0;
    return both_[0];
  }

  LogPosterior posterior_;
  std::unique_ptr<Executor> executor_;
  std::vector<double> theta_, both_;
};

}  // namespace

std::string why_not_in_parts(const Model& model) {
  const auto groups = find_groups(model).model;
  if (!groups) return "";
  return "the model is hierarchical: " + quoted_list(groups->local_parameters) +
         (groups->local_parameters.size() == 1 ? " belongs" : " belong") + " to " + std::to_string(groups->groups) +
         " groups of rows, and dealing rows into parts splits the groups, so that no part knows any of them well. "
         "Sample "
         "all rows; methods that integrate over groups, such as marginal-nuts, are made for that";
}

std::vector<std::string> improper_powers(const Model& model, std::uint64_t parts) {
  if (parts < 2 || model.dimension() > most_coordinates) return {};
  const double farthest = 100.0 * static_cast<double>(parts);
  PriorAlong whole(model), part(subposterior(model, {1, parts}));
  std::vector<std::string> names;
  for (const auto& info : model.parameters()) {
    bool improper = false;
    for (std::int64_t k = 0; k < info.unconstrained_size; ++k)
      for (const double sign : {-1.0, 1.0}) {
        const auto coordinate = static_cast<std::size_t>(info.offset + k);
        improper |= whole.falls(coordinate, sign, farthest) && !part.falls(coordinate, sign, farthest);
      }
    if (improper) names.push_back(info.name);
  }
  return names;
}

std::string why_not_combined(const LogPosterior& posterior, std::span<const double> position) {
  const auto found = find_exchangeable(posterior, position);
  if (!found) return "";
  return "the likelihood stays the same when elements of " + quoted_list(found->names) +
         (found->signs ? " change their signs" : " are exchanged") +
         " together, so that parts may have them in different orders or signs, and combining them coordinate by "
         "coordinate "
         "mixes different things. " +
         (found->signs ? "Fix signs" : "Order the elements") + " by a constraint, or sample all rows";
}

}  // namespace sgmcmc
