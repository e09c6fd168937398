// Data whose groups have their rows together: the same density as in any other order, from disk the same bits as from
// memory, and groups with more rows than fit into a chunk.
#include "groups/group_models.hpp"

#include "base/thread_pool.hpp"
#include "data/row_pages.hpp"
#include "data/store.hpp"
#include "data/written_files.hpp"
#include "groups/group_pass.hpp"
#include "groups/group_target.hpp"
#include "groups/marginal_estimator.hpp"
#include "groups/split_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string>

namespace sgmcmc::testing {
namespace {

/// The same rows with those of each group together; groups in no order.
GroupData put_together(const GroupData& data) {
  std::vector<std::size_t> order(data.group.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return data.group[a] * 37 % 101 < data.group[b] * 37 % 101; });
  GroupData sorted = data;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.group[i] = data.group[order[i]];
    sorted.count[i] = data.count[order[i]];
    sorted.y[i] = data.y[order[i]];
    sorted.x[i] = data.x[order[i]];
  }
  return sorted;
}

MarginalPosterior marginal_of(const Model& model) { return {model, *find_groups(model).model}; }

std::vector<double> density_and_gradient(const MarginalPosterior& posterior, const std::vector<double>& phi,
                                         ThreadPool* pool = nullptr) {
  GroupPass pass(posterior, pool);
  std::vector<double> both(1 + phi.size());
  both[0] = pass.log_density(phi, std::span(both).subspan(1));
  return both;
}

void expect_near(const std::vector<double>& some, const std::vector<double>& other) {
  ASSERT_EQ(some.size(), other.size());
  for (std::size_t k = 0; k < some.size(); ++k) EXPECT_NEAR(some[k], other[k], 1e-9 * (1 + std::abs(other[k]))) << k;
}

TEST(GroupedRows, TogetherInAnyOrder_HaveTheSameDensity) {
  const GroupData data(50, 700, 3);
  const std::vector<double> phi = {0.2, -0.3, -0.4, -0.6};
  const auto scattered = marginal_of(logistic_effects(data, 50, true));
  const auto together = marginal_of(logistic_effects(put_together(data), 50, true));
  EXPECT_NE(scattered.row_order(), nullptr);
  EXPECT_EQ(together.row_order(), nullptr) << "no list of rows";
  expect_near(density_and_gradient(together, phi), density_and_gradient(scattered, phi));
  const GroupPass pass(together, nullptr);
  std::uint32_t next = 0;
  for (const std::uint32_t group : pass.groups()) {
    EXPECT_EQ(together.first_row(group), next) << "a pass reads rows in order";
    next += together.rows_of(group);
  }
  EXPECT_EQ(next, 700U);
}

TEST(GroupedRows, NormalModels_KnowTheSumsOfEachGroup) {
  const GroupData data(50, 700, 4);
  const auto scattered = marginal_of(gaussian_intercepts(data, 50, true));
  const auto together = marginal_of(gaussian_intercepts(put_together(data), 50, true));
  ASSERT_TRUE(together.rows_are_known());
  expect_near(together.known_rows(), scattered.known_rows());
}

TEST(GroupedRows, ModesAndGradientsOfGroups_AreAtThePlaceOfTheirNumber) {
  const GroupData data(40, 500, 5);
  const std::vector<double> phi = {0.2, -0.3, -0.4};
  const auto found = [&](const GroupData& rows) {
    const auto posterior = marginal_of(logistic_effects(rows, 40, false));
    GroupPass pass(posterior, nullptr);
    std::vector<double> all(40 * 4);
    pass.modes(phi, std::span(all).first(40));
    pass.each_gradient(phi, [&](std::span<const std::uint32_t> groups, std::span<const double> each) {
      for (std::size_t s = 0; s < groups.size(); ++s) std::copy_n(&each[s * 3], 3, &all[40 + groups[s] * 3]);
    });
    return all;
  };
  expect_near(found(put_together(data)), found(data));
}

TEST(GroupedRows, PiecesOfSplitGroups_AreStretchesWithEveryRowOnce) {
  GroupData data(6, 400, 2);
  for (std::size_t i = 6; i < 400; i += 2) data.group[i] = 1;
  const GroupData together = put_together(data);
  const Model model = logistic_effects(together, 6, false);
  model.data().store().set_group_by("g");
  const auto split = split_groups(model, *find_groups(model).model, {150, 16, 60});
  const MarginalPosterior posterior(model, split);
  EXPECT_EQ(posterior.row_order(), nullptr);
  std::vector<int> seen(400, 0);
  std::uint32_t largest_piece = 0;
  for (std::uint32_t unit = 0; unit < posterior.group_count(); ++unit) {
    if (posterior.kind(unit) == MarginalPosterior::Kind::piece)
      largest_piece = std::max(largest_piece, posterior.rows_of(unit));
    for (std::uint32_t i = 0; i < posterior.rows_of(unit); ++i) ++seen[posterior.first_row(unit) + i];
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 400);
  EXPECT_LE(largest_piece, 20U);
  const std::vector<double> phi = {0.2, -0.3, -0.4, 0.5};
  const Model scattered = logistic_effects(data, 6, false);
  const MarginalPosterior other(scattered, split_groups(scattered, *find_groups(scattered).model, {150, 16, 60}));
  expect_near(density_and_gradient(posterior, phi), density_and_gradient(other, phi));
}

TEST(GroupedRows, GroupsLargerThanAWindow_HaveTheSameIntegralsAndDraws) {
  GroupData data(6, 1500, 2);
  for (std::size_t i = 6; i < 1500; i += 2) data.group[i] = 3;
  for (const bool together : {false, true})
    for (const int kind : {0, 1, 2}) {
      const GroupData rows = together ? put_together(data) : data;
      const Model model = kind == 0 ? gaussian_intercepts(rows, 6, false) : logistic_effects(rows, 6, kind == 2);
      const auto posterior = marginal_of(model);
      const std::vector<double> phi = kind == 0   ? std::vector<double>{0.2, -0.3}
                                      : kind == 1 ? std::vector<double>{0.2, -0.3, -0.4}
                                                  : std::vector<double>{0.2, -0.3, -0.4, -0.6};
      const std::vector<std::uint32_t> groups = {0, 1, 2, 3, 4, 5};
      const std::vector<double> weights = {1, 2, 3, 0.5, 1, 1};
      const auto found = [&](std::size_t most_rows) {
        GroupEvaluator evaluator(posterior, most_rows);
        evaluator.set_phi(phi);
        std::vector<double> gradient(phi.size(), 0.0), each(6 * phi.size()), modes(6 * posterior.width()),
            draws(modes.size());
        std::vector<double> all = {evaluator.integrate(groups, nullptr, {}),
                                   evaluator.integrate(groups, weights.data(), gradient)};
        evaluator.gradients(groups, each);
        evaluator.modes(groups, modes);
        evaluator.draw(groups, {1, 0, 0, Purpose::latent}, draws);
        for (const auto* numbers : {&gradient, &each, &modes, &draws})
          all.insert(all.end(), numbers->begin(), numbers->end());
        return all;
      };
      const auto expected = found(GroupEvaluator::rows_of_window);
      for (const std::size_t most_rows : {64U, 100U, 737U}) expect_near(found(most_rows), expected);
    }
}

/// The rows of GroupData in a mapped file, as a row file has them, with a limit for the memory of their pages.
class RowsOnDisk {
 public:
  explicit RowsOnDisk(const GroupData& data) : rows_(data.group.size()) {
    const auto bytes = [](const auto& values) {
      return std::string(reinterpret_cast<const char*>(values.data()), sizeof values[0] * values.size());
    };
    file_ = std::make_shared<const MappedFile>(
        files_.write("rows", bytes(data.x) + bytes(data.group) + bytes(data.count) + std::string(4096, '\0')));
  }
  Dataset dataset(bool on_disk) const {
    const std::byte* begin = file_->bytes().data();
    const std::size_t groups = sizeof(double) * rows_, hits = groups + sizeof(std::int32_t) * rows_;
    const auto integers = [&](std::size_t at) {
      return std::span(reinterpret_cast<const std::int32_t*>(begin + at), rows_);
    };
    Dataset::Builder builder;
    builder.borrow_real("x", std::span(reinterpret_cast<const double*>(begin), rows_));
    builder.borrow_integer("g", integers(groups)).borrow_integer("hit", integers(hits));
    if (on_disk) {
      auto pages = std::make_shared<RowPages>(std::size_t{1} << 16);
      pages->add(file_, begin, sizeof(double));
      pages->add(file_, begin + groups, sizeof(std::int32_t));
      pages->add(file_, begin + hits, sizeof(std::int32_t));
      builder.paged(std::move(pages));
    }
    Dataset data = builder.keep(file_).build();
    data.store().set_group_by("g");
    return data;
  }

 private:
  std::size_t rows_;
  WrittenFiles files_;
  std::shared_ptr<const MappedFile> file_;
};

Model logistic_intercepts(Dataset data, std::int64_t groups) {
  Model model(std::move(data));
  const auto b = model.parameter("b", {2});
  const auto tau = model.parameter("tau", {}, Constraint::lower(0.0));
  const auto theta = model.parameter("theta", {groups});
  model.prior(normal_lpdf(b, 0.0, 2.0));
  model.prior(normal_lpdf(tau, 0.0, 1.0));
  model.prior(normal_lpdf(theta, 0.0, tau));
  model.likelihood(
      bernoulli_logit_lpmf(model.row("hit"), b[0] + b[1] * model.row("x") + gather(theta, model.row("g"), 1)));
  return model;
}

TEST(GroupedRows, OnDisk_GiveTheBitsOfRowsInMemory) {
  GroupData data(120, 5000, 6);
  for (std::size_t i = 121; i < 5000; i += 3) data.group[i] = 7;
  for (const bool together : {true, false}) {
    const RowsOnDisk rows(together ? put_together(data) : data);
    const auto found = [&](bool on_disk, int threads) {
      const Model model = logistic_intercepts(rows.dataset(on_disk), 120);
      ThreadPool pool(threads);
      std::vector<double> all =
          density_and_gradient(marginal_of(model), {0.2, -0.3, -0.4}, threads > 1 ? &pool : nullptr);
      std::map<std::string, std::vector<double>> findings;
      MarginalSearch search;
      search.minibatches = true;
      const auto target = make_group_target(model, *find_groups(model).model, search, &pool, findings);
      all.insert(all.end(), target->mode.begin(), target->mode.end());
      MarginalControlVariates estimator(target, 20, 1, 0);
      std::vector<double> gradient(target->mode.size()), near = target->mode;
      for (double& x : near) x += 0.1;
      for (std::uint64_t t = 0; t < 20; ++t) {
        estimator.estimate(near, t, gradient);
        all.insert(all.end(), gradient.begin(), gradient.end());
      }
      GroupEvaluator evaluator(*target->posterior);
      std::vector<double> draws(120);
      std::vector<std::uint32_t> groups(120);
      for (std::uint32_t j = 0; j < 120; ++j) groups[j] = j;
      evaluator.set_phi(near);
      evaluator.draw(groups, {1, 0, 0, Purpose::latent}, draws);
      all.insert(all.end(), draws.begin(), draws.end());
      return all;
    };
    const auto expected = found(false, 1);
    EXPECT_EQ(found(true, 1), expected);
    EXPECT_EQ(found(true, 3), expected);
    EXPECT_EQ(found(false, 3), expected);
  }
}

}  // namespace
}  // namespace sgmcmc::testing
