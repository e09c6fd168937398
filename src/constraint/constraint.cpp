// Constraint: its factories, the dispatch to transforms, and the elementwise transforms.
#include <sgmcmc/constraint.hpp>

#include "constraint/transforms.hpp"
#include "graph/node.hpp"

#include <sgmcmc/error.hpp>

#include <cmath>
#include <limits>
#include <optional>

namespace sgmcmc {

namespace {

std::optional<double> constant_scalar(const Expression& x) {
  if (x.node().op != Op::constant || x.shape().size() != 1) return std::nullopt;
  return x.node().attributes.values->front();
}

bool is_constant(const Expression& bound, double value) {
  const auto scalar = constant_scalar(bound);
  return scalar && *scalar == value;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Sum of a bound's contribution over all elements, each as often as it is broadcast.
Expression sum_broadcast(const Expression& x, const Shape& shape) {
  const double repeats = static_cast<double>(shape.size()) / static_cast<double>(x.shape().size());
  return repeats * sum(x);
}

/// The values of a bound: given, or those of a constant.
std::vector<double> bound_values(const Expression& bound, std::size_t position,
                                 const std::vector<std::vector<double>>& given, const std::string& constraint) {
  if (position < given.size()) return given[position];
  if (bound.node().op == Op::constant) return *bound.node().attributes.values;
  throw ModelError("constraint " + constraint + ": its bound (" + bound.describe() +
                   ") is not a constant, so its value must be given to find unconstrained values");
}

/// Position of element `flat` of `shape` in a bound of `bound_shape`, which broadcasts to it.
std::size_t broadcast_position(std::int64_t flat, const Shape& shape, const Shape& bound_shape) {
  std::int64_t position = 0, stride = 1;
  for (std::size_t i = 0; i < shape.rank() && i < bound_shape.rank(); ++i) {
    const std::int64_t dim = shape[shape.rank() - 1 - i], bound_dim = bound_shape[bound_shape.rank() - 1 - i];
    if (bound_dim != 1) position += (flat % dim) * stride;
    flat /= dim;
    stride *= bound_dim;
  }
  return static_cast<std::size_t>(position);
}

}  // namespace

Constraint::Constraint(Kind kind, std::vector<Expression> bounds) : kind_(kind), bounds_(std::move(bounds)) {
  for (const auto& bound : bounds_) {
    if (!bound) throw ModelError("constraint " + name() + ": its bound is an empty expression");
    if (bound.per_row()) {
      throw ModelError("constraint " + name() + ": its bound (" + bound.describe() +
                       ") depends on row data; bounds of parameters must be global");
    }
    if (bound.node().op != Op::constant) continue;
    for (double value : *bound.node().attributes.values) {
      if (!std::isfinite(value))
        throw ModelError("constraint " + name() + ": a bound of " + number_text(value) + " is no bound");
    }
  }
}

Constraint Constraint::unconstrained() { return {}; }

Constraint Constraint::lower(Expression bound) {
  if (bound && is_constant(bound, -infinity)) return {};
  return Constraint(Kind::lower, {std::move(bound)});
}

Constraint Constraint::upper(Expression bound) {
  if (bound && is_constant(bound, infinity)) return {};
  return Constraint(Kind::upper, {std::move(bound)});
}

Constraint Constraint::interval(Expression lower_bound, Expression upper_bound) {
  if (lower_bound && is_constant(lower_bound, -infinity)) return upper(std::move(upper_bound));
  if (upper_bound && is_constant(upper_bound, infinity)) return lower(std::move(lower_bound));
  Constraint made(Kind::interval, {lower_bound, upper_bound});
  const auto low = constant_scalar(lower_bound), high = constant_scalar(upper_bound);
  if (low && high && !(*low < *high)) {
    throw ModelError("constraint interval: lower bound " + number_text(*low) + " is not below upper bound " +
                     number_text(*high));
  }
  return made;
}

Constraint Constraint::offset_multiplier(Expression offset, Expression multiplier) {
  return Constraint(Kind::offset_multiplier, {std::move(offset), std::move(multiplier)});
}
Constraint Constraint::simplex() { return Constraint(Kind::simplex); }
Constraint Constraint::ordered() { return Constraint(Kind::ordered); }
Constraint Constraint::positive_ordered() { return Constraint(Kind::positive_ordered); }
Constraint Constraint::unit_vector() { return Constraint(Kind::unit_vector); }
Constraint Constraint::cholesky_factor_correlation() { return Constraint(Kind::cholesky_factor_correlation); }
Constraint Constraint::cholesky_factor_covariance() { return Constraint(Kind::cholesky_factor_covariance); }
Constraint Constraint::correlation_matrix() { return Constraint(Kind::correlation_matrix); }
Constraint Constraint::covariance_matrix() { return Constraint(Kind::covariance_matrix); }

std::string Constraint::name() const {
  switch (kind_) {
    case Kind::unconstrained: return "unconstrained";
    case Kind::lower: return "lower";
    case Kind::upper: return "upper";
    case Kind::interval: return "interval";
    case Kind::offset_multiplier: return "offset_multiplier";
    case Kind::simplex: return "simplex";
    case Kind::ordered: return "ordered";
    case Kind::positive_ordered: return "positive_ordered";
    case Kind::unit_vector: return "unit_vector";
    case Kind::cholesky_factor_correlation: return "cholesky_factor_correlation";
    case Kind::cholesky_factor_covariance: return "cholesky_factor_covariance";
    case Kind::correlation_matrix: return "correlation_matrix";
    case Kind::covariance_matrix: return "covariance_matrix";
  }
  return "";
}

std::int64_t Constraint::unconstrained_size(const Shape& shape) const {
  switch (kind_) {
    case Kind::unconstrained:
    case Kind::lower:
    case Kind::upper:
    case Kind::interval:
    case Kind::offset_multiplier: return shape.size();
    case Kind::simplex: {
      const Blocks blocks = vector_blocks(shape, name());
      return blocks.groups * (blocks.columns - 1);
    }
    case Kind::ordered:
    case Kind::positive_ordered:
    case Kind::unit_vector: return vector_blocks(shape, name()).shape.size();
    case Kind::cholesky_factor_correlation:
    case Kind::correlation_matrix: {
      const Blocks blocks = matrix_blocks(shape, name());
      require_square(blocks, name());
      return blocks.groups * (blocks.columns * (blocks.columns - 1) / 2);
    }
    case Kind::cholesky_factor_covariance: {
      const Blocks blocks = matrix_blocks(shape, name());
      if (blocks.rows < blocks.columns) {
        throw ShapeError("constraint " + name() + ": a lower triangular factor of shape " + shape.to_string() +
                         " needs at least as many rows as columns");
      }
      return blocks.groups *
             (blocks.columns * (blocks.columns + 1) / 2 + (blocks.rows - blocks.columns) * blocks.columns);
    }
    case Kind::covariance_matrix: {
      const Blocks blocks = matrix_blocks(shape, name());
      require_square(blocks, name());
      return blocks.groups * (blocks.columns * (blocks.columns + 1) / 2);
    }
  }
  return 0;
}

Transformed Constraint::apply(const Expression& unconstrained, const Shape& shape) const {
  const std::int64_t size = unconstrained_size(shape);
  if (size > 0 && !(unconstrained && unconstrained.shape() == Shape{size})) {
    throw ShapeError("constraint " + name() + ": a parameter of shape " + shape.to_string() + " needs a vector of " +
                     std::to_string(size) + " unconstrained values, but got " +
                     (unconstrained ? unconstrained.describe() : std::string("nothing")));
  }
  if (kind_ >= Kind::simplex) {
    const Blocks blocks = is_matrix() ? matrix_blocks(shape, name()) : vector_blocks(shape, name());
    switch (kind_) {
      case Kind::simplex: return simplex_transform(unconstrained, blocks);
      case Kind::ordered: return ordered_transform(unconstrained, blocks, false);
      case Kind::positive_ordered: return ordered_transform(unconstrained, blocks, true);
      case Kind::unit_vector: return unit_vector_transform(unconstrained, blocks);
      case Kind::cholesky_factor_correlation: return cholesky_correlation_transform(unconstrained, blocks);
      case Kind::correlation_matrix: return correlation_transform(unconstrained, blocks);
      case Kind::cholesky_factor_covariance: return cholesky_covariance_transform(unconstrained, blocks);
      default: return covariance_transform(unconstrained, blocks);
    }
  }
  Transformed result = elementwise(reshape(unconstrained, shape), shape);
  if (!(result.value.shape() == shape)) {
    throw ShapeError("constraint " + name() + ": its bounds do not broadcast to the parameter's shape " +
                     shape.to_string() + "; together they have shape " + result.value.shape().to_string());
  }
  return result;
}

Transformed Constraint::elementwise(const Expression& u, const Shape& shape) const {
  switch (kind_) {
    case Kind::lower: return {bounds_[0] + exp(u), sum(u)};
    case Kind::upper: return {bounds_[0] - exp(u), sum(u)};
    case Kind::interval: {
      const Expression width = bounds_[1] - bounds_[0];
      return {bounds_[0] + width * logistic(u),
              sum(log_logistic(u) + log_logistic(-u)) + sum_broadcast(log(width), shape)};
    }
    case Kind::offset_multiplier: return {bounds_[0] + bounds_[1] * u, sum_broadcast(log(bounds_[1]), shape)};
    default: return {u, 0.0};
  }
}

std::vector<double> Constraint::unconstrain(std::span<const double> values, const Shape& shape,
                                            const std::vector<std::vector<double>>& bounds) const {
  unconstrained_size(shape);  // throws for invalid shapes
  if (static_cast<std::int64_t>(values.size()) != shape.size()) {
    throw DataError("constraint " + name() + ": a parameter of shape " + shape.to_string() + " has " +
                    std::to_string(shape.size()) + " elements, but " + std::to_string(values.size()) + " were given");
  }
  Blocks whole;
  whole.shape = shape;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) refuse(name(), whole, static_cast<std::int64_t>(i), values[i], "must be finite");
  }
  std::vector<double> u;
  if (kind_ >= Kind::simplex) {
    const Blocks blocks = is_matrix() ? matrix_blocks(shape, name()) : vector_blocks(shape, name());
    for (std::int64_t g = 0; g < blocks.groups; ++g) {
      switch (kind_) {
        case Kind::simplex: simplex_inverse(values, blocks, g, u); break;
        case Kind::ordered: ordered_inverse(values, blocks, g, false, u); break;
        case Kind::positive_ordered: ordered_inverse(values, blocks, g, true, u); break;
        case Kind::unit_vector: unit_vector_inverse(values, blocks, g, u); break;
        case Kind::cholesky_factor_correlation: cholesky_correlation_inverse(values, blocks, g, u); break;
        case Kind::correlation_matrix: correlation_inverse(values, blocks, g, u); break;
        case Kind::cholesky_factor_covariance: cholesky_covariance_inverse(values, blocks, g, u); break;
        default: covariance_inverse(values, blocks, g, u); break;
      }
    }
    return u;
  }
  std::vector<std::vector<double>> limits;
  std::vector<Shape> limit_shapes;
  for (std::size_t b = 0; b < bounds_.size(); ++b) {
    limits.push_back(bound_values(bounds_[b], b, bounds, name()));
    const auto count = static_cast<std::int64_t>(limits.back().size());
    limit_shapes.push_back(count == 1 ? Shape{} : count == bounds_[b].shape().size() ? bounds_[b].shape() : shape);
    if (count != 1 && count != limit_shapes.back().size()) {
      throw DataError("constraint " + name() + ": " + std::to_string(count) +
                      " values were given for the bound, whose shape is " + bounds_[b].shape().to_string());
    }
  }
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    const double x = values[static_cast<std::size_t>(i)];
    const auto limit = [&](std::size_t b) { return limits[b][broadcast_position(i, shape, limit_shapes[b])]; };
    switch (kind_) {
      case Kind::lower:
        if (!(x > limit(0))) refuse(name(), whole, i, x, "must be greater than " + number_text(limit(0)));
        u.push_back(std::log(x - limit(0)));
        break;
      case Kind::upper:
        if (!(x < limit(0))) refuse(name(), whole, i, x, "must be less than " + number_text(limit(0)));
        u.push_back(std::log(limit(0) - x));
        break;
      case Kind::interval:
        if (!(x > limit(0) && x < limit(1))) {
          refuse(name(), whole, i, x, "must lie between " + number_text(limit(0)) + " and " + number_text(limit(1)));
        }
        u.push_back(std::log(x - limit(0)) - std::log(limit(1) - x));
        break;
      case Kind::offset_multiplier:
        if (!(limit(1) > 0)) refuse(name(), whole, i, limit(1), "the multiplier must be greater than 0");
        u.push_back((x - limit(0)) / limit(1));
        break;
      default: u.push_back(x);
    }
  }
  return u;
}

}  // namespace sgmcmc
