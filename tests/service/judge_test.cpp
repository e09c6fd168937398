// What a verdict makes of facts that gradients at draws do not show.
#include "service/sampling/judge.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sgmcmc {
namespace {

TEST(Judge, Divergences_WeakenTheVerdictByTheirShareOfTheDraws) {
  const StanModel model = StanModel::from_text("parameters { vector[2] mu; } model { mu ~ normal(0, 1); }");
  RunSettings settings;
  settings.method = "nuts";
  settings.iterations = settings.warmup = 1000;
  settings.threads = 1;
  settings.seed = 4;
  const StanPosterior posterior = model.bind({});
  const RunResult run = sample(posterior, settings);
  const SampleResult result;
  const auto judged = [&](std::uint64_t divergences) {
    SamplerReport sampler;
    sampler.has_statistics = true;
    sampler.draws = 4000;
    sampler.divergences = divergences;
    SampleOptions options = run.options;
    options.chains = run.draws.chains();
    return judge_run(Judging::quick, 1, posterior.model(), run.draws,
                     {.options = &options, .result = &result, .sampler = &sampler})
        .value();
  };
  const auto tells = [](const Verdict& verdict, const std::string& count) {
    for (const auto& sentence : verdict.sentences)
      if (sentence.starts_with(count + " of 4000 draws ended in a divergence")) return true;
    return false;
  };
  EXPECT_EQ(judged(0).trust, Trust::trust);
  EXPECT_FALSE(tells(judged(0), "0"));
  EXPECT_EQ(judged(2).trust, Trust::trust);
  EXPECT_TRUE(tells(judged(2), "2"));
  EXPECT_EQ(judged(28).trust, Trust::caution);  // a posterior with a spike that was missed had no more
  EXPECT_TRUE(tells(judged(28), "28"));
  EXPECT_EQ(judged(500).trust, Trust::do_not_trust);
}

}  // namespace
}  // namespace sgmcmc
