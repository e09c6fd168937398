// Allocates clusters in groups, so that the kernel is rarely rebuilt; the kernel also moves unused clusters, which is
// harmless.
#include "mixtures/cluster_table.hpp"

#include "base/state_bytes.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {

namespace {

constexpr std::size_t group = 8;

double log_sum_of(std::span<const double> logs) {
  const double high = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double x : logs) sum += std::exp(x - high);
  return high + std::log(sum);
}

}  // namespace

void ClusterTable::make_room(std::size_t size) {
  if (size <= stride_) return;
  const std::size_t wider = (size + size / 4 + group - 1) / group * group;
  const auto widen = [&](std::vector<double>& values) {
    std::vector<double> result(words_ * wider);
    for (std::size_t w = 0; w < words_; ++w)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(w * stride_), size_,
                  result.begin() + static_cast<std::ptrdiff_t>(w * wider));
    values = std::move(result);
  };
  widen(log_theta_);
  widen(log_phi_);
  pseudo_counts_.assign(words_ * wider, beta_);
  moved_.resize(words_ * wider);
  stride_ = wider;
  kernel_ = nullptr;
}

SimplexKernel& ClusterTable::kernel() {
  if (!kernel_) kernel_ = std::make_unique<SimplexKernel>(method_, SimplexShape{words_, stride_});
  return *kernel_;
}

void ClusterTable::add(std::span<const double> log_theta) {
  make_room(size_ + 1);
  const double total = log_sum_of(log_theta);
  for (std::size_t w = 0; w < words_; ++w) {
    log_theta_[w * stride_ + size_] = log_theta[w];
    log_phi_[w * stride_ + size_] = log_theta[w] - total;
  }
  ++size_;
}

void ClusterTable::swap(std::size_t j) {
  for (std::size_t i = j; i < log_theta_.size(); i += stride_) {
    std::swap(log_theta_[i], log_theta_[i + 1]);
    std::swap(log_phi_[i], log_phi_[i + 1]);
  }
}

void ClusterTable::add_from_prior(const StreamKey& key, std::uint64_t which) {
  fill_log_gamma(key, prior_, column_, which * words_);
  add(column_);
}

void ClusterTable::score(std::span<const WordCount> document, std::span<double> scores) const {
  std::fill(scores.begin(), scores.end(), 0.0);
  for (const WordCount& entry : document) {
    const double* const row = log_phi_.data() + entry.word * stride_;
    const auto count = static_cast<double>(entry.count);
    for (std::size_t j = 0; j < scores.size(); ++j) scores[j] += count * row[j];
  }
}

void ClusterTable::clear_counts() { std::fill(pseudo_counts_.begin(), pseudo_counts_.end(), beta_); }

void ClusterTable::count(std::span<const WordCount> document, std::size_t cluster, double scale) {
  for (const WordCount& entry : document)
    pseudo_counts_[entry.word * stride_ + cluster] += scale * static_cast<double>(entry.count);
}

bool ClusterTable::step(double step_size, const StreamKey& totals, const StreamKey& noise, ThreadPool& pool) {
  for (std::size_t w = 0; w < words_; ++w) {
    const std::size_t row = w * stride_;
    for (std::size_t j = 0; j < size_; ++j) moved_[row + j] = log_theta_[row + j];
    for (std::size_t j = size_; j < stride_; ++j) moved_[row + j] = 0.0;
  }
  if (method_ == SimplexMethod::scir) {
    shapes_.assign(stride_, 0.0);
    drawn_.resize(stride_);
    log_totals_.resize(stride_);
    for (std::size_t w = 0; w < words_; ++w)
      for (std::size_t j = 0; j < stride_; ++j) shapes_[j] += pseudo_counts_[w * stride_ + j];
    fill_log_gamma(totals, shapes_, drawn_);
    kernel().log_totals(moved_, log_totals_, pool);
    for (std::size_t w = 0; w < words_; ++w)
      for (std::size_t j = 0; j < stride_; ++j) moved_[w * stride_ + j] += drawn_[j] - log_totals_[j];
  }
  const double prior_total = beta_ * static_cast<double>(words_);
  if (!kernel().step({moved_, pseudo_counts_, prior_total, step_size, noise}, pool)) return false;
  log_theta_.swap(moved_);
  normalise(pool);
  return true;
}

void ClusterTable::temper(double power) {
  for (double& x : log_phi_) x *= power;
}

void ClusterTable::visit_state(StateVisitor& visitor) {
  std::uint64_t size = size_, stride = stride_;
  visitor.visit("clusters", size);
  visitor.visit("room", stride);  // determines the positions of random numbers
  visitor.visit("log_theta", log_theta_);
  visitor.visit("log_phi", log_phi_);
  if (stride != stride_) {
    if (size > stride || log_theta_.size() / words_ != stride) refuse_state("log_theta");
    stride_ = stride;
    pseudo_counts_.assign(words_ * stride_, beta_);
    moved_.resize(words_ * stride_);
    kernel_ = nullptr;
  }
  size_ = size;
  if (log_theta_.size() != words_ * stride_ || log_phi_.size() != words_ * stride_) refuse_state("log_phi");
}

void ClusterTable::normalise(ThreadPool& pool) {
  log_totals_.resize(stride_);
  kernel().log_totals(log_theta_, log_totals_, pool);
  for (std::size_t w = 0; w < words_; ++w)
    for (std::size_t j = 0; j < stride_; ++j) log_phi_[w * stride_ + j] = log_theta_[w * stride_ + j] - log_totals_[j];
}

}  // namespace sgmcmc
