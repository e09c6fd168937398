// The derivative of every op. Names in the formulas: y = op(a, b, c), g the adjoint of y.
#include "graph/gradient_rules.hpp"

#include "graph/build.hpp"
#include "graph/node.hpp"

#include <sgmcmc/error.hpp>

#include <cmath>
#include <numbers>
#include <numeric>

namespace sgmcmc {
namespace {

/// phi(a) / Phi(a), given y = log Phi(a). Far in the lower tail the exponents are huge and nearly equal, so it uses the
/// asymptotic series in t = -a; each branch stays finite where the other is used, for second derivatives.
Expression normal_hazard(const Expression& a, const Expression& y) {
  auto t = max(-a, 30.0);
  auto r = reciprocal(square(t));
  auto tail = t * (1.0 + r * (1.0 - r * (2.0 - r * (10.0 - r * (74.0 - 706.0 * r)))));
  auto exponent = -0.5 * square(a) - y - 0.5 * std::log(2.0 * std::numbers::pi);
  return select(a < -30.0, tail, exp(min(exponent, 4.0)));
}

}  // namespace

std::vector<Expression> gradient_contributions(const Expression& y, const Expression& g,
                                               const std::vector<bool>& needed) {
  const Node& n = y.node();
  const Expression none;
  const Expression a = n.inputs.empty() ? none : n.inputs[0];
  const Expression b = n.inputs.size() < 2 ? none : n.inputs[1];
  auto want_b = [&] { return needed.size() > 1 && needed[1]; };
  switch (n.op) {
    case Op::constant:
    case Op::parameter:
    case Op::row_real:
    case Op::row_integer:
    case Op::row_sparse:
    case Op::row_weight: return {};

    case Op::negate: return {-g};
    case Op::exp: return {g * y};
    case Op::log: return {g / a};
    case Op::log1p: return {g / (1.0 + a)};
    case Op::expm1: return {g * exp(a)};
    case Op::logistic: return {g * (y * logistic(-a))};
    case Op::log_logistic: return {g * logistic(-a)};
    case Op::log1p_exp: return {g * logistic(a)};
    case Op::log1m_exp: return {-(g * exp(a - y))};  // not 1 / expm1(-a): its derivative is inf * 0 for a < -700
    case Op::tanh: return {g * (1.0 - square(y))};
    case Op::sinh: return {g * cosh(a)};
    case Op::cosh: return {g * sinh(a)};
    case Op::sin: return {g * cos(a)};
    case Op::cos: return {-(g * sin(a))};
    case Op::tan: return {g * (1.0 + square(y))};
    case Op::asin: return {g / sqrt(1.0 - square(a))};
    case Op::acos: return {-(g / sqrt(1.0 - square(a)))};
    case Op::atan: return {g / (1.0 + square(a))};
    case Op::sqrt: return {0.5 * g / y};
    case Op::square: return {2.0 * g * a};
    case Op::reciprocal: return {-((g * y) * y)};  // y * y may overflow where g * y does not
    case Op::abs: return {g * sign(a)};
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::round: return {none};
    case Op::lgamma: return {g * digamma(a)};
    case Op::digamma: return {g * trigamma(a)};
    case Op::trigamma: return {g * build::unary(Op::tetragamma, a)};
    case Op::tetragamma:
      throw ModelError(
          "the derivative of tetragamma is not implemented; derivatives of lgamma are supported up to order 3");
    case Op::erf: return {(2.0 / std::sqrt(std::numbers::pi)) * g * exp(-square(a))};
    case Op::erfc: return {(-2.0 / std::sqrt(std::numbers::pi)) * g * exp(-square(a))};
    case Op::phi: return {(1.0 / std::sqrt(2.0 * std::numbers::pi)) * g * exp(-0.5 * square(a))};
    case Op::log_phi:
      return {g * normal_hazard(a, y)};

// clang-format off
#define X(name) case Op::name:
    SGMCMC_SPECIAL_UNARY_OPS(X) SGMCMC_SPECIAL_BINARY_OPS(X) SGMCMC_TERNARY_OPS(X)
#undef X
          // clang-format on
          return special_contributions(y, g, needed);

    case Op::add: return {g, g};
    case Op::subtract: return {g, want_b() ? -g : none};
    case Op::multiply: return {needed[0] ? g * b : none, want_b() ? g * a : none};
    case Op::divide: return {needed[0] ? g / b : none, want_b() ? -((g / b) * y) : none};
    case Op::pow: return {needed[0] ? g * (b * pow(a, b - 1.0)) : none, want_b() ? g * multiply_log(y, a) : none};
    case Op::maximum: {
      auto first = b <= a;
      return {needed[0] ? g * first : none, want_b() ? g * (1.0 - first) : none};
    }
    case Op::minimum: {
      auto first = a <= b;
      return {needed[0] ? g * first : none, want_b() ? g * (1.0 - first) : none};
    }
    case Op::log_add_exp: return {needed[0] ? g * logistic(a - b) : none, want_b() ? g * logistic(b - a) : none};
    case Op::multiply_log:
      return {needed[0] ? g * log(b) : none,
              want_b() ? g * build::binary(Op::zero_safe_divide, a, b, "zero_safe_divide") : none};
    case Op::zero_safe_divide:
      return {needed[0] ? g / b : none,
              want_b() ? -build::binary(Op::zero_safe_divide, g * y, b, "zero_safe_divide") : none};
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal: return {none, none};
    case Op::select: return {none, needed[1] ? select(a, g, 0.0) : none, needed[2] ? select(a, 0.0, g) : none};

    case Op::sum:
      if (y.shape().is_scalar() && n.attributes.axis.length == a.shape().size())
        return {g};  // one scalar for all elements
      return {build::repeat_along(g, n.attributes.axis, a.shape())};
    case Op::reduce_max: {
      // Elements that tie for the largest share the adjoint, so that the result is a subgradient.
      auto hit = equal(a, build::repeat_along(y, n.attributes.axis, a.shape()));
      auto ties = build::along_axis(Op::sum, hit, n.attributes.axis, n.shape);
      return {build::repeat_along(g / ties, n.attributes.axis, a.shape()) * hit};
    }
    case Op::log_sum_exp: {
      auto weights = build::along_axis(Op::softmax, a, n.attributes.axis, a.shape());
      return {(g.shape().is_scalar() ? g : build::repeat_along(g, n.attributes.axis, a.shape())) * weights};
    }
    case Op::softmax: {
      auto reduced = Shape{n.attributes.axis.outer * n.attributes.axis.inner};
      auto inner = build::along_axis(Op::sum, g * y, n.attributes.axis, reduced);
      return {y * (g - build::repeat_along(inner, n.attributes.axis, a.shape()))};
    }
    case Op::log_softmax: {
      auto reduced = Shape{n.attributes.axis.outer * n.attributes.axis.inner};
      auto total = build::along_axis(Op::sum, g, n.attributes.axis, reduced);
      return {g - exp(y) * build::repeat_along(total, n.attributes.axis, a.shape())};
    }
    case Op::cumulative_sum: {
      auto attributes = n.attributes;
      attributes.reverse = !attributes.reverse;
      return {build::node(Op::cumulative_sum, {g}, a.shape(), attributes)};
    }

    case Op::dot: return {needed[0] ? g * b : none, want_b() ? g * a : none};
    case Op::matvec: {
      bool t = n.attributes.transpose_a;
      return {needed[0] ? (t ? outer(b, g) : outer(g, b)) : none, want_b() ? build::matvec(a, g, !t) : none};
    }
    case Op::matmul: {
      bool ta = n.attributes.transpose_a;
      bool tb = n.attributes.transpose_b;
      return {!needed[0] ? none
              : ta       ? build::matmul(b, g, tb, true)
                         : build::matmul(g, b, false, !tb),
              !want_b() ? none
              : tb      ? build::matmul(g, a, true, ta)
                        : build::matmul(a, g, !ta, false)};
    }
    case Op::outer: return {needed[0] ? build::matvec(g, b, false) : none, want_b() ? build::matvec(g, a, true) : none};
    case Op::cholesky:
    case Op::solve_triangular:
    case Op::solve:
    case Op::determinant:
    case Op::log_determinant:
    case Op::matrix_exp:
    case Op::eigenvalues_sym:
    case Op::eigenvectors_sym: return matrix_contributions(y, g, needed);

    case Op::reshape: return {reshape(g, a.shape())};
    case Op::take: return {build::scatter(g, n.attributes.positions, a.shape())};
    case Op::scatter: return {take(g, *n.attributes.positions, a.shape())};
    case Op::concat: {
      std::vector<Expression> parts;
      std::int64_t start = 0;
      for (std::size_t i = 0; i < n.inputs.size(); ++i) {
        auto count = n.inputs[i].shape().size();
        if (needed[i]) {
          std::vector<std::int64_t> positions(static_cast<std::size_t>(count));
          std::iota(positions.begin(), positions.end(), start);
          parts.push_back(take(g, std::move(positions), n.inputs[i].shape()));
        } else {
          parts.push_back(none);
        }
        start += count;
      }
      return parts;
    }

    case Op::gather: return {build::scatter_rows(g, b, a.shape(), n.attributes.offset), none};
    case Op::scatter_rows:
    case Op::row_sum_scatter: return {gather(g, b, n.attributes.offset), none};
    case Op::sparse_dot: return {none, build::node(Op::sparse_scale, {a, g}, b.shape())};
    case Op::sparse_matvec: return {none, build::node(Op::sparse_outer, {a, g}, b.shape())};
    case Op::sparse_scale:
    case Op::row_sum_sparse_scale: return {none, dot(a, g)};
    case Op::sparse_outer:
    case Op::row_sum_sparse_outer: return {none, matmul(g, a)};

    case Op::row_sum: return {g};
    case Op::row_sum_outer:
      return {needed[0] ? build::matvec(g, b, false) : none, want_b() ? build::matvec(g, a, true) : none};
  }
  return {};
}

}  // namespace sgmcmc
