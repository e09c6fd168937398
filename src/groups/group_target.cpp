// Finds the mode by L-BFGS, the Hessian by differences of gradients, and the quadrature rule by comparing rules.
#include "groups/group_target.hpp"

#include "base/decompositions.hpp"
#include "groups/group_pass.hpp"
#include "groups/split_groups.hpp"
#include "optimise/report_numbers.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

namespace sgmcmc {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::int64_t rows_of_part = 40'000;  // rows of a selection of groups, for rough estimates
constexpr double most_stored = 64e6;           // maximum numbers in the gradients of groups at the mode
constexpr double near_enough_integral = 0.02;  // maximum change by a finer rule, in posterior standard deviations
constexpr double share_by_preference = 0.9;
constexpr double log_of_collapsed_scale = -8.0;
// Standard deviations / sizes that indicate a collapsed scale: see look_for_collapse().
constexpr double narrow = 1e-9, narrow_beside_tiny_scale = 1e-6;

struct Interrupted {};

class Searcher {
 public:
  Searcher(const Model& model, GroupModel groups, const MarginalSearch& search, ThreadPool* pool,
           std::map<std::string, std::vector<double>>& findings)
      : posterior_(std::make_shared<MarginalPosterior>(model, std::move(groups))),
        search_(search),
        pool_(pool),
        findings_(findings),
        all_(*posterior_, pool),
        dimension_(posterior_->dimension()) {
    // Parameters of a split group need all of its pieces: a selection of units is not enough.
    if (model.rows() > 2 * rows_of_part && posterior_->groups().splits.empty())
      part_.emplace(*posterior_, pool, rows_of_part, search.seed);
  }

  std::shared_ptr<const GroupTarget> find() {
    auto target = std::make_shared<GroupTarget>();
    target->posterior = posterior_;
    find_mode(*target);
    find_map(*target);
    if (target->collapsed) find_mode_inside(*target);
    if (target->collapsed) start_anywhere(*target);
    choose_rule(*target);
    if (!target->collapsed) compare_with_normal(*target);
    if (search_.minibatches) prepare_minibatches(*target);
    return target;
  }

 private:
  /// Findings for split groups have more coordinates and are stored separately.
  std::string key(const char* what) const {
    return std::string(posterior_->groups().splits.empty() ? "marginal_" : "split_") + what;
  }
  GroupPass& part() { return part_ ? *part_ : all_; }

  double log_density(GroupPass& pass, std::span<const double> phi, std::span<double> gradient) const {
    if (search_.interrupt && search_.interrupt->load(std::memory_order_relaxed)) throw Interrupted{};
    return pass.log_density(phi, gradient);
  }

  OptimizeReport climb(GroupPass& pass, std::vector<double>& phi, double tolerance, std::uint64_t most,
                       const std::vector<std::size_t>& held = {}) {
    LbfgsOptions options;
    options.gain_tolerance = tolerance;
    options.max_iterations = most;
    return maximise_lbfgs(
        [&](std::span<const double> at, std::span<double> gradient) {
          const double value = log_density(pass, at, gradient);
          for (const std::size_t k : held) gradient[k] = 0.0;
          return value;
        },
        phi, options);
  }

  void update_starts(std::span<const double> phi) {
    std::vector<double> modes(posterior_->starts().size());
    all_.modes(phi, modes);
    if (std::all_of(modes.begin(), modes.end(), [](double x) { return std::isfinite(x); }))
      posterior_->starts() = std::move(modes);
  }

  void find_mode(GroupTarget& target) {
    auto& report = target.mode_report;
    if (const auto known = findings_.find(key("mode")); known != findings_.end()) {
      target.mode = known->second;
      report.reason = StopReason::gradient_small;
      if (const auto numbers = findings_.find(key("mode_report")); numbers != findings_.end())
        report = report_of(numbers->second);
      update_starts(target.mode);
      return;
    }
    std::optional<std::vector<double>> best;
    for (std::uint64_t attempt = 0; attempt < 4 && !best; ++attempt) {
      std::vector<double> phi(dimension_, 0.0);
      if (const auto whole = findings_.find("marginal_mode"); attempt == 0 && whole != findings_.end())
        std::copy(whole->second.begin(), whole->second.end(), phi.begin());  // coordinates of split groups follow
      if (attempt > 0) {
        fill_normal({search_.seed, 0, attempt, Purpose::initial}, phi);
        for (double& x : phi) x *= 0.5;
      }
      report = climb(part(), phi, 0.05, 200);
      if (report.reason == StopReason::start_not_finite || !std::isfinite(report.value)) continue;
      best = phi;
    }
    if (!best)
      throw ModelError(
          "the search for a mode of the global parameters found no point of finite density; give initial "
          "values inside the support");
    update_starts(*best);
    report = climb(all_, *best, 1e-4, 200);
    std::fill(posterior_->starts().begin(), posterior_->starts().end(),
              0.0);  // so that they depend on the mode only
    update_starts(*best);
    target.mode = *best;
    findings_[key("mode")] = target.mode;
    findings_[key("mode_report")] = numbers_of(report);
  }

  /// Minus the Hessian, by central differences over `width` (one for each coordinate).
  Matrix curvature(GroupPass& pass, const std::vector<double>& mode, const Vector& width) const {
    const auto size = static_cast<Eigen::Index>(dimension_);
    Matrix hessian(size, size);
    std::vector<double> phi = mode, up(dimension_), down(dimension_);
    for (Eigen::Index c = 0; c < size; ++c) {
      const auto k = static_cast<std::size_t>(c);
      phi[k] = mode[k] + width[c];
      log_density(pass, phi, up);
      phi[k] = mode[k] - width[c];
      log_density(pass, phi, down);
      phi[k] = mode[k];
      for (Eigen::Index r = 0; r < size; ++r)
        hessian(r, c) = (down[static_cast<std::size_t>(r)] - up[static_cast<std::size_t>(r)]) / (2.0 * width[c]);
    }
    return 0.5 * (hessian + hessian.transpose());
  }

  /// L with L L' the inverse of a matrix, which is first made positive definite.
  static Matrix inverse_factor(const Matrix& curvature) {
    const Vector scale = curvature.diagonal().cwiseAbs().cwiseSqrt().cwiseMax(1e-150).cwiseInverse();
    const Matrix scaled = scale.asDiagonal() * curvature * scale.asDiagonal();
    const SymmetricEigen found = symmetric_eigen(scaled);
    const Vector roots = found.values.cwiseMax(1e-4).cwiseSqrt().cwiseInverse();
    const Matrix root = scale.asDiagonal() * (found.vectors * roots.asDiagonal());
    return Cholesky(product_transposed(root, root)).lower();
  }

  /// Whether the search followed a scale to 0, together with the parameters it scales. If so, the differences that
  /// estimate the deviations are wider than the peak: the deviations are too large, by orders of magnitude.
  static bool has_collapsed(const GroupTarget& target, const Vector& deviations) {
    double least = 1;  // deviation / size
    for (Eigen::Index c = 0; c < deviations.size(); ++c)
      least = std::min(least, deviations[c] / std::max(std::abs(target.mode[static_cast<std::size_t>(c)]), 1e-3));
    const bool tiny_scale = *std::min_element(target.mode.begin(), target.mode.end()) < log_of_collapsed_scale;
    const auto reason = target.mode_report.reason;
    const bool is_mode = reason == StopReason::gradient_small || reason == StopReason::value_flat;
    return least < narrow || (tiny_scale && (least < narrow_beside_tiny_scale || !is_mode));
  }

  void find_map(GroupTarget& target) {
    const auto size = static_cast<Eigen::Index>(dimension_);
    Matrix factor;
    if (const auto known = findings_.find(key("factor")); known != findings_.end()) {
      factor = Eigen::Map<const Matrix>(known->second.data(), size, size);
    } else {
      Vector width = Vector::Constant(size, 1e-3);
      for (Eigen::Index c = 0; c < size; ++c)
        width[c] *= std::max(1.0, std::abs(target.mode[static_cast<std::size_t>(c)]));
      const Matrix rough = curvature(part(), target.mode, width);
      if (!rough.allFinite()) throw ModelError("the curvature at the mode of the global parameters is not finite");
      const Vector deviations = inverse_factor(rough).rowwise().norm();
      target.collapsed = has_collapsed(target, deviations);
      // Differences over a large part of a standard deviation describe the posterior better than the Hessian at its
      // peak.
      width = (deviations * 0.3).cwiseMin(1.0).cwiseMax(1e-6);
      const Matrix fine = curvature(dimension_ > 30 ? part() : all_, target.mode, width);
      factor = inverse_factor(fine.allFinite() ? fine : rough);
      findings_[key("factor")].assign(factor.data(), factor.data() + factor.size());
    }
    if (!factor.allFinite()) throw ModelError("the curvature at the mode of the global parameters is not usable");
    auto map = std::make_shared<Preconditioner>();
    map->kind = Precondition::dense;
    map->centre = target.mode;
    map->factor.assign(factor.data(), factor.data() + factor.size());
    target.map = map;
  }

  Eigen::Map<const Matrix> factor_of(const GroupTarget& target) const {
    const auto size = static_cast<Eigen::Index>(dimension_);
    return {target.map->factor.data(), size, size};
  }

  /// mode + L z for the k-th z.
  std::vector<double> nearby(const GroupTarget& target, std::uint64_t k) const {
    std::vector<double> z(dimension_), phi = target.mode;
    fill_normal({search_.seed, 1, k, Purpose::initial}, z);
    const Vector moved = factor_of(target) * Eigen::Map<const Vector>(z.data(), static_cast<Eigen::Index>(dimension_));
    for (std::size_t c = 0; c < dimension_; ++c) phi[c] += moved[static_cast<Eigen::Index>(c)];
    return phi;
  }

  /// If a global scale collapsed: searches again with scales fixed at 1 until the other parameters have converged. The
  /// mode so found exists if the data separate the parameters of that scale, as for a second grouping with many rows
  /// per level.
  void find_mode_inside(GroupTarget& target) {
    std::vector<std::size_t> scales;
    for (std::size_t k = 0; k < dimension_; ++k)
      if (target.mode[k] < log_of_collapsed_scale) scales.push_back(k);
    if (scales.empty()) return;
    std::vector<double> phi(dimension_, 0.0);
    std::fill(posterior_->starts().begin(), posterior_->starts().end(), 0.0);
    climb(part(), phi, 0.05, 200, scales);
    update_starts(phi);
    climb(all_, phi, 0.05, 100, scales);
    GroupTarget inside;
    inside.mode_report = climb(all_, phi, 1e-4, 200);
    inside.mode = phi;
    std::fill(posterior_->starts().begin(), posterior_->starts().end(), 0.0);
    update_starts(phi);
    findings_.erase(key("factor"));
    try {
      find_map(inside);
    } catch (const ModelError&) {
      return;
    }
    if (inside.collapsed) return;
    target.mode = inside.mode;
    target.map = inside.map;
    target.mode_report = inside.mode_report;
    target.collapsed = false;
    findings_[key("mode")] = target.mode;
    findings_[key("mode_report")] = numbers_of(target.mode_report);
  }

  void start_anywhere(GroupTarget& target) {
    if (search_.minibatches)
      throw ModelError("the global parameters have no joint mode: a scale among them collapses. Use marginal-nuts");
    const auto size = static_cast<Eigen::Index>(dimension_);
    const Matrix identity = Matrix::Identity(size, size);
    target.mode.assign(dimension_, 0.0);
    auto map = std::make_shared<Preconditioner>(*target.map);
    map->centre = target.mode;
    map->factor.assign(identity.data(), identity.data() + identity.size());
    target.map = map;
    findings_[key("mode")] = target.mode;
    findings_[key("factor")] = map->factor;
    std::fill(posterior_->starts().begin(), posterior_->starts().end(), 0.0);
    update_starts(target.mode);
  }

  void compare_with_normal(GroupTarget& target) {
    constexpr double far = 1.5;
    if (const auto known = findings_.find(key("normality")); known != findings_.end()) {
      target.distance_to_normal = known->second.at(0);
      return;
    }
    const auto factor = factor_of(target);
    std::vector<double> phi(dimension_), gradient(dimension_), at_mode(dimension_);
    log_density(part(), target.mode, at_mode);  // not 0 for a selection of groups
    for (Eigen::Index c = 0; c < static_cast<Eigen::Index>(dimension_); ++c)
      for (const double side : {-far, far}) {
        for (std::size_t k = 0; k < dimension_; ++k)
          phi[k] = target.mode[k] + side * factor(static_cast<Eigen::Index>(k), c);
        log_density(part(), phi, gradient);
        for (std::size_t k = 0; k < dimension_; ++k) gradient[k] -= at_mode[k];
        const double along =
            factor.col(c).dot(Eigen::Map<const Vector>(gradient.data(), static_cast<Eigen::Index>(dimension_)));
        const double distance = std::abs(along + side) / far;
        target.distance_to_normal = std::max(target.distance_to_normal, std::isfinite(distance) ? distance : 10.0);
      }
    findings_[key("normality")] = {target.distance_to_normal};
  }

  void choose_rule(GroupTarget& target) {
    if (posterior_->is_quadratic()) return;  // already exact
    const auto rules = quadrature_rules(posterior_->width());
    if (const auto known = findings_.find(key("rule")); known != findings_.end()) {
      posterior_->set_quadrature(rules.at(static_cast<std::size_t>(known->second.at(0))));
      target.quadrature_error = known->second.at(1);
      return;
    }
    const std::vector<std::vector<double>> points = {target.mode, nearby(target, 1), nearby(target, 2)};
    const auto gradients = [&](std::size_t rule) {
      posterior_->set_quadrature(rules[rule]);
      std::vector<Vector> found;
      for (const auto& phi : points) {
        std::vector<double> gradient(dimension_);
        log_density(part(), phi, gradient);
        found.emplace_back(factor_of(target).transpose() *
                           Eigen::Map<const Vector>(gradient.data(), static_cast<Eigen::Index>(dimension_)));
      }
      return found;
    };
    auto coarse = gradients(0);
    std::size_t chosen = rules.size() - 1;
    double error = 0;
    for (std::size_t rule = 0; rule + 1 < rules.size(); ++rule) {
      const auto fine = gradients(rule + 1);
      error = 0;
      for (std::size_t k = 0; k < points.size(); ++k) {
        const double difference = (fine[k] - coarse[k]).cwiseAbs().maxCoeff();
        if (std::isfinite(difference)) error = std::max(error, difference);
      }
      if (error < near_enough_integral) {
        chosen = rule;
        break;
      }
      coarse = fine;
    }
    posterior_->set_quadrature(rules[chosen]);
    target.quadrature_error = error;
    findings_[key("rule")] = {static_cast<double>(chosen), error};
  }

  void prepare_minibatches(GroupTarget& target) {
    const std::size_t groups = posterior_->group_count();
    const auto factor = factor_of(target);
    target.centre_gradient.assign(dimension_, 0.0);
    const bool store = static_cast<double>(groups) * static_cast<double>(dimension_) <= most_stored;
    std::vector<double> at_mode(groups * dimension_);
    all_.each_gradient(target.mode, [&](std::span<const std::uint32_t> own, std::span<const double> each) {
      for (std::size_t s = 0; s < own.size(); ++s)
        std::copy_n(&each[s * dimension_], dimension_, &at_mode[own[s] * dimension_]);
    });
    for (std::size_t j = 0; j < groups; ++j)
      for (std::size_t c = 0; c < dimension_; ++c) target.centre_gradient[c] += at_mode[j * dimension_ + c];
    // The change of a group's gradient over the posterior, in preconditioned coordinates.
    constexpr std::uint64_t displacements = 2;
    std::vector<double> size(groups, 0.0);
    std::vector<Eigen::MatrixXf> changes;
    for (std::uint64_t k = 1; k <= displacements; ++k) {
      const auto phi = nearby(target, k);
      Eigen::MatrixXf change(static_cast<Eigen::Index>(dimension_), static_cast<Eigen::Index>(groups));
      all_.each_gradient(phi, [&](std::span<const std::uint32_t> own, std::span<const double> each) {
        for (std::size_t s = 0; s < own.size(); ++s) {
          const auto j = static_cast<Eigen::Index>(own[s]);
          Vector difference(static_cast<Eigen::Index>(dimension_));
          for (std::size_t c = 0; c < dimension_; ++c)
            difference[static_cast<Eigen::Index>(c)] = each[s * dimension_ + c] - at_mode[own[s] * dimension_ + c];
          change.col(j) = (factor.transpose() * difference).cast<float>();
        }
      });
      for (std::size_t j = 0; j < groups; ++j) size[j] += change.col(static_cast<Eigen::Index>(j)).norm();
      changes.push_back(std::move(change));
    }
    double total = 0;
    for (double& s : size) total += std::isfinite(s) ? s : (s = 0.0);
    target.probabilities.resize(groups);
    const double uniform = 1.0 / static_cast<double>(groups);
    for (std::size_t j = 0; j < groups; ++j)
      target.probabilities[j] =
          total > 0 ? share_by_preference * size[j] / total + (1 - share_by_preference) * uniform : uniform;
    for (const auto& change : changes) {
      Vector variance = Vector::Zero(static_cast<Eigen::Index>(dimension_)), sum = variance;
      for (std::size_t j = 0; j < groups; ++j) {
        const Vector own = change.col(static_cast<Eigen::Index>(j)).cast<double>();
        variance += own.cwiseAbs2() / target.probabilities[j];
        sum += own;
      }
      target.noise_of_one_group = std::max(target.noise_of_one_group, (variance - sum.cwiseAbs2()).maxCoeff());
    }
    if (store) target.group_gradients = std::move(at_mode);
  }

  std::shared_ptr<MarginalPosterior> posterior_;
  MarginalSearch search_;
  ThreadPool* pool_;
  std::map<std::string, std::vector<double>>& findings_;
  GroupPass all_;
  std::optional<GroupPass> part_;
  std::size_t dimension_;
};

}  // namespace

std::shared_ptr<const GroupTarget> group_target_of(const SamplerOptions& options) {
  return std::visit(
      []<class Chosen>(const Chosen& chosen) -> std::shared_ptr<const GroupTarget> {
        if constexpr (is_marginal_options<Chosen>)
          return std::dynamic_pointer_cast<const GroupTarget>(chosen.target);
        else
          return nullptr;
      },
      options);
}

std::shared_ptr<const GroupTarget> make_group_target(const Model& model, GroupModel groups,
                                                     const MarginalSearch& search, ThreadPool* pool,
                                                     std::map<std::string, std::vector<double>>& findings) {
  try {
    if (search.minibatches && search.split) {
      const auto split = split_groups(model, groups);
      try {
        if (!split.splits.empty()) return Searcher(model, split, search, pool, findings).find();
      } catch (const ModelError&) {
        // Use whole groups: the parameters of split groups have no joint mode with the global ones.
      }
    }
    return Searcher(model, std::move(groups), search, pool, findings).find();
  } catch (const Interrupted&) {
    return nullptr;
  }
}

}  // namespace sgmcmc
