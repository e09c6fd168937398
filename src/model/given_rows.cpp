// Calls the caller's likelihood block by block and maps its gradients back to unconstrained coordinates.
#include "model/given_rows.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace sgmcmc {

void GivenLikelihood::each(std::span<const double> values, std::span<const std::uint32_t> rows,
                           std::span<double> log_likelihoods, std::span<double> gradients) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto gradient = gradients.subspan(i * values.size(), values.size());
    std::fill(gradient.begin(), gradient.end(), 0.0);
    log_likelihoods[i] = add(values, rows.subspan(i, 1), gradient);
  }
}

namespace {

constexpr std::uint32_t rows_of_a_call = 8192;  // splits a full pass, to bound the memory the caller needs
constexpr std::uint32_t rows_of_a_block = 256;  // rows whose individual gradients are held at a time

bool has_values_as_coordinates(const Model& model) {
  return std::all_of(model.parameters().begin(), model.parameters().end(), [](const ParameterInfo& info) {
    return info.constraint.is_unconstrained() && info.order == MatrixOrder::by_row;
  });
}

bool of_single_rows(ProgramKind kind) {
  return kind == ProgramKind::row_gradients || kind == ProgramKind::row_gradient_differences ||
         kind == ProgramKind::row_log_likelihoods;
}

class GivenExecutor final : public Executor {
 public:
  GivenExecutor(const LogPosterior& posterior, ProgramKind kind, const ExecutorOptions& options)
      : kind_(kind),
        likelihood_(posterior.model().given_likelihood()),
        dimension_(static_cast<std::size_t>(posterior.dimension())),
        gradient_(dimension_) {
    for (auto& point : points_) point.resize(dimension_);
    if (!of_single_rows(kind)) prior_ = posterior.planned_executor(kind, options);
    if (!has_values_as_coordinates(posterior.model())) {
      to_values_ = posterior.planned_executor(ProgramKind::constrained, {});
      pullback_ = posterior.planned_executor(ProgramKind::pullback, {});
      values_.resize(static_cast<std::size_t>(to_values_->output_size()));
      both_.resize(dimension_ + values_.size());
      by_value_.resize(values_.size());
    }
  }

  void set_point(Point point, std::span<const double> values) override {
    std::copy(values.begin(), values.end(), points_[static_cast<std::size_t>(point)].begin());
    if (prior_) prior_->set_point(point, values);
  }

  void run(const RowBatch& batch, std::span<double> outputs) override {
    if (!prior_) throw OptionError("sums over rows were asked of a program of single rows");
    prior_->run(RowBatch{}, outputs);
    const auto add_gradient = [&](double factor, std::span<double> to) {
      for (std::size_t d = 0; d < dimension_; ++d) to[d] += factor * gradient_[d];
    };
    switch (kind_) {
      case ProgramKind::value_and_gradient:
        outputs[0] += sum_over(batch, at(Point::current));
        add_gradient(1.0, outputs.subspan(1));
        return;
      case ProgramKind::gradient:
        sum_over(batch, at(Point::current));
        add_gradient(1.0, outputs);
        return;
      case ProgramKind::difference:
        if (at(Point::current) == at(Point::centre)) return;  // the difference is exactly zero
        sum_over(batch, at(Point::current));
        add_gradient(1.0, outputs);
        sum_over(batch, at(Point::centre));
        add_gradient(-1.0, outputs);
        return;
      case ProgramKind::hessian_vector: {
        const auto& direction = at(Point::direction);
        const double length = std::sqrt(std::inner_product(direction.begin(), direction.end(), direction.begin(), 0.0));
        if (!(length > 0)) return;
        const double step = std::cbrt(std::numeric_limits<double>::epsilon()) * scale() / length;
        for (const double sign : {1.0, -1.0}) {
          beside_ = at(Point::current);
          for (std::size_t d = 0; d < dimension_; ++d) beside_[d] += sign * step * direction[d];
          sum_over(batch, beside_);
          add_gradient(sign / (2 * step), outputs);
        }
        return;
      }
      default: return;
    }
  }

  void run_rows(const RowBatch& batch, RowConsumer& consumer) override {
    if (prior_) throw OptionError("single rows were asked of a program of sums");
    const bool gradients = kind_ != ProgramKind::row_log_likelihoods;
    for (std::uint32_t begin = 0; begin < batch.count; begin += rows_of_a_block) {
      const auto rows = some_rows(batch, begin, rows_of_a_block);
      const std::size_t count = rows.size();
      lanes_.assign((gradients ? dimension_ : 1) * count, 0.0);
      add_rows(rows, at(Point::current), 1.0, gradients);
      if (kind_ == ProgramKind::row_gradient_differences) add_rows(rows, at(Point::centre), -1.0, true);
      consumer.consume(begin, static_cast<std::uint32_t>(count), lanes_.data(), static_cast<std::int64_t>(count));
    }
  }

  std::int64_t output_size() const override {
    switch (kind_) {
      case ProgramKind::value_and_gradient: return static_cast<std::int64_t>(dimension_) + 1;
      case ProgramKind::row_log_likelihoods: return 1;
      default: return static_cast<std::int64_t>(dimension_);
    }
  }
  int tile_rows() const override { return static_cast<int>(rows_of_a_block); }

 private:
  const std::vector<double>& at(Point point) const { return points_[static_cast<std::size_t>(point)]; }

  /// Scale of a finite-difference step: small relative to the coordinates, but not lost in rounding.
  double scale() const {
    double largest = 1.0;
    for (const double x : at(Point::current)) largest = std::max(largest, std::abs(x));
    return largest;
  }

  std::span<const std::uint32_t> some_rows(const RowBatch& batch, std::uint32_t begin, std::uint32_t most) {
    const std::uint32_t count = std::min(most, batch.count - begin);
    if (batch.indices) return {batch.indices + begin, count};
    rows_.resize(count);
    std::iota(rows_.begin(), rows_.end(), batch.first + begin);
    return rows_;
  }

  /// The constrained parameter values passed to the likelihood.
  std::span<const double> values_at(std::span<const double> theta) {
    if (!to_values_) return theta;
    to_values_->set_point(Point::current, theta);
    to_values_->run(RowBatch{}, values_);
    return values_;
  }
  /// Converts a gradient with respect to constrained values into one with respect to coordinates (chain rule).
  void lead_back(std::span<const double> theta, std::span<const double> by_value, std::span<double> gradient) {
    std::copy(theta.begin(), theta.end(), both_.begin());
    std::copy(by_value.begin(), by_value.end(), both_.begin() + static_cast<std::ptrdiff_t>(dimension_));
    pullback_->set_point(Point::current, both_);
    pullback_->run(RowBatch{}, gradient);
  }

  /// Returns the weighted log likelihood of the batch and leaves its gradient in gradient_.
  double sum_over(const RowBatch& batch, std::span<const double> theta) {
    const auto values = values_at(theta);
    auto& by_value = to_values_ ? by_value_ : gradient_;
    std::fill(by_value.begin(), by_value.end(), 0.0);
    const double sum = batch.weights ? weighted_sum(batch, values, by_value) : even_sum(batch, values, by_value);
    if (to_values_) lead_back(theta, by_value_, gradient_);
    return sum;
  }
  double even_sum(const RowBatch& batch, std::span<const double> values, std::span<double> gradient) {
    double sum = 0;
    for (std::uint32_t begin = 0; begin < batch.count; begin += rows_of_a_call)
      sum += likelihood_->add(values, some_rows(batch, begin, rows_of_a_call), gradient);
    for (double& g : gradient) g *= batch.uniform_weight;
    return batch.uniform_weight * sum;
  }
  double weighted_sum(const RowBatch& batch, std::span<const double> values, std::span<double> gradient) {
    double sum = 0;
    for (std::uint32_t begin = 0; begin < batch.count; begin += rows_of_a_block) {
      const auto rows = some_rows(batch, begin, rows_of_a_block);
      take_each(values, rows);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const double weight = batch.weights[begin + i];
        sum += weight * each_value_[i];
        for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += weight * each_gradient_[i * values.size() + k];
      }
    }
    return sum;
  }
  void take_each(std::span<const double> values, std::span<const std::uint32_t> rows) {
    each_value_.resize(rows.size());
    each_gradient_.resize(rows.size() * values.size());
    likelihood_->each(values, rows, each_value_, each_gradient_);
  }

  /// Adds `factor` times the rows' gradients (or their log likelihoods) to lanes_.
  void add_rows(std::span<const std::uint32_t> rows, std::span<const double> theta, double factor, bool gradients) {
    const auto values = values_at(theta);
    take_each(values, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!gradients) {
        lanes_[i] += factor * each_value_[i];
        continue;
      }
      std::span<const double> gradient(each_gradient_.data() + i * values.size(), values.size());
      if (to_values_) {
        lead_back(theta, gradient, gradient_);
        gradient = gradient_;
      }
      for (std::size_t d = 0; d < dimension_; ++d) lanes_[d * rows.size() + i] += factor * gradient[d];
    }
  }

  ProgramKind kind_;
  std::shared_ptr<const GivenLikelihood> likelihood_;
  std::size_t dimension_;
  std::unique_ptr<Executor> prior_;                 // null for programs that return one result per row
  std::unique_ptr<Executor> to_values_, pullback_;  // null if the values are the coordinates
  std::array<std::vector<double>, 3> points_;
  std::vector<double> beside_, gradient_, values_, both_, by_value_, each_value_, each_gradient_, lanes_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace

std::unique_ptr<Executor> make_given_executor(const LogPosterior& posterior, ProgramKind kind,
                                              const ExecutorOptions& options) {
  return std::make_unique<GivenExecutor>(posterior, kind, options);
}

}  // namespace sgmcmc
