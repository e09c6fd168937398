// Properties of samplers that other code needs. Each sampler states them in its own file, in traits() of its options;
// no other code compares names or types of samplers.
#pragma once

#include <sgmcmc/dynamics.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sgmcmc {

/// A member without a default: an aggregate initialiser that omits it does not compile.
template <class T>
class Required {
 public:
  template <std::convertible_to<T> Value>
  constexpr Required(Value&& value) : value_(std::forward<Value>(value)) {}

  constexpr operator const T&() const { return value_; }
  constexpr const T& operator*() const { return value_; }
  constexpr const T* operator->() const { return &value_; }

 private:
  T value_;
};

/// When the sampler evaluates the gradient at a draw, on a minibatch that did not influence the draw.
struct DrawGradient {
  std::optional<std::size_t> lag;  ///< iterations after the draw; 0: gradient_here() returns it; empty: never
  std::string_view why_never;      ///< follows the name of the sampler: "takes no gradients"

  static DrawGradient at_once() { return {0, {}}; }
  static DrawGradient after(std::size_t iterations) { return {iterations, {}}; }
  static DrawGradient never(std::string_view why) { return {std::nullopt, why}; }
};

/// Why a sampler cannot run in preconditioned coordinates; empty if it can.
struct WhiteningLimits {
  Required<std::string_view> refused;   ///< follows the name of the sampler: "has scales of its own"
  Required<std::string_view> diagonal;  ///< why the coordinates may only be scaled, not mixed
};

/// Which options, besides step size, tuning may vary.
struct Variation {
  double step_size;
  bool whitened;            ///< runs in preconditioned coordinates
  bool trajectory_lengths;  ///< may be varied
  bool frictions;           ///< may be varied
  bool thorough;            ///< false: vary nothing else
};

/// The candidates of automatic tuning. Step sizes are multiples of a unit, the largest first.
struct TuningGrid {
  using Unit = double (*)(double largest_stable_step, double rows, double batch_size);
  using Variants = std::vector<SamplerOptions> (*)(const SamplerOptions& sampler, const Variation& variation);

  Required<std::span<const double>> steps;
  /// Step sizes in preconditioned coordinates. Empty: the sampler adapts to scales itself, and is tuned in the model's
  /// coordinates.
  Required<std::span<const double>> whitened_steps;
  Required<Unit> unit;
  Required<Variants> variants;
};

/// On a standard normal, sgld is stable for step sizes below 4, and so are samplers with momentum, whose step size is
/// the square of a leapfrog step.
inline constexpr double langevin_steps[] = {1.0, 0.5, 0.25, 0.12, 0.06, 0.03, 0.01, 0.003};
inline constexpr double momentum_steps[] = {1.0, 0.4, 0.15, 0.06, 0.02, 0.006};

inline constexpr std::span<const double> no_steps{};

inline double largest_stable_unit(double largest_stable_step, double, double) { return largest_stable_step; }
inline double posterior_unit(double, double, double) { return 1.0; }  ///< step sizes are relative to the posterior
inline std::vector<SamplerOptions> no_variants(const SamplerOptions& sampler, const Variation&) { return {sampler}; }

/// Samplers that need no tuning: exact ones adapt in warm-up, others have no step size.
inline TuningGrid untuned() {
  return {.steps = langevin_steps, .whitened_steps = no_steps, .unit = largest_stable_unit, .variants = no_variants};
}

/// Advice of the verdict if draws of this sampler are wrong. Empty: the usual advice, by its traits.
struct VerdictWords {
  Required<std::string_view> too_narrow;         ///< remedy if sds are too small
  Required<std::string_view> too_wide;           ///< remedy if sds are too large
  Required<std::string_view> shifted;            ///< remedy if means are wrong and more warm-up did not help
  Required<std::string_view> other_wide_cause;   ///< another cause of too large sds besides the step size
  Required<std::string_view> other_wide_remedy;  ///< remedy for that cause
};

inline VerdictWords usual_words() {
  return {.too_narrow = "", .too_wide = "", .shifted = "", .other_wide_cause = "", .other_wide_remedy = ""};
}

inline constexpr std::span<const std::string_view> no_statistics{};

struct SamplerTraits {
  Required<bool> exact;     ///< draws are from the posterior for every step size
  Required<RowUse> rows;    ///< which rows a step uses
  Required<bool> marginal;  ///< moves the global parameters of a hierarchical model, with others integrated out
  Required<bool> independent_draws;  ///< of the normal approximation: a longer run does not improve them
  Required<bool> learns_from_rows;   ///< needs the gradients of single rows
  Required<bool> in_cycles;          ///< may move some blocks while other kernels move the rest
  Required<std::span<const std::string_view>> statistics;  ///< recorded with every draw
  Required<DrawGradient> draw_gradient;
  Required<WhiteningLimits> whitening;
  Required<bool> whitened_by_default;  ///< by default preconditioned, with preferential sampling of rows
  Required<bool> step_biases;          ///< the step size biases the draws
  Required<bool> langevin_law;         ///< a step is that of sgld: langevin_sd_ratios() predicts the bias of its draws
  /// Variance that gradient noise adds relative to that of the injected noise, per step size and gradient variance. 0:
  /// uses no estimates; NaN: no fixed proportion.
  Required<double> noise_gain;
  Required<std::uint32_t> trajectory_length;  ///< for tuning reports; 0: none
  Required<double> friction;                  ///< likewise
  Required<TuningGrid> tuning;
  Required<VerdictWords> words;
};

SamplerTraits traits_of(const SamplerOptions& options);

/// Names of the samplers for which wanted(traits) holds at their default options: "sgld, sghmc or nuts".
std::string samplers_with(bool (*wanted)(const SamplerTraits& traits));

}  // namespace sgmcmc
