// Diagonal, triangular and low-rank maps; names and checks of preconditioners.
#include "dynamics/whitening.hpp"

#include "base/text.hpp"

#include <sgmcmc/error.hpp>

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace sgmcmc {
namespace {

using VectorMap = Eigen::Map<Eigen::VectorXd>;
using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;
using ConstMatrixMap = Eigen::Map<const Eigen::MatrixXd>;

VectorMap vector(std::span<double> values) { return {values.data(), static_cast<Eigen::Index>(values.size())}; }
ConstVectorMap vector(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

ConstMatrixMap factor_of(const Preconditioner& p) {
  const auto rows = static_cast<Eigen::Index>(p.dimension());
  return {p.factor.data(), rows, rows > 0 ? static_cast<Eigen::Index>(p.factor.size()) / rows : 0};
}

constexpr std::array<std::pair<Precondition, std::string_view>, 5> names = {{{Precondition::none, "none"},
                                                                             {Precondition::diagonal, "diagonal"},
                                                                             {Precondition::dense, "dense"},
                                                                             {Precondition::low_rank, "low-rank"},
                                                                             {Precondition::automatic, "auto"}}};

}  // namespace

std::string_view precondition_name(Precondition precondition) {
  for (const auto& [value, name] : names)
    if (value == precondition) return name;
  return "";
}

Precondition precondition_by_name(std::string_view wanted) {
  std::vector<std::string> known;
  for (const auto& [value, name] : names) {
    if (name == wanted) return value;
    known.emplace_back(name);
  }
  throw OptionError("unknown precondition '" + std::string(wanted) + "'." + did_you_mean(wanted, known));
}

std::vector<double> Preconditioner::standard_deviations() const {
  const std::size_t size = dimension();
  std::vector<double> deviations(scale.begin(), scale.end());
  deviations.resize(size, 0.0);
  if (kind == Precondition::diagonal) return deviations;
  const ConstMatrixMap columns = factor_of(*this);
  for (std::size_t j = 0; j < size; ++j) {
    double square = kind == Precondition::dense ? 0.0 : 1.0;  // of the row of L, relative to the scale
    for (Eigen::Index c = 0; c < columns.cols(); ++c) {
      const double entry = columns(static_cast<Eigen::Index>(j), c);
      const double weight = kind == Precondition::dense ? 1.0 : stretch[static_cast<std::size_t>(c)];
      square += entry * entry * (kind == Precondition::dense ? 1.0 : weight * weight - 1.0);
    }
    deviations[j] = std::sqrt(square) * (kind == Precondition::dense ? 1.0 : scale[j]);
  }
  return deviations;
}

void Preconditioner::validate() const {
  const std::size_t size = dimension();
  const auto refuse = [](const std::string& what) { throw OptionError("preconditioner: " + what); };
  if (kind == Precondition::none || kind == Precondition::automatic)
    refuse("kind is " + std::string(precondition_name(kind)) + "; it must be diagonal, dense or low_rank");
  const bool dense = kind == Precondition::dense;
  if (scale.size() != (dense ? 0 : size))
    refuse("scale has " + std::to_string(scale.size()) + " numbers; " + std::to_string(dense ? 0 : size) +
           " are expected");
  const std::size_t columns = dense ? size : stretch.size();
  if (factor.size() != (kind == Precondition::diagonal ? 0 : size * columns))
    refuse("factor has " + std::to_string(factor.size()) + " numbers, which does not fit " + std::to_string(size) +
           " coordinates");
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  for (const double x : scale)
    if (!positive(x)) refuse("scale holds " + std::to_string(x) + "; scales are positive");
  for (const double x : stretch)
    if (!positive(x)) refuse("stretch holds " + std::to_string(x) + "; it is positive");
  for (std::size_t j = 0; dense && j < size; ++j)
    if (!positive(factor[j * size + j])) refuse("the diagonal of the factor is not positive");
}

Whitening::Whitening(std::shared_ptr<const Preconditioner> preconditioner)
    : preconditioner_(std::move(preconditioner)), along_(preconditioner_->stretch.size()) {}

void Whitening::stretch(std::span<double> x, bool back) {
  const ConstMatrixMap columns = factor_of(*preconditioner_);
  VectorMap out = vector(x);
  for (Eigen::Index c = 0; c < columns.cols(); ++c) along_[static_cast<std::size_t>(c)] = columns.col(c).dot(out);
  for (Eigen::Index c = 0; c < columns.cols(); ++c) {
    const double by = preconditioner_->stretch[static_cast<std::size_t>(c)];
    out += ((back ? 1.0 / by : by) - 1.0) * along_[static_cast<std::size_t>(c)] * columns.col(c);
  }
}

void Whitening::multiply(std::span<const double> u, std::span<double> out) {
  const Preconditioner& p = *preconditioner_;
  VectorMap result = vector(out);
  if (p.kind == Precondition::dense) {
    const ConstMatrixMap lower = factor_of(p);
    const Eigen::Index size = lower.rows();
    result.setZero();
    for (Eigen::Index j = 0; j < size; ++j)
      result.tail(size - j) += u[static_cast<std::size_t>(j)] * lower.col(j).tail(size - j);
    return;
  }
  result = vector(u);
  if (p.kind == Precondition::low_rank) stretch(out, false);
  result.array() *= vector(std::span<const double>(p.scale)).array();
}

void Whitening::multiply_transposed(std::span<const double> g, std::span<double> out) {
  const Preconditioner& p = *preconditioner_;
  VectorMap result = vector(out);
  const ConstVectorMap from = vector(g);
  if (p.kind == Precondition::dense) {
    const ConstMatrixMap lower = factor_of(p);
    const Eigen::Index size = lower.rows();
    for (Eigen::Index j = 0; j < size; ++j) result[j] = lower.col(j).tail(size - j).dot(from.tail(size - j));
    return;
  }
  result = from.cwiseProduct(vector(std::span<const double>(p.scale)));
  if (p.kind == Precondition::low_rank) stretch(out, false);
}

void Whitening::solve_transposed(std::span<const double> g, std::span<double> out) {
  const Preconditioner& p = *preconditioner_;
  VectorMap result = vector(out);
  result = vector(g);
  if (p.kind == Precondition::dense) {
    const ConstMatrixMap lower = factor_of(p);
    for (Eigen::Index below = 0, j = lower.rows(); j-- > 0; ++below)
      result[j] = (result[j] - lower.col(j).tail(below).dot(result.tail(below))) / lower(j, j);
    return;
  }
  if (p.kind == Precondition::low_rank) stretch(out, true);
  result.array() /= vector(std::span<const double>(p.scale)).array();
}

void Whitening::position(std::span<const double> u, std::span<double> theta) {
  multiply(u, theta);
  vector(theta) += vector(std::span<const double>(preconditioner_->centre));
}

void Whitening::coordinates(std::span<const double> theta, std::span<double> u) {
  const Preconditioner& p = *preconditioner_;
  VectorMap result = vector(u);
  result = vector(theta) - vector(std::span<const double>(p.centre));
  if (p.kind == Precondition::dense) {
    const ConstMatrixMap lower = factor_of(p);
    const Eigen::Index size = lower.rows();
    for (Eigen::Index j = 0; j < size; ++j) {
      result[j] /= lower(j, j);
      result.tail(size - j - 1) -= result[j] * lower.col(j).tail(size - j - 1);
    }
    return;
  }
  result.array() /= vector(std::span<const double>(p.scale)).array();
  if (p.kind == Precondition::low_rank) stretch(u, true);
}

}  // namespace sgmcmc
