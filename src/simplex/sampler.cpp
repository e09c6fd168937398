// The public sampler of probability vectors: checks arguments, adds the prior, calls the kernel.
#include "simplex/kernels.hpp"

#include "base/text.hpp"
#include "dynamics/kernel.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {

namespace {

struct Named {
  SimplexMethod method;
  std::string_view name;
};
constexpr Named names[] = {{SimplexMethod::scir, "scir"},
                           {SimplexMethod::sgrld, "sgrld"},
                           {SimplexMethod::sgrld_reduced_mean, "sgrld-reduced-mean"},
                           {SimplexMethod::sgrld_expanded_natural, "sgrld-expanded-natural"},
                           {SimplexMethod::sgld, "sgld"}};

}  // namespace

std::vector<std::string> simplex_method_names() {
  std::vector<std::string> result;
  for (const auto& named : names) result.emplace_back(named.name);
  return result;
}

SimplexMethod simplex_method(std::string_view name) {
  for (const auto& named : names)
    if (named.name == name) return named.method;
  throw OptionError("there is no simplex method '" + std::string(name) + "'." +
                    did_you_mean(name, simplex_method_names()));
}

std::string_view simplex_method_name(SimplexMethod method) { return names[static_cast<std::size_t>(method)].name; }

void SimplexOptions::validate() const {
  if (!(step_size > 0.0 && std::isfinite(step_size)))
    throw OptionError("step_size is " + formatted("%g", step_size) + "; it must be positive and finite");
  if (threads < 0) throw OptionError("threads is " + std::to_string(threads) + "; it must not be negative");
  schedule.validate();
}

struct SimplexSampler::Parts {
  Parts(const SimplexOptions& given, std::vector<double> prior_given, std::size_t components, std::size_t blocks)
      : options(given),
        prior(std::move(prior_given)),
        kernel(given.method, {components, blocks}),
        pool(given.threads),
        log_theta(components * blocks),
        pseudo_counts(components * blocks) {}

  double prior_of(std::size_t component) const { return prior.size() == 1 ? prior[0] : prior[component]; }
  /// prior + counts of every element.
  void add_prior(const double* counts) {
    const SimplexShape shape = kernel.shape();
    for (std::size_t j = 0, i = 0; j < shape.components; ++j)
      for (std::size_t b = 0; b < shape.blocks; ++b, ++i) pseudo_counts[i] = prior_of(j) + (counts ? counts[i] : 0.0);
  }

  SimplexOptions options;
  std::vector<double> prior;
  double prior_total = 0;
  SimplexKernel kernel;
  mutable ThreadPool pool;
  std::vector<double> log_theta, pseudo_counts;
};

SimplexSampler::SimplexSampler(const SimplexOptions& options, std::vector<double> prior, std::size_t components,
                               std::size_t blocks) {
  options.validate();
  if (components == 0 || blocks == 0) throw OptionError("a simplex needs at least one component and one block");
  if (prior.size() != 1 && prior.size() != components)
    throw OptionError("prior has " + std::to_string(prior.size()) + " numbers for " + std::to_string(components) +
                      " components; give one number, or one for each");
  for (std::size_t j = 0; j < prior.size(); ++j)
    if (!(prior[j] > 0.0 && std::isfinite(prior[j])))
      throw OptionError("prior: element " + std::to_string(j) + " is " + formatted("%g", prior[j]) +
                        "; concentrations must be positive and finite");
  parts_ = std::make_unique<Parts>(options, std::move(prior), components, blocks);
  for (std::size_t j = 0; j < components; ++j) parts_->prior_total += parts_->prior_of(j);
  parts_->add_prior(nullptr);
  fill_log_gamma({options.seed, options.chain, 0, Purpose::initial}, parts_->pseudo_counts, parts_->log_theta);
}

SimplexSampler::~SimplexSampler() = default;
SimplexSampler::SimplexSampler(SimplexSampler&&) noexcept = default;
SimplexSampler& SimplexSampler::operator=(SimplexSampler&&) noexcept = default;

std::size_t SimplexSampler::components() const { return parts_->kernel.shape().components; }
std::size_t SimplexSampler::blocks() const { return parts_->kernel.shape().blocks; }
std::span<const double> SimplexSampler::log_theta() const { return parts_->log_theta; }

void SimplexSampler::set_log_theta(std::span<const double> log_theta) {
  if (log_theta.size() != parts_->log_theta.size())
    throw OptionError("log_theta has " + std::to_string(log_theta.size()) + " numbers; " +
                      std::to_string(parts_->log_theta.size()) + " are needed");
  if (const std::size_t bad = first_non_finite(log_theta); bad < log_theta.size())
    throw OptionError("log_theta: element " + std::to_string(bad) + " is not finite");
  std::copy(log_theta.begin(), log_theta.end(), parts_->log_theta.begin());
}

bool SimplexSampler::step(std::span<const double> counts, std::uint64_t iteration) {
  Parts& parts = *parts_;
  if (counts.size() != parts.log_theta.size())
    throw OptionError("there are " + std::to_string(counts.size()) + " counts; " +
                      std::to_string(parts.log_theta.size()) + " are needed, one for each component of each block");
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (!(counts[i] >= 0.0 && std::isfinite(counts[i])))
      throw OptionError("count number " + std::to_string(i) + " is " + formatted("%g", counts[i]) +
                        "; counts must be finite and not negative");
  parts.add_prior(counts.data());
  const SimplexOptions& options = parts.options;
  return parts.kernel.step({parts.log_theta, parts.pseudo_counts, parts.prior_total,
                            options.step_size * options.schedule.multiplier(iteration),
                            StreamKey{options.seed, options.chain, iteration, Purpose::noise}},
                           parts.pool);
}

void SimplexSampler::log_probabilities(std::span<double> log_omega) const {
  if (log_omega.size() != parts_->log_theta.size())
    throw OptionError("room for " + std::to_string(log_omega.size()) + " probabilities; " +
                      std::to_string(parts_->log_theta.size()) + " are needed");
  std::vector<double> totals(blocks());
  parts_->kernel.log_totals(parts_->log_theta, totals, parts_->pool);
  for (std::size_t i = 0; i < log_omega.size(); ++i) log_omega[i] = parts_->log_theta[i] - totals[i % totals.size()];
}

void SimplexSampler::probabilities(std::span<double> omega) const {
  log_probabilities(omega);
  for (double& x : omega) x = std::exp(x);
}

}  // namespace sgmcmc
