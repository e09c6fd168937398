// Logistic regression as a user of the library writes it.
#include "engine.hpp"
#include "engine_chain.hpp"
#include "gradient/estimators.hpp"
#include "timing.hpp"

#include <sgmcmc/distributions.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace sgmcmc::bench {

struct EngineLogistic::Parts {
  Dataset data;
  Precision precision;
  std::int64_t features;
  Model model;
};

namespace {

Model logistic_model(const Dataset& data, std::int64_t features) {
  Model model(data);
  const Expression beta = model.parameter("beta", {features});
  model.prior(laplace_lpdf(beta, 0, 1));
  model.likelihood(bernoulli_logit_lpmf(model.row("y"), dot(model.row("x"), beta)));
  return model;
}

std::map<std::string, std::vector<double>> zero_start(std::int64_t features) {
  return {{"beta", std::vector<double>(static_cast<std::size_t>(features), 0.0)}};
}

}  // namespace

EngineLogistic::EngineLogistic(const LogisticProblem& problem, Precision precision) {
  Dataset data = Dataset::Builder(precision).real("x", problem.x, {problem.features}).integer("y", problem.y).build();
  parts_ = std::make_unique<Parts>(Parts{data, precision, problem.features, logistic_model(data, problem.features)});
}

EngineLogistic::~EngineLogistic() = default;

EngineChain EngineLogistic::sgld(const ChainSettings& settings) const {
  return engine_chain(parts_->model, parts_->precision, settings, zero_start(parts_->features));
}

std::function<void()> EngineLogistic::full_gradient(int threads) const {
  const auto pool = std::make_shared<ThreadPool>(threads);
  GradientOptions options;
  options.estimator = Estimator::full;
  options.precision = parts_->precision;
  const std::shared_ptr<GradientEstimator> estimator =
      make_estimator(std::make_shared<const LogPosterior>(parts_->model), options, 1, 0, nullptr, pool.get());
  const std::vector<double> theta(static_cast<std::size_t>(parts_->features), 0.1);
  return [pool, estimator, theta, gradient = std::vector<double>(theta.size())]() mutable {
    estimator->estimate(theta, 0, gradient);
  };
}

std::function<void()> EngineLogistic::nuts(int threads, int leapfrog_steps) const {
  SampleOptions options;
  options.method("nuts").step_size(1e-6);  // so short that no trajectory turns back before the depth it may reach
  auto& sampler = std::get<NutsOptions>(options.sampler);
  sampler.adapt = false;
  sampler.max_tree_depth = static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(leapfrog_steps)));
  options.warmup = 0;
  options.threads = threads;
  options.initial = zero_start(parts_->features);
  const auto chain = std::make_shared<Chain>(parts_->model, options);
  const auto names = statistic_names(options.sampler);
  const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), "n_leapfrog__") - names.begin());
  return [=] {
    chain->step();
    if (chain->statistics()[at] != leapfrog_steps) throw std::logic_error("a trajectory of nuts was cut short");
  };
}

double EngineLogistic::model_to_first_step_ms() const {
  return microseconds_of([&] {
           const Model model = logistic_model(parts_->data, parts_->features);
           engine_chain(model, parts_->precision, {}, zero_start(parts_->features)).step();
         }) /
         1000;
}

}  // namespace sgmcmc::bench
