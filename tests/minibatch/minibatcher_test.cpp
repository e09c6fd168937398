// Tests of Minibatcher: a pure function of (seed, chain, evaluation), look-ahead, weights, no allocation.
#include "minibatch/minibatcher.hpp"
#include "allocations/allocation_count.hpp"
#include "minibatch/chi_square.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <set>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

using Rows = std::vector<std::uint32_t>;
using testing::allocation_count;

constexpr RowSampling every_sampling[] = {RowSampling::without_replacement, RowSampling::with_replacement,
                                          RowSampling::shuffled_epochs, RowSampling::weighted, RowSampling::slices};

MinibatchOptions options_of(RowSampling sampling, std::int64_t rows, std::int64_t batch_size) {
  MinibatchOptions options;
  options.batch_size = batch_size;
  options.sampling = sampling;
  if (sampling == RowSampling::weighted) {
    for (std::int64_t row = 0; row < rows; ++row) {
      options.row_probabilities.push_back(1.0 + static_cast<double>(row % 7));
    }
  }
  return options;
}

Rows rows_of(const RowBatch& batch) {
  Rows rows;
  for (std::uint32_t position = 0; position < batch.count; ++position) rows.push_back(batch.row(position));
  return rows;
}

Rows next_rows_of(const RowBatch& batch) {
  if (batch.next_indices) return Rows(batch.next_indices, batch.next_indices + batch.next_count);
  Rows rows;
  for (std::uint32_t k = 0; k < batch.next_count; ++k) rows.push_back(batch.next_first + k);
  return rows;
}

std::string refusal_of(const MinibatchOptions& options, std::int64_t rows) {
  try {
    options.validate(rows);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(Minibatcher, AnyOrderOfAsking_GivesTheSameRows) {
  for (const RowSampling sampling : every_sampling) {
    const MinibatchOptions options = options_of(sampling, 1000, 30);
    Minibatcher minibatcher(1000, options, 5, 2);
    std::vector<Rows> in_order;
    for (std::uint64_t evaluation = 0; evaluation < 50; ++evaluation) {
      in_order.push_back(rows_of(minibatcher.batch(evaluation)));
    }
    for (const std::uint64_t evaluation : {7, 3, 7, 8, 7, 9, 8, 49, 48, 0, 1, 0}) {
      EXPECT_EQ(rows_of(minibatcher.batch(evaluation)), in_order[evaluation]);
    }
    Minibatcher late(1000, options, 5, 2);
    EXPECT_EQ(rows_of(late.batch(33)), in_order[33]);
  }
}

TEST(Minibatcher, NextIndices_AreTheRowsOfTheNextEvaluation) {
  for (const RowSampling sampling : every_sampling) {
    Minibatcher minibatcher(200, options_of(sampling, 200, 30), 5, 2);
    Rows announced = next_rows_of(minibatcher.batch(0));
    for (const std::uint64_t evaluation : {1, 2, 3, 4}) {
      const RowBatch& batch = minibatcher.batch(evaluation);
      EXPECT_EQ(rows_of(batch), announced);
      announced = next_rows_of(batch);
    }
  }
}

TEST(Minibatcher, NextBatch_IsReadWhereItWasAnnounced) {
  Minibatcher minibatcher(1000, options_of(RowSampling::without_replacement, 1000, 10), 5, 2);
  const std::uint32_t* announced = minibatcher.batch(4).next_indices;
  EXPECT_EQ(minibatcher.batch(5).indices, announced);
}

TEST(Minibatcher, OtherSeedOrChain_GivesOtherRows) {
  for (const RowSampling sampling : every_sampling) {
    const MinibatchOptions options = options_of(sampling, 1000, 30);
    Minibatcher here(1000, options, 5, 2), seed(1000, options, 6, 2), chain(1000, options, 5, 3);
    Minibatcher copied = here.for_chain(3);
    EXPECT_NE(rows_of(here.batch(0)), rows_of(seed.batch(0)));
    EXPECT_NE(rows_of(here.batch(0)), rows_of(chain.batch(0)));
    EXPECT_EQ(rows_of(copied.batch(0)), rows_of(chain.batch(0)));
    EXPECT_NE(rows_of(here.batch(0)), rows_of(here.batch(1)));
  }
}

TEST(Minibatcher, UniformSchemes_WeighEveryRowByRowsOverBatchSize) {
  for (const RowSampling sampling : {RowSampling::without_replacement, RowSampling::with_replacement,
                                     RowSampling::shuffled_epochs, RowSampling::slices}) {
    Minibatcher minibatcher(1000, options_of(sampling, 1000, 30), 5, 2);
    for (const std::uint64_t evaluation : {0, 33, 34}) {
      const RowBatch& batch = minibatcher.batch(evaluation);
      EXPECT_EQ(batch.count, 30u);
      EXPECT_EQ(batch.weights, nullptr);
      EXPECT_EQ(batch.uniform_weight, 1000.0 / 30.0);
    }
  }
}

TEST(Minibatcher, Slices_AreConsecutiveRowsAndGoOnAtTheFirst) {
  Minibatcher minibatcher(40, options_of(RowSampling::slices, 40, 7), 5, 2);
  std::vector<int> starts(40);
  for (std::uint64_t evaluation = 0; evaluation < 2000; ++evaluation) {
    const RowBatch& batch = minibatcher.batch(evaluation);
    const Rows rows = rows_of(batch);
    ++starts[rows[0]];
    EXPECT_EQ(batch.indices == nullptr, rows[0] <= 33) << "a stretch, unless it goes beyond the end";
    for (std::uint32_t k = 1; k < 7; ++k) ASSERT_EQ(rows[k], (rows[0] + k) % 40);
  }
  for (const int count : starts) EXPECT_NEAR(count, 50, 36);  // 5 standard deviations: 1e-5 for all rows together
}

TEST(Minibatcher, Weighted_WeighsEveryRowByItsInverseProbability) {
  const MinibatchOptions options = options_of(RowSampling::weighted, 700, 30);
  Minibatcher minibatcher(700, options, 5, 2);
  const double sum = 100.0 * 28.0;
  for (std::uint64_t evaluation = 0; evaluation < 20; ++evaluation) {
    const RowBatch& batch = minibatcher.batch(evaluation);
    ASSERT_NE(batch.weights, nullptr);
    for (std::uint32_t position = 0; position < batch.count; ++position) {
      const double probability = options.row_probabilities[batch.row(position)] / sum;
      EXPECT_NEAR(batch.weights[position] * 30 * probability, 1, 1e-5);
    }
  }
}

TEST(Minibatcher, Weighted_DrawsFollowTheProbabilities) {
  const MinibatchOptions options = options_of(RowSampling::weighted, 70, 20);
  Minibatcher minibatcher(70, options, 5, 2);
  std::vector<std::uint64_t> counts(70, 0);
  for (std::uint64_t evaluation = 0; evaluation < 10'000; ++evaluation) {
    for (const std::uint32_t row : rows_of(minibatcher.batch(evaluation))) ++counts[row];
  }
  std::vector<double> probabilities = options.row_probabilities;
  for (double& value : probabilities) value /= 280.0;
  EXPECT_GT(fit_p_value(counts, probabilities), false_alarm);
  EXPECT_LT(uniform_p_value(counts), false_alarm);  // mutant: probabilities ignored
}

TEST(Minibatcher, WithReplacement_DrawsPairsIndependently) {
  Minibatcher minibatcher(12, options_of(RowSampling::with_replacement, 12, 2), 5, 2);
  Minibatcher mutant(12, options_of(RowSampling::without_replacement, 12, 2), 5, 2);
  std::vector<std::uint64_t> pairs(144, 0), mutant_pairs(144, 0);
  for (std::uint64_t evaluation = 0; evaluation < 20'000; ++evaluation) {
    const Rows rows = rows_of(minibatcher.batch(evaluation)), different = rows_of(mutant.batch(evaluation));
    ++pairs[rows[0] * 12 + rows[1]];
    ++mutant_pairs[different[0] * 12 + different[1]];
  }
  EXPECT_GT(uniform_p_value(pairs), false_alarm);
  EXPECT_LT(uniform_p_value(mutant_pairs), false_alarm);
}

TEST(Minibatcher, ConsecutiveEvaluations_AreIndependent) {
  auto p_value = [](RowSampling sampling) {
    Minibatcher minibatcher(12, options_of(sampling, 12, 1), 5, 2);
    std::vector<std::uint64_t> pairs(144, 0);
    for (std::uint64_t evaluation = 0; evaluation < 40'000; evaluation += 2) {
      const std::uint32_t first = minibatcher.batch(evaluation).row(0);
      ++pairs[first * 12 + minibatcher.batch(evaluation + 1).row(0)];
    }
    return uniform_p_value(pairs);
  };
  EXPECT_GT(p_value(RowSampling::without_replacement), false_alarm);
  EXPECT_LT(p_value(RowSampling::shuffled_epochs), false_alarm);  // mutant: never twice the same row in an epoch
}

TEST(Minibatcher, ShuffledEpochs_VisitEveryRowOncePerEpochAcrossBatches) {
  constexpr std::uint32_t rows = 103, count = 10;
  Minibatcher minibatcher(rows, options_of(RowSampling::shuffled_epochs, rows, count), 5, 2);
  Rows visited;
  for (std::uint64_t evaluation = 0; evaluation < rows; ++evaluation) {  // ten epochs
    for (const std::uint32_t row : rows_of(minibatcher.batch(evaluation))) visited.push_back(row);
  }
  std::set<Rows> orders;
  for (auto start = visited.begin(); start != visited.end(); start += rows) {
    Rows epoch(start, start + rows);
    orders.insert(epoch);
    std::sort(epoch.begin(), epoch.end());
    for (std::uint32_t row = 0; row < rows; ++row) ASSERT_EQ(epoch[row], row);
  }
  EXPECT_EQ(orders.size(), 10u);
}

TEST(Minibatcher, BatchOfAllRows_IsOneConsecutiveStretch) {
  for (const RowSampling sampling : {RowSampling::without_replacement, RowSampling::shuffled_epochs}) {
    Minibatcher minibatcher(1000, options_of(sampling, 1000, 1000), 5, 2);
    const RowBatch& batch = minibatcher.batch(3);
    EXPECT_EQ(batch.indices, nullptr);
    EXPECT_EQ(batch.next_indices, nullptr);
    EXPECT_EQ(batch.first, 0u);
    EXPECT_EQ(batch.count, 1000u);
    EXPECT_EQ(batch.uniform_weight, 1.0);
  }
}

TEST(Minibatcher, DefaultBatchSize_IsFiveHundredOrAllRows) {
  EXPECT_EQ(Minibatcher(10'000, {}, 1, 0).batch_size(), 500u);
  EXPECT_EQ(Minibatcher(37, {}, 1, 0).batch_size(), 37u);
  Minibatcher without_rows(0, {}, 1, 0);
  EXPECT_EQ(without_rows.batch(0).count, 0u);
}

TEST(Minibatcher, Batches_AllocateNothing) {
  const std::uint64_t start = allocation_count();
  ::operator delete(::operator new(1));
  ASSERT_EQ(allocation_count(), start + 1);  // the counter counts
  for (const RowSampling sampling : every_sampling) {
    for (const std::int64_t count : {10, 300, 900}) {
      Minibatcher minibatcher(1000, options_of(sampling, 1000, count), 5, 2);
      const std::uint64_t before = allocation_count();
      for (std::uint64_t evaluation = 0; evaluation < 20; ++evaluation) minibatcher.batch(evaluation);
      EXPECT_EQ(allocation_count(), before);
    }
  }
}

TEST(MinibatchOptions, Mistakes_AreNamedWithTheAllowedRange) {
  MinibatchOptions options;
  options.batch_size = 600;
  EXPECT_EQ(refusal_of(options, 500), "batch_size is 600 but the data have 500 rows; use at most 500");
  options.batch_size = -1;
  EXPECT_EQ(refusal_of(options, 500), "batch_size is -1; use 1 to 500, or 0 for the default");
  options.batch_size = 500;
  EXPECT_EQ(refusal_of(options, 500), "(accepted)");

  options.row_probabilities.assign(500, 1.0);
  EXPECT_NE(refusal_of(options, 500).find("sampling is not weighted"), std::string::npos);
  options.sampling = RowSampling::weighted;
  EXPECT_EQ(refusal_of(options, 500), "(accepted)");
  EXPECT_NE(refusal_of(options, 501).find("row_probabilities has 500 entries but the data have 501 rows"),
            std::string::npos);
  for (const double wrong : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    options.row_probabilities[17] = wrong;
    EXPECT_NE(refusal_of(options, 500).find("row_probabilities of row 17 is"), std::string::npos);
  }
}

}  // namespace
}  // namespace sgmcmc
