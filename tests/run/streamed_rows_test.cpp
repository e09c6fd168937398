// Runs on rows in random order, as on disk: counts their passes over all rows.
#include "data/row_pages.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/sample.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::int64_t rows = 1'000'000, features = 5;

class StreamedRows : public ::testing::Test {
 protected:
  StreamedRows() : x_(rows * features), y_(rows) {
    std::vector<double> normal(x_.size()), uniform(y_.size());
    fill_normal({.seed = 5, .purpose = Purpose::data}, normal);
    fill_uniform({.seed = 6, .purpose = Purpose::data}, uniform);
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = static_cast<float>(normal[i]);
    for (std::size_t i = 0; i < y_.size(); ++i)
      y_[i] = uniform[i] * (1 + std::exp(-0.5 * normal[i * features])) < 1 ? 1 : 0;
  }

  /// Passes over all rows, not counting the rows of minibatches.
  double passes(std::uint32_t chains, SampleResult* result = nullptr) const {
    constexpr std::uint64_t iterations = 200;
    const auto pages = std::make_shared<RowPages>(std::size_t{1} << 40);  // evicts no page; only counts rows
    Model model(Dataset::Builder()
                    .borrow_real("x", x_, {features})
                    .borrow_integer("y", y_)
                    .in_random_order()
                    .paged(pages)
                    .build());
    const auto beta = model.parameter("beta", {features});
    model.prior(normal_lpdf(beta, 0, 1));
    model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
    SampleOptions options;
    options.method("sglm-cv").step_size(0.5);
    options.chains = chains;
    options.iterations = iterations;
    options.precondition = Precondition::dense;
    options.gradient.minibatch.sampling = RowSampling::slices;
    options.gradient.minibatch.batch_size = 500;
    const SampleResult found = sample(model, options);
    if (result) *result = found;
    return (static_cast<double>(pages->rows_visited()) - 500.0 * iterations * chains) / static_cast<double>(rows);
  }

  std::vector<float> x_;
  std::vector<std::int32_t> y_;
};

TEST_F(StreamedRows, MoreChains_TakeNoMorePasses) {
  SampleResult one;
  const double alone = passes(1, &one);
  EXPECT_FALSE(one.interrupted);
  EXPECT_LT(passes(4) - alone, 1.0) << "of which slices that the starts of chains are checked with";
}

}  // namespace
}  // namespace sgmcmc
