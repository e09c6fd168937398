// Decides when to go back, how far, and when to give up.
#include "chains/recovery.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace sgmcmc {

Recovery::Recovery(const SampleOptions& options, std::size_t numbers, std::uint32_t chain)
    : active_(options.recoveries > 0 && !takes_every_row(options.sampler)), chain_(chain), most_(options.recoveries) {
  // Detecting the slowest divergence takes a few hundred iterations; draws of twice as many are held back, in up to 128
  // MB.
  constexpr double most_numbers = 8e6;
  const double draws = most_numbers / static_cast<double>(std::max<std::size_t>(1, numbers));
  spacing_ = static_cast<std::uint64_t>(std::clamp(draws * static_cast<double>(options.thin), 16.0, 100.0));
  if (active_) draws_.reserve(2 * spacing_ / options.thin + 2);
}

void Recovery::advance(Chain& chain) {
  if (started_) std::swap(older_, newer_);
  chain.mark(newer_);
  if (!started_) older_ = newer_;
  started_ = 1;
  if (older_.iteration > failed_at_) in_a_row_ = 0;
}

void Recovery::keep(std::uint64_t iteration, std::span<const double> values, double weight, double step_size) {
  if (waiting_ == draws_.size()) draws_.emplace_back();
  Waiting& draw = draws_[waiting_++];
  draw.iteration = iteration;
  draw.weight = weight;
  draw.step_size = step_size;
  draw.values.assign(values.begin(), values.end());
}

void Recovery::take_back(Chain& chain, const DivergenceError& error) {
  const std::uint64_t diverged_at = chain.iteration();
  if (!active_ || in_a_row_ >= most_in_a_row || reductions_.size() >= most_) {
    if (reductions_.empty()) throw error;
    throw DivergenceError(std::string(error.what()) + ". It was taken back " + std::to_string(reductions_.size()) +
                          (reductions_.size() == 1 ? " time" : " times") + ", the last time with " +
                          formatted("%.3g", factor_) + " of the step size asked for");
  }
  failed_at_ = std::max(failed_at_, diverged_at);
  // Shrinks ever faster, so that few attempts suffice: 1/2, then 1/8, 1/64, 1/1024, 1/32768.
  factor_ *= std::ldexp(1.0, -static_cast<int>(++in_a_row_));
  reductions_.push_back({chain_, diverged_at, older_.iteration, factor_});
  waiting_ = 0;
  newer_ = older_;
  chain.return_to(older_, factor_);
}

void Recovery::visit_state(StateVisitor& visitor) {
  if (!active_) return;
  for (std::uint64_t* count : {&started_, &failed_at_, &in_a_row_, &waiting_, &older_.iteration, &newer_.iteration})
    visitor.visit("recovery_count", *count);
  visitor.visit("recovery_factor", factor_);
  visitor.visit("recovery_older", older_.numbers);
  visitor.visit("recovery_newer", newer_.numbers);
  if (draws_.size() < waiting_) draws_.resize(waiting_);
  for (std::uint64_t k = 0; k < waiting_; ++k) {
    visitor.visit("recovery_iteration", draws_[k].iteration);
    visitor.visit("recovery_weight", draws_[k].weight);
    visitor.visit("recovery_step_size", draws_[k].step_size);
    visitor.visit("recovery_values", draws_[k].values);
  }
  std::uint64_t reductions = reductions_.size();
  visitor.visit("reductions", reductions);
  reductions_.resize(reductions);
  for (auto& reduction : reductions_) {
    reduction.chain = chain_;
    visitor.visit("diverged_at", reduction.diverged_at);
    visitor.visit("back_to", reduction.back_to);
    visitor.visit("reduction_factor", reduction.factor);
  }
}

}  // namespace sgmcmc
