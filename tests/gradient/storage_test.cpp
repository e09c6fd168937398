// Tests that results do not depend on how rows are stored: packed doubles, borrowed single precision, or rows of a
// mapped file whose pages are released, which gives bit-identical results.
#include "data/mapped_file.hpp"
#include "data/row_pages.hpp"
#include "data/store.hpp"
#include "data/written_files.hpp"
#include "gradient/estimators.hpp"
#include "gradient/row_curvature.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::int64_t rows = 70'000, features = 20;

struct Numbers {
  std::vector<float> x;
  std::vector<double> x_wide;
  std::vector<std::int32_t> y;

  Numbers() {
    std::vector<double> normal(static_cast<std::size_t>(rows * features)), uniform(rows);
    fill_normal({.seed = 1, .purpose = Purpose::data}, normal);
    fill_uniform({.seed = 2, .purpose = Purpose::data}, uniform);
    for (const double value : normal) {
      x.push_back(static_cast<float>(value));
      x_wide.push_back(static_cast<double>(x.back()));
    }
    for (const double value : uniform) y.push_back(value < 0.4 ? 1 : 0);
  }
};

std::shared_ptr<const LogPosterior> posterior_of(Dataset data) {
  Model model(std::move(data));
  const auto beta = model.parameter("beta", {features});
  model.prior(normal_lpdf(beta, 0, 1));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  return std::make_shared<const LogPosterior>(std::move(model));
}

/// Samples of everything that a run computes from rows.
std::vector<double> results_of(Dataset data, RowSampling sampling, int threads) {
  const auto posterior = posterior_of(std::move(data));
  ThreadPool pool(threads);
  std::vector<double> theta(features), all;
  for (std::size_t k = 0; k < theta.size(); ++k) theta[k] = 0.01 * static_cast<double>(k) - 0.1;
  const auto keep = [&](const std::vector<double>& values) { all.insert(all.end(), values.begin(), values.end()); };
  std::vector<double> both(features + 1), gradient(features), variance(features);
  const auto executor = posterior->executor(ProgramKind::value_and_gradient, {Precision::float64, 0, &pool});
  executor->set_point(Point::current, theta);
  executor->run(posterior->all_rows(), both);
  keep(both);
  const auto curvature = row_curvature(*posterior, theta, posterior->all_rows(), &pool);
  if (!curvature) ADD_FAILURE() << "no curvature";
  keep({curvature->data(), curvature->data() + curvature->size()});
  GradientOptions options;
  options.estimator = Estimator::control_variate;
  options.minibatch.sampling = sampling;
  const auto centre = make_centre(*posterior, std::vector<double>(features, 0.02), {Precision::float64, 0, &pool});
  const auto estimator = make_estimator(posterior, options, 3, 0, centre);
  for (std::uint64_t t = 0; t < 60; ++t) {
    estimator->estimate_with_variance(theta, t, gradient, variance);
    keep(gradient);
    keep(variance);
  }
  return all;
}

/// The first place where they differ; -1: nowhere.
std::ptrdiff_t first_difference(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (std::memcmp(&a[i], &b[i], sizeof(double)) != 0) return static_cast<std::ptrdiff_t>(i);
  return a.size() == b.size() ? -1 : static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
}

// Not to the bit: of a product and a fused sum of products the compiler may round either first, and it need not choose
// alike in the loops for single and for double precision.
TEST(Storage, SinglePrecisionInPlace_GivesTheNumbersOfPackedDoubles) {
  const Numbers numbers;
  for (const auto sampling : {RowSampling::without_replacement, RowSampling::slices}) {
    const auto packed = results_of(
        Dataset::Builder().real("x", numbers.x_wide, {features}).integer("y", numbers.y).build(), sampling, 2);
    const auto in_place = results_of(
        Dataset::Builder().borrow_real("x", numbers.x, {features}).integer("y", numbers.y).build(), sampling, 1);
    ASSERT_EQ(packed.size(), in_place.size());
    double largest = 0;
    for (const double value : packed) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < packed.size(); ++i) ASSERT_NEAR(packed[i], in_place[i], 1e-13 * largest) << i;
  }
}

TEST(Storage, SlicesOfGroupedRows_AreRefused) {
  const Numbers numbers;
  const Dataset data = Dataset::Builder().real("x", numbers.x, {features}).integer("y", numbers.y).build();
  results_of(data, RowSampling::slices, 1);
  data.store().set_group_by("y");
  EXPECT_THROW(results_of(data, RowSampling::slices, 1), OptionError);
  results_of(data, RowSampling::with_replacement, 1);
}

TEST(Storage, PagesThatAreLetGo_ChangeNothing) {
  const Numbers numbers;
  const testing::WrittenFiles files;
  const std::size_t x_bytes = numbers.x.size() * sizeof(float), y_bytes = numbers.y.size() * sizeof(std::int32_t);
  std::string bytes(x_bytes + y_bytes, '\0');
  std::memcpy(bytes.data(), numbers.x.data(), x_bytes);
  std::memcpy(bytes.data() + x_bytes, numbers.y.data(), y_bytes);
  const auto file = std::make_shared<const MappedFile>(files.write("rows", bytes));
  const auto* x = reinterpret_cast<const float*>(file->bytes().data());
  const auto* y = reinterpret_cast<const std::int32_t*>(file->bytes().data() + x_bytes);
  const auto data = [&](std::size_t most_bytes, bool padded = false) {
    Dataset::Builder builder;
    if (padded) builder.padded();
    builder.borrow_real("x", std::span(x, numbers.x.size()), {features});
    builder.borrow_integer("y", std::span(y, numbers.y.size())).keep(file).in_random_order();
    if (most_bytes > 0) {
      auto pages = std::make_shared<RowPages>(most_bytes);
      pages->add(file, reinterpret_cast<const std::byte*>(x), features * sizeof(float));
      pages->add(file, reinterpret_cast<const std::byte*>(y), sizeof(std::int32_t));
      builder.paged(pages);
    }
    return builder.build();
  };
  for (const auto sampling : {RowSampling::slices, RowSampling::without_replacement}) {
    for (const bool padded : {false, true}) {
      const auto whole = results_of(data(0, padded), sampling, 1);
      for (const std::size_t most_bytes : {std::size_t{1}, std::size_t{1} << 20, std::size_t{64} << 20})
        for (const int threads : {1, 2, 3})
          EXPECT_EQ(first_difference(whole, results_of(data(most_bytes, padded), sampling, threads)), -1) << most_bytes;
    }
    const auto plain = results_of(data(0, false), sampling, 1), padded = results_of(data(0, true), sampling, 1);
    double largest = 0;
    for (const double value : plain) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_NEAR(plain[i], padded[i], 1e-13 * largest) << i;
  }
}

}  // namespace
}  // namespace sgmcmc
