// Newton's method for the modes of all groups of a chunk at once, then one run of the programs per quadrature point.
#include "groups/group_evaluator.hpp"

#include "base/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sgmcmc {
namespace {

constexpr std::size_t least_row_capacity = 2048;
constexpr int most_newton_steps = 60;
constexpr double small_decrement =
    1e-2;  // squared distance to the mode, in standard deviations, at which the search stops
constexpr double far_for_rounding = 1e4;  // squared distance to the mode in standard deviations
constexpr std::size_t importance_draws = 8, importance_draws_of_large = 3;
constexpr double proposal_stretch =
    1.1;  // scale of proposals for local parameters, relative to the normal approximation
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 8, 8>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 8, 1>;

/// Value, gradient and Hessian of a quadratic function at u, from those at 0.
void shifted_curve(const double* at_zero, const double* u, std::size_t width, double* curve) {
  const double* hessian = at_zero + 1 + width;
  std::copy_n(at_zero, 1 + width + width * (width + 1) / 2, curve);
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double h = *hessian++;
      curve[1 + i] += h * u[j];
      if (j < i) curve[1 + j] += h * u[i];
      curve[0] += (i == j ? 0.5 : 1.0) * h * u[i] * u[j];
    }
  for (std::size_t i = 0; i < width; ++i) curve[0] += at_zero[1 + i] * u[i];
}

}  // namespace

GroupEvaluator::GroupEvaluator(const MarginalPosterior& posterior, std::size_t most_rows)
    : posterior_(posterior),
      width_(posterior.width()),
      curve_size_(posterior.curve_size()),
      row_capacity_(
          std::clamp<std::size_t>(posterior.largest_group(), std::min(least_row_capacity, most_rows), most_rows)),
      group_capacity_(least_row_capacity) {
  rows_ = std::make_unique<TermRows>(posterior, posterior.row_programs(), true, row_capacity_);
  if (posterior.has_group_term())
    groups_ = std::make_unique<TermRows>(posterior, posterior.group_programs(), false, group_capacity_);
  if (posterior.global_program()) {
    global_ = make_executor(posterior.global_program(), Dataset{}, static_cast<std::int64_t>(posterior.dimension()));
    global_outputs_.resize(1 + posterior.global_places().size());
  }
  group_of_row_.resize(row_capacity_);
  ends_.resize(group_capacity_);
  const std::size_t numbers = group_capacity_ * width_;
  for (auto* buffer : {&at_, &best_, &step_, &mode_, &trial_}) buffer->resize(numbers);
  for (auto* buffer : {&length_, &best_value_, &value_, &log_scale_, &log_integral_}) buffer->resize(group_capacity_);
  factor_.resize(numbers * width_);
  curves_.resize(group_capacity_ * curve_size_);
}

GroupEvaluator::~GroupEvaluator() = default;

void GroupEvaluator::set_phi(std::span<const double> phi) {
  rows_->set_phi(phi);
  if (groups_) groups_->set_phi(phi);
  if (global_) global_->set_point(Point::current, phi);
}

double GroupEvaluator::global_term(std::span<double> gradient) {
  if (!global_) return 0.0;
  global_->run(RowBatch{}, global_outputs_);
  if (!gradient.empty())
    for (std::size_t c = 0; c + 1 < global_outputs_.size(); ++c)
      gradient[static_cast<std::size_t>(posterior_.global_places()[c])] += global_outputs_[c + 1];
  return global_outputs_[0];
}

template <class Body>
void GroupEvaluator::for_chunks(std::span<const std::uint32_t> groups, Body&& body) {
  for (std::size_t first = 0; first < groups.size();) {
    std::size_t count = 0, rows = 0;
    chunk_kind_ = posterior_.kind(groups[first]);
    while (first + count < groups.size() && count < group_capacity_ &&
           posterior_.kind(groups[first + count]) == chunk_kind_) {
      rows += posterior_.rows_visited(groups[first + count]);
      if (count > 0 && rows > row_capacity_) break;
      ++count;
    }
    load(groups.subspan(first, count));
    body(first, count);
    first += count;
  }
}

void GroupEvaluator::load(std::span<const std::uint32_t> groups) {
  chunk_ = groups;
  chunk_rows_ = 0;
  windows_ = std::max<std::size_t>(1, (posterior_.rows_visited(groups[0]) + row_capacity_ - 1) / row_capacity_);
  if (windows_ > 1) {
    if (groups_) groups_->copy_group(groups[0], 0);
    if (groups_) groups_->compute_columns(1);
    std::fill(group_of_row_.begin(), group_of_row_.end(), 0U);
    return;
  }
  const bool rows_needed = !posterior_.rows_are_known();
  std::uint32_t stretch = 0, stretch_rows = 0;  // of several groups whose rows follow one another
  const auto copy_stretch = [&] {
    if (stretch_rows > 0) rows_->copy_rows(posterior_.row_order(), stretch, stretch_rows, chunk_rows_ - stretch_rows);
    stretch_rows = 0;
  };
  for (std::size_t s = 0; s < groups.size(); ++s) {
    const std::uint32_t group = groups[s];
    if (groups_) groups_->copy_group(group, s);
    if (!rows_needed) continue;
    const std::uint32_t first = posterior_.first_row(group), count = posterior_.rows_of(group);
    if (stretch_rows > 0 && first != stretch + stretch_rows) copy_stretch();
    if (stretch_rows == 0) stretch = first;
    stretch_rows += count;
    if (rows_->reads_groups())
      for (std::uint32_t i = 0; i < count; ++i) rows_->copy_group(group, chunk_rows_ + i);
    std::fill_n(group_of_row_.begin() + static_cast<std::ptrdiff_t>(chunk_rows_), count, static_cast<std::uint32_t>(s));
    chunk_rows_ += count;
    ends_[s] = static_cast<std::uint32_t>(chunk_rows_);
  }
  copy_stretch();
  rows_->compute_columns(chunk_rows_);
  if (groups_) groups_->compute_columns(chunk_.size());
}

void GroupEvaluator::load_window(std::size_t window) {
  const std::size_t begin = window * row_capacity_, rows = posterior_.rows_of(chunk_[0]);
  chunk_rows_ = std::min(row_capacity_, rows - begin);
  rows_->copy_rows(posterior_.row_order(), posterior_.first_row(chunk_[0]) + static_cast<std::uint32_t>(begin),
                   static_cast<std::uint32_t>(chunk_rows_), 0);
  if (rows_->reads_groups())
    for (std::size_t i = 0; i < chunk_rows_; ++i) rows_->copy_group(chunk_[0], i);
  ends_[0] = static_cast<std::uint32_t>(chunk_rows_);
  rows_->compute_columns(chunk_rows_);
}

/// Runs the body for all rows of the chunk, or for one window after another.
template <class Body>
void GroupEvaluator::for_windows(Body&& body) {
  for (std::size_t window = 0; window < windows_; ++window) {
    if (windows_ > 1) load_window(window);
    body();
  }
}

void GroupEvaluator::place_locals_of_rows(const double* locals) {
  if (chunk_rows_ == 0) return;
  for (std::size_t k = 0; k < width_; ++k) {
    double* of_rows = rows_->locals(k);
    for (std::size_t s = 0, i = 0; s < chunk_.size(); ++s)
      for (const double value = locals[s * width_ + k]; i < ends_[s]; ++i) of_rows[i] = value;
  }
}

void GroupEvaluator::place_locals_of_groups(const double* locals) {
  if (!groups_) return;
  for (std::size_t k = 0; k < width_; ++k) {
    double* of_groups = groups_->locals(k);
    for (std::size_t s = 0; s < chunk_.size(); ++s) of_groups[s] = locals[s * width_ + k];
  }
}

void GroupEvaluator::add_values(const double* locals, std::vector<double>& by_group) {
  for_windows([&] {
    place_locals_of_rows(locals);
    SumByGroup by_row(group_of_row_.data(), ends_.data(), by_group.data(), 1);
    rows_->run_value(chunk_rows_, by_row);
  });
  if (!groups_) return;
  place_locals_of_groups(locals);
  SumByGroup each(nullptr, nullptr, by_group.data(), 1);
  groups_->run_value(chunk_.size(), each);
}

void GroupEvaluator::derivatives(const double* locals) {
  if (posterior_.rows_are_known()) {
    for (std::size_t s = 0; s < chunk_.size(); ++s)
      shifted_curve(posterior_.known_rows().data() + chunk_[s] * curve_size_, locals + s * width_, width_,
                    curves_.data() + s * curve_size_);
  } else {
    std::fill_n(curves_.begin(), chunk_.size() * curve_size_, 0.0);
    for_windows([&] {
      place_locals_of_rows(locals);
      SumByGroup by_row(group_of_row_.data(), ends_.data(), curves_.data(), curve_size_);
      rows_->run_derivatives(chunk_rows_, by_row);
    });
  }
  if (!groups_) return;
  place_locals_of_groups(locals);
  SumByGroup each(nullptr, nullptr, curves_.data(), curve_size_);
  groups_->run_derivatives(chunk_.size(), each);
}

/// Computes the Newton step to the mode and the covariance factor at best_, whose derivatives are in curves_. Returns
/// whether the mode is near.
bool GroupEvaluator::newton_step(std::size_t s) {
  const double* curve = curves_.data() + s * curve_size_;
  double* factor = factor_.data() + s * width_ * width_;
  double* step = step_.data() + s * width_;
  if (width_ == 1) {
    const double slope = curve[1];
    double precision = -curve[2];
    if (!(precision > 0)) precision = std::max(1e-8, std::abs(precision));
    factor[0] = 1.0 / std::sqrt(precision);
    log_scale_[s] = -0.5 * std::log(precision);
    step[0] = slope / precision;
    return slope * step[0] < small_decrement && curve[2] < 0;
  }
  const auto size = static_cast<Eigen::Index>(width_);
  SmallMatrix precision(size, size);
  SmallVector slope(size);
  const double* hessian = curve + 1 + width_;
  for (Eigen::Index i = 0; i < size; ++i) {
    slope[i] = curve[1 + i];
    for (Eigen::Index j = 0; j <= i; ++j) precision(i, j) = precision(j, i) = -*hessian++;
  }
  bool concave = precision.allFinite();
  if (!concave) precision.setIdentity();
  Eigen::LLT<SmallMatrix> llt(precision);
  if (llt.info() != Eigen::Success) {
    concave = false;
    const SymmetricEigen found = symmetric_eigen(precision);
    const double largest = std::max(1e-8, found.values.cwiseAbs().maxCoeff());
    const SmallVector positive = found.values.cwiseAbs().cwiseMax(1e-8 * largest);
    precision = with_eigenvalues(found.vectors, positive);
    llt.compute(precision);
  }
  // Covariance = (U'U)^-1 = U^-1 U^-T; its lower factor comes from the Cholesky factor of the inverse.
  const SmallVector moved = llt.solve(slope);
  const SmallMatrix covariance = llt.solve(SmallMatrix::Identity(size, size));
  const Eigen::LLT<SmallMatrix> lower(covariance);
  double log_scale = 0;
  for (Eigen::Index i = 0; i < size; ++i) {
    step[i] = moved[i];
    for (Eigen::Index j = 0; j < size; ++j)
      factor[static_cast<std::size_t>(i) * width_ + static_cast<std::size_t>(j)] =
          j <= i ? lower.matrixLLT()(i, j) : 0.0;
    log_scale += std::log(lower.matrixLLT()(i, i));
  }
  log_scale_[s] = log_scale;
  return concave && slope.dot(moved) < small_decrement;
}

/// Sets mode_, factor_ and log_scale_. Undoes and shortens steps that lower the density.
void GroupEvaluator::find_modes() {
  const std::size_t count = chunk_.size(), numbers = count * width_;
  if (chunk_kind_ == Kind::piece) {  // nothing to integrate: any one point suffices
    std::fill_n(mode_.begin(), numbers, 0.0);
    std::fill_n(factor_.begin(), numbers * width_, 0.0);
    std::fill_n(log_scale_.begin(), count, 0.0);
    return;
  }
  for (std::size_t s = 0; s < count; ++s)
    std::copy_n(posterior_.starts().data() + chunk_[s] * width_, width_, best_.data() + s * width_);
  std::copy_n(best_.begin(), numbers, at_.begin());
  if (posterior_.is_quadratic()) {
    // One Newton step reaches the mode from anywhere. From far away relative to a narrow density, rounding spoils the
    // value: then take a second step.
    for (int round = 0; round < 8; ++round) {
      derivatives(at_.data());
      double farthest = 0;
      for (std::size_t s = 0; s < count; ++s) {
        newton_step(s);
        double distance = 0;
        for (std::size_t k = 0; k < width_; ++k) {
          distance += curves_[s * curve_size_ + 1 + k] * step_[s * width_ + k];
          mode_[s * width_ + k] = at_[s * width_ + k] + step_[s * width_ + k];
        }
        if (distance > farthest) farthest = distance;
      }
      if (farthest < far_for_rounding) return;
      std::copy_n(mode_.begin(), numbers, at_.begin());
    }
    for (std::size_t s = 0; s < count; ++s) {  // too narrow for floating-point precision: treat as outside the support
      double distance = 0;
      for (std::size_t k = 0; k < width_; ++k) distance += curves_[s * curve_size_ + 1 + k] * step_[s * width_ + k];
      if (!(distance < far_for_rounding)) log_scale_[s] = -std::numeric_limits<double>::infinity();
    }
    return;
  }
  std::fill_n(best_value_.begin(), count, -std::numeric_limits<double>::infinity());
  std::fill_n(length_.begin(), count, 1.0);
  for (int iteration = 0; iteration < most_newton_steps; ++iteration) {
    derivatives(at_.data());
    bool all_near = true;
    for (std::size_t s = 0; s < count; ++s) {
      if (length_[s] == 0.0) continue;  // done
      const double value = curves_[s * curve_size_];
      double* at = at_.data() + s * width_;
      double* best = best_.data() + s * width_;
      const double slack = 1e-9 * (1.0 + std::abs(best_value_[s]));
      if (value >= best_value_[s] - slack || iteration == 0) {
        best_value_[s] = value;
        std::copy_n(at, width_, best);
        length_[s] = 1.0;
        if (newton_step(s)) {
          for (std::size_t k = 0; k < width_; ++k) mode_[s * width_ + k] = best[k] + step_[s * width_ + k];
          length_[s] = 0.0;
          continue;
        }
      } else {
        length_[s] *= 0.25;
        if (length_[s] < 1e-6) {  // no further ascent possible
          std::copy_n(best, width_, mode_.data() + s * width_);
          length_[s] = 0.0;
          continue;
        }
      }
      for (std::size_t k = 0; k < width_; ++k) at[k] = best[k] + length_[s] * step_[s * width_ + k];
      all_near = false;
    }
    if (all_near) return;
  }
  for (std::size_t s = 0; s < count; ++s)
    if (length_[s] != 0.0) std::copy_n(best_.data() + s * width_, width_, mode_.data() + s * width_);
}

/// trial_ = mode + factor z of the node.
void GroupEvaluator::node_locals(std::size_t node) {
  const double* z = posterior_.quadrature(chunk_kind_).points.data() + node * width_;
  for (std::size_t s = 0; s < chunk_.size(); ++s)
    for (std::size_t i = 0; i < width_; ++i) {
      double at = mode_[s * width_ + i];
      for (std::size_t j = 0; j <= i; ++j) at += factor_[(s * width_ + i) * width_ + j] * z[j];
      trial_[s * width_ + i] = at;
    }
}

/// Of the rows of a group with several windows, in one pass over them. Sets node_values_.
void GroupEvaluator::values_at_nodes(std::size_t nodes) {
  node_values_.assign(nodes, 0.0);
  for_windows([&] {
    for (std::size_t node = 0; node < nodes; ++node) {
      node_locals(node);
      place_locals_of_rows(trial_.data());
      SumByGroup sum(group_of_row_.data(), ends_.data(), &node_values_[node], 1);
      rows_->run_value(chunk_rows_, sum);
    }
  });
}

/// Averages the slopes of rows over the nodes, and calls add() for them. Of a group with several windows they are
/// computed now; otherwise evaluate_nodes() kept them.
template <class Add>
void GroupEvaluator::add_slopes_of_rows(Add&& add) {
  const std::size_t nodes = posterior_.quadrature(chunk_kind_).count();
  for_windows([&] {
    for (std::size_t node = 0; node < nodes && windows_ > 1; ++node) {
      node_locals(node);
      place_locals_of_rows(trial_.data());
      rows_->run_node(node, nodes, chunk_rows_, group_of_row_.data(), ends_.data(), nullptr);
    }
    rows_->average_slopes(nodes, chunk_rows_, group_of_row_.data(), node_weights_.data());
    add();
  });
}

/// Sets log_integral_, and node_weights_ to the normalised weights of the nodes; with slopes, also keeps these.
void GroupEvaluator::evaluate_nodes(bool with_slopes) {
  const Quadrature& rule = posterior_.quadrature(chunk_kind_);
  const std::size_t nodes = rule.count(), count = chunk_.size();
  if (node_weights_.size() < group_capacity_ * nodes) node_weights_.resize(group_capacity_ * nodes);
  const double log_normaliser = 0.5 * static_cast<double>(width_) * std::log(2.0 * std::numbers::pi);
  const bool known =
      posterior_.is_quadratic() && chunk_kind_ != Kind::piece;  // normal: weights and integral are known in closed form
  if (windows_ > 1 && !known) values_at_nodes(nodes);
  for (std::size_t node = 0; node < nodes && (with_slopes || !known); ++node) {
    node_locals(node);
    if (windows_ == 1) place_locals_of_rows(trial_.data());
    place_locals_of_groups(trial_.data());
    std::fill_n(value_.begin(), count, 0.0);
    const auto run = [&](TermRows& side, std::size_t rows, const std::uint32_t* group_of) {
      if (with_slopes && side.has_gradient()) {
        side.run_node(node, nodes, rows, group_of, ends_.data(), known ? nullptr : value_.data());
      } else if (!known) {
        SumByGroup sum(group_of, ends_.data(), value_.data(), 1);
        side.run_value(rows, sum);
      }
    };
    if (windows_ > 1)
      value_[0] = known ? 0.0 : node_values_[node];
    else if (!posterior_.rows_are_known())
      run(*rows_, chunk_rows_, group_of_row_.data());
    if (groups_) run(*groups_, count, nullptr);
    if (known) continue;
    double half_square = 0;
    for (std::size_t k = 0; k < width_; ++k)
      half_square += 0.5 * rule.points[node * width_ + k] * rule.points[node * width_ + k];
    for (std::size_t s = 0; s < count; ++s)
      node_weights_[s * nodes + node] = rule.log_weights[node] + half_square + value_[s];
  }
  for (std::size_t s = 0; s < count; ++s) {
    double* weights = node_weights_.data() + s * nodes;
    if (known) {
      double gain = 0;
      for (std::size_t k = 0; k < width_; ++k) gain += 0.5 * curves_[s * curve_size_ + 1 + k] * step_[s * width_ + k];
      log_integral_[s] = curves_[s * curve_size_] + gain + log_scale_[s] + log_normaliser;
      for (std::size_t node = 0; node < nodes; ++node) weights[node] = std::exp(rule.log_weights[node]);
      continue;
    }
    const double largest = *std::max_element(weights, weights + nodes);
    double total = 0;
    for (std::size_t node = 0; node < nodes; ++node) total += weights[node] = std::exp(weights[node] - largest);
    for (std::size_t node = 0; node < nodes; ++node) weights[node] /= total;
    log_integral_[s] = largest + std::log(total) + log_scale_[s] + log_normaliser;
  }
}

double GroupEvaluator::integrate(std::span<const std::uint32_t> groups, const double* weights,
                                 std::span<double> gradient) {
  double total = 0;
  for_chunks(groups, [&](std::size_t first, std::size_t count) {
    find_modes();
    evaluate_nodes(!gradient.empty());
    const auto weight_of = [&](std::size_t s) { return weights ? weights[first + s] : 1.0; };
    for (std::size_t s = 0; s < count; ++s) total += weight_of(s) * log_integral_[s];
    if (gradient.empty()) return;
    const std::size_t nodes = posterior_.quadrature(chunk_kind_).count();
    if (weights)
      for (std::size_t s = 0; s < count; ++s)
        for (std::size_t node = 0; node < nodes; ++node) node_weights_[s * nodes + node] *= weight_of(s);
    if (rows_->has_gradient()) add_slopes_of_rows([&] { rows_->add_gradient(chunk_rows_, gradient); });
    if (groups_ && groups_->has_gradient()) {
      groups_->average_slopes(nodes, count, nullptr, node_weights_.data());
      groups_->add_gradient(count, gradient);
    }
  });
  return total;
}

void GroupEvaluator::gradients(std::span<const std::uint32_t> groups, std::span<double> each) {
  const std::size_t dimension = posterior_.dimension();
  std::fill(each.begin(), each.end(), 0.0);
  for_chunks(groups, [&](std::size_t first, std::size_t count) {
    find_modes();
    evaluate_nodes(true);
    double* sums = each.data() + first * dimension;
    const std::size_t nodes = posterior_.quadrature(chunk_kind_).count();
    if (rows_->has_gradient())
      add_slopes_of_rows([&] { rows_->add_gradients(chunk_rows_, count, group_of_row_.data(), sums); });
    if (groups_ && groups_->has_gradient()) {
      groups_->average_slopes(nodes, count, nullptr, node_weights_.data());
      groups_->add_gradients(count, count, nullptr, sums);
    }
  });
}

void GroupEvaluator::curves_of_rows(std::span<const std::uint32_t> groups, std::span<double> curves) {
  for_chunks(groups, [&](std::size_t first, std::size_t count) {
    std::fill_n(at_.begin(), count * width_, 0.0);
    double* own = curves.data() + first * curve_size_;
    std::fill_n(own, count * curve_size_, 0.0);
    for_windows([&] {
      place_locals_of_rows(at_.data());
      SumByGroup by_row(group_of_row_.data(), ends_.data(), own, curve_size_);
      rows_->run_derivatives(chunk_rows_, by_row);
    });
  });
}

void GroupEvaluator::modes(std::span<const std::uint32_t> groups, std::span<double> locals) {
  for_chunks(groups, [&](std::size_t first, std::size_t count) {
    find_modes();
    std::copy_n(mode_.begin(), count * width_, locals.data() + first * width_);
  });
}

void GroupEvaluator::draw(std::span<const std::uint32_t> groups, const StreamKey& key, std::span<double> locals) {
  // Random numbers of a group: importance_draws proposals of `width` normals each; its uniform comes from a separate
  // stream.
  if (posterior_.is_quadratic()) {
    std::vector<double> normals(width_);
    for_chunks(groups, [&](std::size_t first, std::size_t count) {
      find_modes();
      for (std::size_t s = 0; s < count; ++s) {
        fill_normal(key, normals, chunk_[s] * width_);
        for (std::size_t i = 0; i < width_; ++i) {
          double at = mode_[s * width_ + i];
          for (std::size_t j = 0; j <= i; ++j) at += factor_[(s * width_ + i) * width_ + j] * normals[j];
          locals[(first + s) * width_ + i] = at;
        }
      }
    });
    return;
  }
  std::vector<double> normals(importance_draws * width_);  // groups with many rows use only the first ones
  StreamKey choice = key;
  choice.purpose = Purpose::importance;
  for_chunks(groups, [&](std::size_t first, std::size_t count) {
    find_modes();
    const std::size_t offered = chunk_kind_ == Kind::large ? importance_draws_of_large : importance_draws;
    std::vector<double> proposals(count * offered * width_), log_weight(count * offered);
    for (std::size_t s = 0; s < count; ++s) {
      fill_normal(key, normals, chunk_[s] * normals.size());
      for (std::size_t k = 0; k < offered; ++k)
        for (std::size_t i = 0; i < width_; ++i) {
          double at = mode_[s * width_ + i];
          for (std::size_t j = 0; j <= i; ++j)
            at += proposal_stretch * factor_[(s * width_ + i) * width_ + j] * normals[k * width_ + j];
          proposals[(k * count + s) * width_ + i] = at;
          log_weight[s * offered + k] += 0.5 * normals[k * width_ + i] * normals[k * width_ + i];
        }
    }
    for (std::size_t k = 0; k < offered; ++k) {
      std::fill_n(value_.begin(), count, 0.0);
      add_values(proposals.data() + k * count * width_, value_);
      for (std::size_t s = 0; s < count; ++s) log_weight[s * offered + k] += value_[s];
    }
    for (std::size_t s = 0; s < count; ++s) {
      double* own = log_weight.data() + s * offered;
      const double largest = *std::max_element(own, own + offered);
      double total = 0;
      for (std::size_t k = 0; k < offered; ++k) total += own[k] = std::exp(own[k] - largest);
      double uniform = 0;
      fill_uniform(choice, std::span<double>(&uniform, 1), chunk_[s]);
      std::size_t chosen = 0;
      for (double left = uniform * total; chosen + 1 < offered && left > own[chosen]; ++chosen) left -= own[chosen];
      std::copy_n(proposals.data() + (chosen * count + s) * width_, width_, locals.data() + (first + s) * width_);
    }
  });
}

}  // namespace sgmcmc
