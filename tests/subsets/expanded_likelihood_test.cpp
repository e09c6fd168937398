// Expanded likelihoods: the density is unchanged, and remainders of rows are of third order.
#include "subsets/expanded_likelihood.hpp"

#include "errors/message_of.hpp"
#include "model/log_posterior.hpp"

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>

namespace sgmcmc::testing {
namespace {

constexpr std::size_t rows = 60;

std::vector<double> normals(std::size_t count, std::uint64_t which, double sd = 1) {
  std::vector<double> x(count);
  fill_normal({9, 0, which, Purpose::data}, x);
  for (double& each : x) each *= sd;
  return x;
}

Dataset data() {
  std::vector<std::int32_t> hit(rows), level(rows), category(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    hit[i] = static_cast<std::int32_t>((i * i) % 3 == 1);
    level[i] = static_cast<std::int32_t>(i % 4 + 1);
    category[i] = level[i] - 1;
  }
  return Dataset::Builder()
      .real("y", normals(rows, 1))
      .real("x", normals(rows * 3, 2), Shape{3})
      .integer("hit", hit)
      .integer("level", level)
      .integer("class", category)
      .build();
}

Expression shrunken(Model& model) {
  const auto z = model.parameter("z", {3});
  const auto local = model.parameter("local", {3}, Constraint::lower(0.0));
  const auto global = model.parameter("global", {}, Constraint::lower(0.0));
  model.prior(std_normal_lpdf(z));
  model.prior(cauchy_lpdf(local, 0.0, 1.0));
  model.prior(cauchy_lpdf(global, 0.0, 1.0));
  return z * local * global;
}

const std::map<std::string, std::function<void(Model&)>>& models() {
  static const std::map<std::string, std::function<void(Model&)>> all = {
      {"logistic horseshoe",
       [](Model& model) {
         const auto beta = shrunken(model);
         model.likelihood(bernoulli_logit_lpmf(model.row("hit"), 0.2 + dot(model.row("x"), beta)));
       }},
      {"normal regression",
       [](Model& model) {
         const auto beta = shrunken(model);
         const auto sigma = model.parameter("sigma", {}, Constraint::lower(0.0));
         model.prior(normal_lpdf(sigma, 0.0, 2.0));
         model.likelihood(normal_lpdf(model.row("y"), dot(model.row("x"), beta), sigma));
       }},
      {"Student regression, degrees free",
       [](Model& model) {
         const auto beta = shrunken(model);
         const auto nu = model.parameter("nu", {}, Constraint::lower(1.0));
         model.prior(gamma_lpdf(nu, 2.0, 0.1));
         model.likelihood(student_t_lpdf(model.row("y"), nu, dot(model.row("x"), beta), 0.7));
       }},
      {"Poisson with levels",
       [](Model& model) {
         const auto a = model.parameter("a", {4});
         const auto b = model.parameter("b", {3});
         model.prior(std_normal_lpdf(a));
         model.likelihood(
             poisson_log_lpmf(model.row("hit"), gather(a, model.row("level"), 1) + dot(model.row("x"), b)));
       }},
      {"softmax",
       [](Model& model) {
         const auto b = model.parameter("b", {4, 3});
         model.prior(std_normal_lpdf(b));
         model.likelihood(categorical_logit_lpmf(model.row("class"), matmul(b, model.row("x"))));
       }},
      {"product of coefficients",  // not linear in what rows see
       [](Model& model) {
         const auto b = model.parameter("b", {2});
         model.prior(std_normal_lpdf(b));
         model.likelihood(normal_lpdf(model.row("y"), exp(b[0]) + b[0] * b[1] * model.row("x")[0], 1.0));
       }},
  };
  return all;
}

double value_at(const LogPosterior& posterior, const std::vector<double>& theta) {
  auto executor = posterior.executor(ProgramKind::value_and_gradient, {});
  std::vector<double> both(theta.size() + 1);
  executor->set_point(Point::current, theta);
  executor->run(posterior.all_rows(), both);
  return both[0];
}

std::vector<double> seen_at(const SeenByRows& seen, const std::vector<double>& theta) {
  auto executor = make_executor(std::make_shared<const Program>(compile_program(seen.parts, {})), {},
                                static_cast<std::int64_t>(theta.size()));
  std::vector<double> s(static_cast<std::size_t>(seen.size));
  executor->set_point(Point::current, theta);
  executor->run({}, s);
  return s;
}

SumOfExpansions sum_at(const SeenByRows& seen, const std::vector<double>& centre) {
  const LogPosterior likelihood(seen.likelihood);
  SumOfExpansions sum;
  sum.centre = centre;
  const std::size_t size = centre.size();
  std::vector<double> both(size + 1), direction(size), column(size);
  auto executor = likelihood.executor(ProgramKind::value_and_gradient, {});
  executor->set_point(Point::current, centre);
  executor->run(likelihood.all_rows(), both);
  sum.value = both[0];
  sum.gradient.assign(both.begin() + 1, both.end());
  auto hessian = likelihood.executor(ProgramKind::hessian_vector, {});
  hessian->set_point(Point::current, centre);
  for (std::size_t j = 0; j < size; ++j) {
    direction.assign(size, 0.0);
    direction[j] = -1.0;
    hessian->set_point(Point::direction, direction);
    hessian->run(likelihood.all_rows(), column);
    sum.curvature.insert(sum.curvature.end(), column.begin(), column.end());
  }
  return sum;
}

class Remainders final : public RowConsumer {
 public:
  void consume(std::uint32_t, std::uint32_t count, const double* values, std::int64_t) override {
    for (std::uint32_t i = 0; i < count; ++i) size += std::abs(values[i]);
  }
  double size = 0;
};

double remainders_at(const LogPosterior& posterior, const std::vector<double>& theta) {
  auto executor = posterior.executor(ProgramKind::row_log_likelihoods, {});
  executor->set_point(Point::current, theta);
  Remainders all;
  executor->run_rows(posterior.all_rows(), all);
  return all.size;
}

TEST(ExpandedLikelihood, TheDensityIsTheSame) {
  for (const auto& [name, declare] : models()) {
    Model model(data());
    declare(model);
    const auto size = static_cast<std::size_t>(model.dimension());
    const auto seen = seen_by_rows(model);
    const LogPosterior before(model), after(expanded(model, seen, sum_at(seen, seen_at(seen, normals(size, 3, 0.3)))));
    for (std::uint64_t k = 0; k < 3; ++k) {
      const auto theta = normals(size, 10 + k, 0.7);
      const double expected = value_at(before, theta);
      EXPECT_NEAR(value_at(after, theta), expected, 1e-9 * (1 + std::abs(expected))) << name;
    }
  }
}

TEST(ExpandedLikelihood, RowsLeaveOutWhatIsOfThirdOrder) {
  for (const auto& [name, declare] : models()) {
    Model model(data());
    declare(model);
    const auto size = static_cast<std::size_t>(model.dimension());
    const auto seen = seen_by_rows(model);
    const auto centre = normals(size, 3, 0.3), direction = normals(size, 4);
    const LogPosterior after(expanded(model, seen, sum_at(seen, seen_at(seen, centre))));
    const auto at = [&](double distance) {
      auto theta = centre;
      for (std::size_t c = 0; c < size; ++c) theta[c] += distance * direction[c];
      return remainders_at(after, theta);
    };
    EXPECT_LT(at(0), 1e-11) << name;
    EXPECT_GT(at(0.02), 1e-9) << name << ": nothing is left out";
    EXPECT_NEAR(std::log2(at(0.02) / at(0.01)), 3.0, 0.25) << name;
  }
}

TEST(ExpandedLikelihood, RowsSeeCoefficientsAndOneNumberForAScale) {
  Model model(data());
  models().at("normal regression")(model);
  const auto seen = seen_by_rows(model);
  EXPECT_EQ(seen.size, 4);  // three coefficients and the logarithm of sigma, not its three scales
  EXPECT_EQ(seen.likelihood.dimension(), 4);
}

TEST(ExpandedLikelihood, WithoutRows_IsRefused) {
  Model model;
  model.prior(std_normal_lpdf(model.parameter("a")));
  EXPECT_NE(message_of<ModelError>([&] {
              seen_by_rows(model);
            }).find("needs a likelihood with rows, and this model has none. Use nuts"),
            std::string::npos);
}

}  // namespace
}  // namespace sgmcmc::testing
