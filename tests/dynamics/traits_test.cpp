// Traits of samplers: none can be omitted, and they are consistent.
#include "dynamics/traits.hpp"
#include "dynamics/dynamics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace sgmcmc::testing {
namespace {

// Omitting any trait must not compile; one member of each type is tested for all.
static_assert(!std::is_default_constructible_v<Required<bool>>);
static_assert(!std::is_default_constructible_v<SamplerTraits>);
template <class Grid>
constexpr bool grid_without_variants_compiles = requires {
  Grid{.steps = langevin_steps, .whitened_steps = no_steps, .unit = posterior_unit};
};
template <class Grid>
constexpr bool whole_grid_compiles = requires {
  Grid{.steps = langevin_steps, .whitened_steps = no_steps, .unit = posterior_unit, .variants = no_variants};
};
static_assert(!grid_without_variants_compiles<TuningGrid>);
static_assert(whole_grid_compiles<TuningGrid>);

/// Every sampler at its defaults, with a step size.
std::vector<SamplerOptions> every_sampler() {
  std::vector<SamplerOptions> all;
  for (const auto& name : sampler_names()) {
    all.push_back(sampler_options(name));
    if (step_size_of(all.back())) set_option(all.back(), "step_size", "0.01");
  }
  return all;
}

TEST(SamplerTraits, OfEverySampler_AgreeWithOneAnother) {
  for (const auto& sampler : every_sampler()) {
    const SamplerTraits traits = traits_of(sampler);
    const std::string name(sampler_name(sampler));
    EXPECT_FALSE(traits.exact && traits.step_biases) << name;
    EXPECT_EQ(traits.exact, !traits.statistics->empty()) << name << ": files of exact draws have columns of statistics";
    EXPECT_NE(traits.draw_gradient->lag.has_value(), !traits.draw_gradient->why_never.empty()) << name;
    EXPECT_EQ(traits.words->other_wide_cause->empty(), traits.words->other_wide_remedy->empty()) << name;
    if (traits.whitened_by_default) {
      EXPECT_TRUE(traits.whitening->refused->empty()) << name;
    }
    if (!traits.tuning->whitened_steps->empty()) {
      EXPECT_TRUE(traits.whitening->refused->empty()) << name;
    }
    if (traits.rows == RowUse::minibatches) {
      EXPECT_NE(*traits.noise_gain, 0.0) << name << ": noise of minibatches widens its draws";
    }
  }
}

TEST(SamplerTraits, StepsOfTuning_FallAndTheirVariantsAreTheSampler) {
  for (const auto& sampler : every_sampler()) {
    const TuningGrid grid = traits_of(sampler).tuning;
    for (const std::span<const double> steps : {*grid.steps, *grid.whitened_steps})
      for (std::size_t k = 1; k < steps.size(); ++k) EXPECT_LT(steps[k], steps[k - 1]) << sampler_name(sampler);
    for (const bool whitened : {false, true})
      for (const bool thorough : {false, true}) {
        const auto variants = (*grid.variants)(sampler, {0.25, whitened, true, true, thorough});
        EXPECT_FALSE(variants.empty());
        for (const auto& variant : variants) {
          EXPECT_EQ(sampler_name(variant), sampler_name(sampler));
          EXPECT_NO_THROW(validate(variant, 3));
        }
        EXPECT_EQ((*grid.variants)(sampler, {0.25, whitened, false, false, thorough}).size(), 1u)
            << sampler_name(sampler) << ": nothing may be varied";
      }
  }
}

TEST(SamplerTraits, GradientLag_IsWhenTheSamplerComesBackToItsDraw) {
  SghmcOptions sghmc{.step_size = 0.1};
  EXPECT_EQ(traits_of(sghmc).draw_gradient->lag, 1u);
  sghmc.form = SghmcForm::plain;
  EXPECT_EQ(traits_of(sghmc).draw_gradient->lag, std::nullopt) << "its trajectories start with a drift";
  sghmc.refresh_momentum = false;
  EXPECT_EQ(traits_of(sghmc).draw_gradient->lag, 1u);
  EXPECT_EQ(traits_of(HamcmcOptions{.step_size = 0.1, .history = 4}).draw_gradient->lag, 4u);
  EXPECT_EQ(traits_of(SgnhtOptions{.step_size = 0.1}).draw_gradient->lag, 0u);
  EXPECT_EQ(traits_of(NutsOptions{}).draw_gradient->lag, 0u);
  EXPECT_EQ(traits_of(MarginalNutsOptions{}).draw_gradient->lag, std::nullopt);
  EXPECT_EQ(traits_of(HmcEcsOptions{}).draw_gradient->lag, std::nullopt);
  EXPECT_EQ(traits_of(LaplaceOptions{}).draw_gradient->lag, std::nullopt);
}

TEST(SamplerTraits, NoiseGain_IsGradientNoiseBesideInjectedNoise) {
  EXPECT_EQ(*traits_of(SgldOptions{}).noise_gain, 0.25);
  EXPECT_EQ(*traits_of(SgnhtOptions{.diffusion = 0.05}).noise_gain, 10.0);
  const double c = std::exp(-0.2);  // without refresh, all steps have the same gain
  EXPECT_NEAR(*traits_of(SghmcOptions{.friction = 0.2, .trajectory_length = 1, .refresh_momentum = false}).noise_gain,
              0.25 * (1.0 + c) * (1.0 + c) / (1.0 - c * c), 1e-14);
  EXPECT_EQ(*traits_of(SghmcOptions{.trajectory_length = 1}).noise_gain, 0.25) << "then it is sgld";
  for (const char* name : {"psgld", "hamcmc", "sgrld", "sgfs-full", "sgfs-diagonal"})
    EXPECT_TRUE(std::isnan(*traits_of(sampler_options(name)).noise_gain)) << name;
}

}  // namespace
}  // namespace sgmcmc::testing
