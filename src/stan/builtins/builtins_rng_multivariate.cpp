// Random vectors, matrices and outcomes of several kinds.
#include "stan/builtins/draw.hpp"
#include "stan/builtins/matrix_operands.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc::stan {
namespace {

std::span<const double> values(const Operand& x) { return x.numbers; }

std::vector<double> softmax_weights(std::span<const double> logits) {
  std::vector<double> weights(logits.begin(), logits.end());
  const double high = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
  for (double& weight : weights) weight = std::exp(weight - high);
  return weights;
}

std::vector<double> normals(std::int64_t size, UniformSource& uniform) {
  std::vector<double> z(static_cast<std::size_t>(size));
  for (double& number : z) number = draw::normal(uniform);
  return z;
}

/// The parametrisation of a multivariate normal's matrix.
enum class MatrixKind : std::uint8_t { covariance, precision, factor };

/// A matrix A with A A' the covariance.
DenseMatrix spread(const Operand& matrix, MatrixKind kind) {
  const DenseMatrix given = matrix_of(matrix);
  if (kind == MatrixKind::factor) return lower_triangle(given);
  const DenseMatrix factor = cholesky_factor(given);
  return kind == MatrixKind::covariance ? factor : transposed_inverse_of_lower(factor);
}

/// One vector per location; with degrees of freedom, from a Student distribution.
Operand located_vectors(const BuiltinCall& call, UniformSource& uniform, const Operand& location, const Operand& matrix,
                        MatrixKind kind, double degrees) {
  if (matrix.dims[0] != matrix.dims[1]) refuse(call, shape_text(matrix) + " is not square");
  if (location.dims.back() != matrix.dims[0])
    refuse(call, "the location is " + shape_text(location) + ", the matrix " + shape_text(matrix));
  const std::int64_t size = matrix.dims[0];
  const DenseMatrix factor = spread(matrix, kind);
  Operand result{{Base::vector, location.type.array_rank}, location.dims, location.numbers, {}};
  for (std::size_t at = 0; at < result.numbers.size(); at += static_cast<std::size_t>(size)) {
    std::vector<double> step = product(factor, normals(size, uniform));
    if (std::isfinite(degrees)) {
      const double scale = std::sqrt(draw::gamma(uniform, 0.5 * degrees) / (0.5 * degrees));
      for (double& number : step) number /= scale;
    }
    for (std::size_t i = 0; i < step.size(); ++i) result.numbers[at + i] += step[i];
  }
  return result;
}

/// Bartlett's factor of a Wishart matrix of unit scale.
DenseMatrix bartlett(double degrees, std::int64_t size, UniformSource& uniform) {
  DenseMatrix factor(size, size);
  for (std::int64_t i = 0; i < size; ++i) {
    factor(i, i) = std::sqrt(2 * draw::gamma(uniform, 0.5 * (degrees - static_cast<double>(i))));
    for (std::int64_t j = 0; j < i; ++j) factor(i, j) = draw::normal(uniform);
  }
  return factor;
}

DenseMatrix wishart(const BuiltinCall& call, UniformSource& uniform, double degrees, const DenseMatrix& scale) {
  if (scale.rows != scale.columns) refuse(call, "the scale is not square");
  if (degrees <= static_cast<double>(scale.rows) - 1)
    refuse(call, "the number of degrees of freedom must be greater than the number of rows minus 1");
  const DenseMatrix factor = product(cholesky_factor(scale), bartlett(degrees, scale.rows, uniform));
  return product_transposed(factor, factor);
}

/// Lewandowski, Kurowicka and Joe (2009), section 3.2: partial correlations of column j are beta variates.
DenseMatrix correlation_factor(std::int64_t size, double shape, UniformSource& uniform) {
  DenseMatrix partial(size, size);
  for (std::int64_t i = 0; i < size; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      const double b = shape + 0.5 * static_cast<double>(size - 2 - j);
      partial(i, j) = 2 * draw::beta(uniform, b, b) - 1;
    }
  }
  return sgmcmc::correlation_factor(partial);
}

Operand dirichlet_draw(const BuiltinCall& call, UniformSource& uniform) {
  std::vector<double> logs;
  for (const double shape : call[0].numbers) logs.push_back(draw::log_gamma(uniform, shape));
  std::vector<double> shares = softmax_weights(logs);
  double total = 0;
  for (const double share : shares) total += share;
  for (double& share : shares) share /= total;
  return vector_operand(std::move(shares));
}

/// Counts of `trials` among outcomes with these weights.
Operand multinomial(std::span<const double> weights, double trials, UniformSource& uniform) {
  double left = 0;
  for (const double weight : weights) left += weight;
  std::vector<double> counts(weights.size(), 0.0);
  for (std::size_t k = 0; k < weights.size() && trials > 0; ++k) {
    const double share = k + 1 == weights.size() ? 1 : std::min(1.0, weights[k] / left);
    counts[k] = left > 0 ? draw::binomial(uniform, trials, share) : 0;
    trials -= counts[k];
    left -= weights[k];
  }
  const auto size = static_cast<std::int64_t>(counts.size());
  return numbers_operand({Base::integer, 1}, {size}, std::move(counts));
}

/// An ordinal outcome, from 1, given a latent location and cutpoints.
Operand cut(const BuiltinCall& call, double latent) {
  std::int64_t outcome = 1;
  for (const double cutpoint : call[1].numbers) outcome += latent > cutpoint;
  return integer_operand(outcome);
}

/// For each row x of the predictors, alpha + x beta.
std::vector<double> linear(const BuiltinCall& call) {
  const Operand &x = call[0], &alpha = call[1], &beta = call[2];
  const bool one_row = x.type != matrix_type;
  const std::int64_t rows = !one_row ? x.dims[0] : alpha.dims.empty() ? 1 : alpha.dims[0];
  if (x.dims.back() != beta.dims[0])
    refuse(call,
           "the predictors are " + shape_text(x) + " but there are " + std::to_string(beta.dims[0]) + " coefficients");
  if (!alpha.dims.empty() && alpha.dims[0] != rows)
    refuse(call, "the predictors are " + shape_text(x) + ", the intercept " + shape_text(alpha));
  std::vector<double> location;
  for (std::int64_t i = 0; i < rows; ++i) {
    const double intercept = alpha.numbers[alpha.dims.empty() ? 0 : static_cast<std::size_t>(i)];
    const auto row = values(x).subspan(static_cast<std::size_t>((one_row ? 0 : i) * beta.dims[0]), beta.numbers.size());
    location.push_back(plus_product(intercept, row, beta.numbers));
  }
  return location;
}

Operand listed(Base base, std::vector<double> numbers) {
  const auto size = static_cast<std::int64_t>(numbers.size());
  return numbers_operand({base, 1}, {size}, std::move(numbers));
}

void add(Table& table, const char* name, std::initializer_list<std::string_view> signatures, Draw draw) {
  table.add(name, signatures, Apply()).draw = std::move(draw);
}

}  // namespace

void add_multivariate_generators(Table& table) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto normal_of = [&](const char* name, std::string_view signature, MatrixKind kind) {
    add(table, name, {signature}, [kind, infinity](const BuiltinCall& call, UniformSource& uniform) {
      return located_vectors(call, uniform, call[0], call[1], kind, infinity);
    });
  };
  normal_of("multi_normal_rng", "(finite vectors location, positive_definite matrix covariance): vectors",
            MatrixKind::covariance);
  normal_of("multi_normal_prec_rng", "(finite vectors location, positive_definite matrix precision): vectors",
            MatrixKind::precision);
  normal_of("multi_normal_cholesky_rng", "(finite vectors location, factor matrix Cholesky factor): vectors",
            MatrixKind::factor);
  add(table, "multi_student_t_rng",
      {"(positive real number of degrees of freedom, finite vectors location, positive_definite matrix scale): "
       "vectors"},
      [](const BuiltinCall& call, UniformSource& uniform) {
        return located_vectors(call, uniform, call[1], call[2], MatrixKind::covariance, call[0].numbers[0]);
      });
  add(table, "multi_student_t_cholesky_rng",
      {"(positive real number of degrees of freedom, finite vectors location, factor matrix Cholesky factor): vectors"},
      [](const BuiltinCall& call, UniformSource& uniform) {
        return located_vectors(call, uniform, call[1], call[2], MatrixKind::factor, call[0].numbers[0]);
      });
  const std::initializer_list<std::string_view> matrices{
      "(positive real number of degrees of freedom, positive_definite matrix scale): matrix"};
  add(table, "wishart_rng", matrices, [](const BuiltinCall& call, UniformSource& uniform) {
    return matrix_operand(wishart(call, uniform, call[0].numbers[0], matrix_of(call[1])));
  });
  add(table, "inv_wishart_rng", matrices, [](const BuiltinCall& call, UniformSource& uniform) {
    return matrix_operand(inverse(wishart(call, uniform, call[0].numbers[0], inverse(matrix_of(call[1])))));
  });
  const std::initializer_list<std::string_view> correlations{"(natural int size, positive_finite real shape): matrix"};
  add(table, "lkj_corr_cholesky_rng", correlations, [](const BuiltinCall& call, UniformSource& uniform) {
    return matrix_operand(correlation_factor(integer_argument(call, 0, "size"), call[1].numbers[0], uniform));
  });
  add(table, "lkj_corr_rng", correlations, [](const BuiltinCall& call, UniformSource& uniform) {
    const DenseMatrix factor = correlation_factor(integer_argument(call, 0, "size"), call[1].numbers[0], uniform);
    return matrix_operand(product_transposed(factor, factor));
  });
  add(table, "dirichlet_rng", {"(positive_finite vector concentration): vector"}, dirichlet_draw);
  add(table, "multinomial_rng", {"(simplex vector vector of probabilities, count int number of trials): array[] int"},
      [](const BuiltinCall& call, UniformSource& uniform) {
        return multinomial(values(call[0]), call[1].numbers[0], uniform);
      });
  add(table, "multinomial_logit_rng", {"(finite vector vector of logits, count int number of trials): array[] int"},
      [](const BuiltinCall& call, UniformSource& uniform) {
        return multinomial(softmax_weights(values(call[0])), call[1].numbers[0], uniform);
      });
  add(table, "dirichlet_multinomial_rng",
      {"(positive_finite vector concentration, count int number of trials): array[] int"},
      [](const BuiltinCall& call, UniformSource& uniform) {
        return multinomial(dirichlet_draw(call, uniform).numbers, call[1].numbers[0], uniform);
      });
  add(table, "categorical_rng", {"(simplex vector vector of probabilities): int"},
      [](const BuiltinCall& call, UniformSource& uniform) {
        return integer_operand(static_cast<std::int64_t>(draw::category(uniform, values(call[0]))) + 1);
      });
  add(table, "categorical_logit_rng", {"(finite vector vector of logits): int"},
      [](const BuiltinCall& call, UniformSource& uniform) {
        return integer_operand(static_cast<std::int64_t>(draw::category(uniform, softmax_weights(values(call[0])))) +
                               1);
      });
  const std::initializer_list<std::string_view> cutpoints{
      "(finite real location, ordered vector vector of cutpoints): int"};
  add(table, "ordered_logistic_rng", cutpoints, [](const BuiltinCall& call, UniformSource& uniform) {
    return cut(call, call[0].numbers[0] - std::log(1 / uniform.next() - 1));
  });
  add(table, "ordered_probit_rng", cutpoints, [](const BuiltinCall& call, UniformSource& uniform) {
    return cut(call, call[0].numbers[0] + draw::normal(uniform));
  });
  const std::initializer_list<std::string_view> predictors{
      "(matrix predictors, reals intercept, vector vector of coefficients): array[] int",
      "(row_vector predictors, reals intercept, vector vector of coefficients): array[] int"};
  add(table, "bernoulli_logit_glm_rng", predictors, [](const BuiltinCall& call, UniformSource& uniform) {
    std::vector<double> outcomes = linear(call);
    for (double& at : outcomes) at = uniform.next() < 1 / (1 + std::exp(-at)) ? 1 : 0;
    return listed(Base::integer, std::move(outcomes));
  });
}

}  // namespace sgmcmc::stan
