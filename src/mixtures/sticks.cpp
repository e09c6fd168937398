// Sticks are blocks of two components for the simplex kernels: taken and left.
#include "mixtures/sticks.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {

double log_sum(double x, double y) {
  const double high = std::max(x, y), low = std::min(x, y);
  return high + std::log1p(std::exp(low - high));
}

double Sticks::log_complement(std::size_t j) const { return log_b_[j] - log_sum(log_a_[j], log_b_[j]); }

void Sticks::add(double log_a, double log_b) {
  const double total = log_sum(log_a, log_b);
  log_a_.push_back(log_a);
  log_b_.push_back(log_b);
  log_weights_.push_back(log_rest_ + log_a - total);
  log_rest_ += log_b - total;
}

void Sticks::add_from_prior(double concentration, const StreamKey& key, std::uint64_t which) {
  const double shapes[2] = {1.0, concentration};
  double drawn[2];
  fill_log_gamma(key, shapes, drawn, 2 * which);
  add(drawn[0], drawn[1]);
}

void Sticks::shorten(std::size_t size) {
  if (size >= log_a_.size()) return;
  log_a_.resize(size);
  log_b_.resize(size);
  update_weights();
}

void Sticks::swap(std::size_t j) {
  std::swap(log_a_[j], log_a_[j + 1]);
  std::swap(log_b_[j], log_b_[j + 1]);
  update_weights();
}

void Sticks::update_weights() {
  log_weights_.resize(log_a_.size());
  log_rest_ = 0;
  for (std::size_t j = 0; j < log_a_.size(); ++j) {
    const double total = log_sum(log_a_[j], log_b_[j]);
    log_weights_[j] = log_rest_ + log_a_[j] - total;
    log_rest_ += log_b_[j] - total;
  }
}

void Sticks::visit_state(StateVisitor& visitor) {
  visitor.visit("sticks_taken", log_a_);
  visitor.visit("sticks_left", log_b_);
  visitor.visit("weights", log_weights_);
  visitor.visit("rest", log_rest_);
}

bool Sticks::step(std::span<const double> counts, double concentration, double step_size, const StreamKey& totals,
                  const StreamKey& noise, ThreadPool& pool) {
  const std::size_t count = size();
  if (!kernel_ || kernel_->shape().blocks != count)
    kernel_ = std::make_unique<SimplexKernel>(method_, SimplexShape{2, count});
  pseudo_counts_.resize(2 * count);
  moved_.resize(2 * count);
  double beyond = 0;
  for (std::size_t j = count; j-- > 0;) {
    pseudo_counts_[j] = 1.0 + counts[j];
    pseudo_counts_[count + j] = concentration + beyond;
    beyond += counts[j];
    moved_[j] = log_a_[j];
    moved_[count + j] = log_b_[j];
  }
  if (method_ == SimplexMethod::scir) {
    shapes_.resize(count);
    log_totals_.resize(count);
    for (std::size_t j = 0; j < count; ++j) shapes_[j] = pseudo_counts_[j] + pseudo_counts_[count + j];
    fill_log_gamma(totals, shapes_, log_totals_);
    for (std::size_t j = 0; j < count; ++j) {
      const double shift = log_totals_[j] - log_sum(log_a_[j], log_b_[j]);
      moved_[j] += shift;
      moved_[count + j] += shift;
    }
  }
  if (!kernel_->step({moved_, pseudo_counts_, 1.0 + concentration, step_size, noise}, pool)) return false;
  std::copy_n(moved_.begin(), count, log_a_.begin());
  std::copy_n(moved_.begin() + static_cast<std::ptrdiff_t>(count), count, log_b_.begin());
  update_weights();
  return true;
}

}  // namespace sgmcmc
