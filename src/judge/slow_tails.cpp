// Estimates the exponent of a power-law tail from the log density at 100 and 10,000 standard deviations: at an exponent
// below 1 the density is improper, below 2 it has no mean, below 3 no variance. Normal and exponential tails fall much
// faster, if only farther out where the chains have explored a small part of the posterior.
#include "judge/slow_tails.hpp"

#include "base/decompositions.hpp"
#include "base/interrupt.hpp"
#include "base/matrix_products.hpp"
#include "mode/some_rows.hpp"

#include <sgmcmc/error.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

using Vector = Eigen::VectorXd;
using Points = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

constexpr double closer = 1e2, farther = 1e4, farthest = 1e14;
constexpr double slack = 0.1;   // of exponents
constexpr double fallen = 500;  // drop in log density from the centre that rules out a power law
constexpr double rows_of_first_look = 1000;
constexpr std::size_t most_dimensions = 1000, most_alone = 200;

std::span<const double> span_of(const Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

/// The smaller exponent of the two sides. If the chains have explored a small part of the posterior, the density may be
/// flat as far as `farther` and still fall: along a coordinate, looks up to `farthest`. Rounding errors of other
/// directions would become moves across a ridge.
double exponent_along(Executor& density, const RowBatch& rows, const Vector& centre, const Vector& direction) {
  const bool along_coordinate = (direction.array() != 0).count() == 1;
  std::vector<double> both(1 + static_cast<std::size_t>(centre.size()));
  const auto at = [&](double distance) {
    density.set_point(Point::current, span_of(Vector(centre + distance * direction)));
    density.run(rows, both);
    return both[0];
  };
  double least = INFINITY;
  const double here = at(0);
  const auto falls_beyond = [&](double side) {
    for (double distance = farther; along_coordinate && distance <= farthest; distance *= 100) {
      const double there = at(side * distance);
      if (!std::isfinite(there) || here - there > fallen) return std::isfinite(there);
    }
    return false;
  };
  for (const double side : {-1.0, 1.0}) {
    const double near = at(side * closer), far = at(side * farther);
    if (here - near > fallen) continue;  // too steep for a power law
    if (!std::isfinite(near) || !std::isfinite(far)) continue;
    if (!falls_beyond(side)) least = std::min(least, (near - far) / std::log(farther / closer));
  }
  return least;
}

std::optional<SlowTail> tail_of(double exponent) {
  if (exponent <= 1 - slack) return SlowTail::flat;
  if (exponent <= 2 + slack) return SlowTail::no_mean;
  if (exponent <= 3 + slack) return SlowTail::no_sd;
  return std::nullopt;
}

/// The leading principal component of standardised draws, by the power method.
Vector widest(const Eigen::MatrixXd& scaled) {
  const Eigen::Index count = scaled.rows(), size = scaled.cols();
  Eigen::MatrixXd products(size, size);
  set_inner_products({scaled.data(), count, size, count}, {scaled.data(), count, size, count}, products.data(), size);
  Vector direction = Vector::Ones(size);
  for (Eigen::Index j = 0; j < direction.size(); j += 2) direction[j] = -0.7;
  constexpr int rounds = 30;
  for (int round = 0; round < rounds; ++round) {
    direction = products * direction;
    const double norm = direction.norm();
    if (!(norm > 0)) return Vector::Zero(size);
    direction /= norm;
  }
  return direction;
}

/// The direction of smallest curvature of the Hessian, scaled to a unit diagonal; empty if a coordinate has no
/// curvature, or if there is no Hessian.
std::optional<Vector> flattest(const LogPosterior& posterior, const RowBatch& rows, const Vector& centre) {
  const Eigen::Index size = centre.size();
  std::unique_ptr<Executor> executor;
  try {
    executor = posterior.executor(ProgramKind::hessian_vector, {});
  } catch (const ModelError&) {  // a second derivative that is not implemented
    return std::nullopt;
  }
  executor->set_point(Point::current, span_of(centre));
  Eigen::MatrixXd hessian(size, size);
  for (Eigen::Index j = 0; j < size; ++j) {
    executor->set_point(Point::direction, span_of(Vector(Vector::Unit(size, j))));
    executor->run(rows, {hessian.col(j).data(), static_cast<std::size_t>(size)});
  }
  hessian = -0.5 * (hessian + hessian.transpose()).eval();
  const Vector diagonal = hessian.diagonal();
  if (!hessian.allFinite() || !(diagonal.minCoeff() > 0)) return std::nullopt;
  const Vector unit = diagonal.cwiseSqrt().cwiseInverse();
  const SymmetricEigen scaled = symmetric_eigen(unit.asDiagonal() * hessian * unit.asDiagonal());
  return Vector(unit.cwiseProduct(scaled.vectors.col(0)));
}

std::vector<std::string> most_changed(const Vector& direction, const std::vector<std::string>& names) {
  std::vector<std::size_t> found;
  const double most = direction.cwiseAbs().maxCoeff();
  for (Eigen::Index j = 0; j < direction.size(); ++j)
    if (std::abs(direction[j]) > 0.3 * most) found.push_back(static_cast<std::size_t>(j));
  std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(direction[static_cast<Eigen::Index>(a)]) > std::abs(direction[static_cast<Eigen::Index>(b)]) + 1e-9;
  });
  std::vector<std::string> changed;
  for (const std::size_t j : found) changed.push_back(names[j]);
  return changed;
}

}  // namespace

std::optional<SlowDirection> find_slow_direction(const LogPosterior& posterior, const SteinPoints& draws,
                                                 ThreadPool& pool, const std::atomic<bool>* interrupt) {
  if (draws.dimension > most_dimensions || draws.count() < 2) return std::nullopt;
  const auto size = static_cast<Eigen::Index>(draws.dimension), count = static_cast<Eigen::Index>(draws.count());
  const Points positions(draws.positions.data(), count, size);
  const Vector centre = positions.colwise().mean().transpose();
  Eigen::MatrixXd scaled = positions.rowwise() - centre.transpose();
  const Vector sd = (scaled.colwise().squaredNorm() / static_cast<double>(count)).cwiseSqrt().transpose();
  if (!sd.allFinite() || !(sd.minCoeff() > 0)) return std::nullopt;
  scaled.array().rowwise() /= sd.transpose().array();

  const SomeRows some(posterior, rows_of_first_look);
  std::vector<Vector> directions{sd.cwiseProduct(widest(scaled))};
  if (draws.dimension <= most_alone) {
    for (Eigen::Index j = 0; j < size; ++j) directions.push_back(sd[j] * Vector::Unit(size, j));
    if (auto flat = flattest(posterior, some.batch(), centre)) directions.push_back(std::move(*flat));
  }
  std::vector<std::unique_ptr<Executor>> densities(static_cast<std::size_t>(pool.threads()));
  std::vector<double> exponents(directions.size());
  pool.for_each(directions.size(), [&](std::size_t k, int worker) {
    throw_if_interrupted(interrupt);
    auto& density = densities[static_cast<std::size_t>(worker)];
    if (!density) density = posterior.executor(ProgramKind::value_and_gradient, {});
    exponents[k] = exponent_along(*density, some.batch(), centre, directions[k]);
  });
  const auto names = posterior.model().unconstrained_names();
  std::optional<SlowDirection> worst;
  std::unique_ptr<Executor> all;
  for (std::size_t k = 0; k < directions.size(); ++k) {
    if (!tail_of(exponents[k])) continue;
    if (!some.all()) {  // the other rows may identify it
      throw_if_interrupted(interrupt);
      if (!all) all = posterior.executor(ProgramKind::value_and_gradient, {Precision::float64, 0, &pool});
      exponents[k] = exponent_along(*all, posterior.all_rows(), centre, directions[k]);
    }
    const auto tail = tail_of(exponents[k]);
    if (tail && (!worst || *tail < worst->kind))
      worst = SlowDirection{*tail, most_changed(directions[k].cwiseQuotient(sd), names)};
  }
  return worst;
}

}  // namespace sgmcmc
