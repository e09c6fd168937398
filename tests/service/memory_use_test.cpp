// Tests of the memory that a run says it will use: every method that keeps numbers for each row counts them, and is
// refused with another to use instead.
#include "service/sampling/memory_use.hpp"

#include "data/store.hpp"

#include <sgmcmc/distributions.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::int64_t rows = 1000;

/// Rows in memory of the caller, so that no byte of them counts as packed.
struct Rows {
  std::vector<double> x = std::vector<double>(rows, 1.0);
  std::vector<std::int32_t> group = std::vector<std::int32_t>(rows);

  Rows() {
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = static_cast<std::int32_t>(i % 10);
  }
  Dataset::Builder builder() const {
    Dataset::Builder made;
    made.borrow_real("x", x).borrow_integer("group", group);
    return made;
  }
  Model plain(bool shuffled) const {
    Dataset::Builder made = builder();
    if (shuffled) made.in_random_order();
    Model model(made.build());
    const Expression mean = model.parameter("mean", {});
    model.prior(normal_lpdf(mean, 0, 1));
    model.likelihood(normal_lpdf(model.row("x"), mean, 1));
    return model;
  }
  Model hierarchical() const {
    Model model(builder().in_random_order().build());
    const Expression mean = model.parameter("mean", {});
    const Expression effect = model.parameter("effect", {10});
    model.prior(normal_lpdf(mean, 0, 1) + sum(normal_lpdf(effect, mean, 1)));
    model.likelihood(normal_lpdf(model.row("x"), gather(effect, model.row("group")), 1));
    return model;
  }
};

SampleOptions method(const std::string& name, RowSampling sampling) {
  SampleOptions options;
  options.method(name);
  options.chains = 2;
  options.gradient.minibatch.sampling = sampling;
  return options;
}

/// The refusal with a limit just below what the run needs for rows; nothing is refused just above it.
std::string refusal(const Model& model, const SampleOptions& options, double bytes) {
  const MemoryUse use = expected_memory(model, options);
  EXPECT_EQ(use.packed, 0);
  EXPECT_EQ(use.per_row, bytes);
  EXPECT_EQ(too_much_memory(use, model, options, 2 * bytes), "");
  EXPECT_EQ(too_much_memory(use, model, options, 0), "") << "no limit";
  return too_much_memory(use, model, options, 2 * bytes - 2);
}

TEST(MemoryUse, ProbabilitiesOfRows_AreRefusedWithSlicesInstead) {
  const Rows data;
  for (const RowSampling sampling : {RowSampling::preferential, RowSampling::weighted}) {
    const std::string of_arrays = refusal(data.plain(false), method("sgld-cv", sampling), 28 * rows);
    EXPECT_NE(of_arrays.find("for the probabilities with which rows are drawn, more than half of it. Write the data to "
                             "a row file with sgmcmc pack"),
              std::string::npos)
        << of_arrays;
    const std::string of_row_file = refusal(data.plain(true), method("sgld-cv", sampling), 28 * rows);
    EXPECT_NE(of_row_file.find("Draw slices of the row file instead"), std::string::npos) << of_row_file;
  }
  SampleOptions automatic = method("auto", RowSampling::without_replacement);
  EXPECT_NE(refusal(data.plain(false), automatic, 28 * rows).find("Write the data to a row file"), std::string::npos);
}

TEST(MemoryUse, TablesOfGradients_AreRefusedWithControlVariatesInstead) {
  const Rows data;
  const std::string refused = refusal(data.plain(true), method("sgld-saga", RowSampling::slices),
                                      8 * rows * 1 /* parameter */ * 2 /* chains */);
  EXPECT_NE(refused.find("for a gradient of every row and chain, more than half of it. Use control variates (-cv)"),
            std::string::npos)
      << refused;
}

TEST(MemoryUse, ListsOfGroups_AreRefusedWithMinibatchesOfRowsInstead) {
  const Rows data;
  const Model model = data.hierarchical();
  for (const char* name : {"marginal-nuts", "marginal-metropolis", "marginal-sglm"}) {
    const std::string refused = refusal(model, method(name, RowSampling::slices), 4 * rows);
    EXPECT_NE(refused.find("for lists of the rows of each group, more than half of it. Use sghmc-cv"),
              std::string::npos)
        << refused;
  }
  const std::string automatic = refusal(model, method("auto", RowSampling::slices), 4 * rows);
  EXPECT_NE(automatic.find("Name a method that keeps nothing for each row, such as sghmc-cv"), std::string::npos)
      << automatic;
}

TEST(MemoryUse, RowsOfAGroupTogether_NeedNoLists) {
  const Rows data;
  const Model model = data.hierarchical();
  for (const char* name : {"marginal-nuts", "marginal-sglm", "auto"})
    EXPECT_NE(refusal(model, method(name, RowSampling::slices), 4 * rows)
                  .find("or pack the data with group-by group, which keeps the rows of a group together"),
              std::string::npos);
  model.data().store().set_group_by("other");
  EXPECT_EQ(expected_memory(model, method("marginal-sglm", RowSampling::with_replacement)).per_row, 4 * rows);
  model.data().store().set_group_by("group");
  for (const char* name : {"marginal-nuts", "marginal-metropolis", "marginal-sglm", "auto"})
    EXPECT_EQ(expected_memory(model, method(name, RowSampling::with_replacement)).per_row, 0) << name;
}

TEST(MemoryUse, OtherEstimatorsAndSamplings_KeepNothingForRows) {
  const Rows data;
  const Model model = data.plain(true);
  for (const char* name :
       {"sgld", "sgld-cv", "sgld-svrg", "sgld-full", "sghmc-cv", "nuts", "laplace", "hmc-ecs", "auto"})
    for (const RowSampling sampling :
         {RowSampling::slices, RowSampling::with_replacement, RowSampling::shuffled_epochs}) {
      if (std::string(name) == "auto" && sampling != RowSampling::slices) continue;
      EXPECT_EQ(expected_memory(model, method(name, sampling)).per_row, 0) << name;
    }
}

}  // namespace
}  // namespace sgmcmc
