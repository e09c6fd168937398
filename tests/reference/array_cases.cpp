// Gradient cases of the operations on whole arrays: reductions, linear algebra, picking and arranging, sparse rows.
#include "reference/gradient_cases.hpp"

namespace sgmcmc::reference {

std::vector<GradientCase> reduction_cases() {
  const Shape vector{3}, matrix{2, 3}, cube{2, 2, 3};
  std::vector<GradientCase> cases;
  // Each reduction of a global array, of a per-row array and of row data times a parameter; along every axis it takes.
  const auto add = [&](const std::string& name,
                       std::vector<std::pair<Shape, std::function<Expression(Expression)>>> fs) {
    GradientCase made{name, {}, true};
    for (const auto& entry : fs) {
      const Shape shape = entry.first;
      const auto f = entry.second;
      const std::string of = " of " + shape.to_string();
      made.forms.push_back(
          {"global" + of, [=](Parameters& p, const Columns&) { return probe(f(2.0 * p.spread(shape))); }});
      made.forms.push_back(
          {"nonlinear" + of, [=](Parameters& p, const Columns&) { return probe(square(f(exp(p.spread(shape))))); }});
      made.forms.push_back({"per-row" + of, [=](Parameters& p, const Columns& c) {
                              return probe(f(p.spread(shape) + p.scalar(0.6) * c.z));
                            }});
      made.forms.push_back({"large" + of, [=](Parameters& p, const Columns& c) {
                              return probe(f(40.0 * p.spread(shape) + 10.0 * c.x));
                            }});
      made.forms.push_back({"in a per-row product" + of,
                            [=](Parameters& p, const Columns& c) { return probe(f(p.spread(shape)) * c.x); }});
    }
    cases.push_back(std::move(made));
  };
  using E = const Expression&;
  add("sum", {{vector, [](E x) { return sum(x); }},
              {matrix, [](E x) { return sum(x); }},
              {matrix, [](E x) { return sum(x, 0); }},
              {matrix, [](E x) { return sum(x, 1); }},
              {cube, [](E x) { return sum(x, 1); }},
              {cube, [](E x) { return sum(x, -1); }}});
  add("mean", {{matrix, [](E x) { return mean(x); }}});
  add("maximum", {{vector, [](E x) { return maximum(x); }},
                  {matrix, [](E x) { return maximum(x, 0); }},
                  {matrix, [](E x) { return maximum(x, -1); }},
                  {cube, [](E x) { return maximum(x, 1); }}});
  add("minimum", {{vector, [](E x) { return minimum(x); }}, {matrix, [](E x) { return minimum(x); }}});
  add("log_sum_exp", {{vector, [](E x) { return log_sum_exp(x); }},
                      {matrix, [](E x) { return log_sum_exp(x); }},
                      {matrix, [](E x) { return log_sum_exp(x, 0); }},
                      {cube, [](E x) { return log_sum_exp(x, 1); }},
                      {matrix, [](E x) { return log_sum_exp(x, -1); }}});
  add("softmax", {{vector, [](E x) { return softmax(x); }}, {matrix, [](E x) { return softmax(x); }}});
  add("log_softmax", {{vector, [](E x) { return log_softmax(x); }}, {cube, [](E x) { return log_softmax(x); }}});
  add("cumulative_sum",
      {{vector, [](E x) { return cumulative_sum(x); }}, {matrix, [](E x) { return cumulative_sum(x); }}});
  return cases;
}

std::vector<GradientCase> linear_algebra_cases() {
  using P = Parameters&;
  using C = const Columns&;
  const Shape v{3}, m{2, 3}, q{3, 3};
  return {
      {"dot",
       {{"vectors",
         [=](P p, C) {
           const auto a = p.spread(v);
           return probe(dot(a, p.spread(v)));
         }},
        {"with itself",
         [=](P p, C) {
           const auto a = p.spread(v);
           return probe(dot(a, a));
         }},
        {"matrices", [=](P p, C c) { return probe(dot(p.spread(m), c.d)); }},
        {"scalars",
         [=](P p, C) {
           const auto a = p.scalar(0.4);
           return probe(dot(a, p.scalar(1.7)));
         }},
        {"row data", [=](P p, C c) { return probe(square(dot(c.z, p.spread(v)))); }},
        {"row data only", [=](P p, C c) { return probe(dot(c.z, c.z) * p.scalar(0.3)); }},
        {"both per-row",
         [=](P p, C c) {
           const auto a = p.spread(v) * c.x;
           return probe(dot(a, exp(c.z * p.spread(v))));
         }}}},
      {"matvec",
       {{"global",
         [=](P p, C) {
           const auto a = p.spread(m);
           return probe(square(matmul(a, p.spread(v))));
         }},
        {"vector first",
         [=](P p, C) {
           const auto a = p.spread(Shape{2});
           return probe(square(matmul(a, p.spread(m))));
         }},
        {"times row vector", [=](P p, C c) { return probe(square(matmul(p.spread(m), c.z))); }},
        {"row vector first", [=](P p, C c) { return probe(square(matmul(c.z, p.spread(q)))); }},
        {"row matrix", [=](P p, C c) { return probe(square(matmul(c.d, p.spread(v)))); }},
        {"row matrix second", [=](P p, C c) { return probe(square(matmul(p.spread(Shape{2}), c.d))); }},
        {"all per-row",
         [=](P p, C c) {
           const auto a = p.spread(m) + c.d;
           return probe(square(matmul(a, p.spread(v) * c.z)));
         }},
        {"row matrix and row vector", [=](P p, C c) { return probe(square(p.scalar(0.7) * matmul(c.d, c.z))); }}}},
      {"matmul",
       {{"global",
         [=](P p, C) {
           const auto a = p.spread(m);
           return probe(square(matmul(a, p.spread(q))));
         }},
        {"times its transpose",
         [=](P p, C) {
           const auto a = p.spread(m);
           return probe(square(matmul(a, transpose(a))));
         }},
        {"with itself",
         [=](P p, C) {
           const auto a = p.spread(q);
           return probe(matmul(a, a));
         }},
        {"row matrix first", [=](P p, C c) { return probe(square(matmul(c.d, p.spread(q)))); }},
        {"row matrix second",
         [=](P p, C c) {
           return probe(square(matmul(p.spread(Shape{3, 2}), c.d)));
         }},
        {"both per-row",
         [=](P p, C c) {
           const auto a = transpose(p.spread(m) + c.d);
           return probe(matmul(a, c.d * p.spread(m)));
         }}}},
      {"outer",
       {{"global",
         [=](P p, C) {
           const auto a = p.spread(v);
           return probe(square(outer(a, p.spread(Shape{2}))));
         }},
        {"with itself",
         [=](P p, C) {
           const auto a = p.spread(v);
           return probe(outer(a, a));
         }},
        {"row data second", [=](P p, C c) { return probe(square(outer(p.spread(Shape{2}), c.z))); }},
        {"row data first", [=](P p, C c) { return probe(outer(c.z, p.spread(v))); }},
        {"summed over rows, first global", [=](P p, C c) { return probe(row_sum(outer(p.spread(Shape{2}), c.z))); }},
        {"summed over rows, second global", [=](P p, C c) { return probe(row_sum(outer(c.z, p.spread(v)))); }},
        {"summed over rows",
         [=](P p, C c) { return probe(square(row_sum(outer(c.z * p.spread(v), c.z + p.scalar(0.2))))); }},
        {"scaled array summed over rows",
         [=](P p, C c) { return probe(square(row_sum((c.x * p.scalar(0.4)) * (c.d + p.spread(m))))); }},
        {"both per-row",
         [=](P p, C c) {
           const auto a = c.z + p.spread(v);
           return probe(square(outer(a, tanh(a))));
         }}}},
      {"transpose",
       {{"global", [=](P p, C) { return probe(square(transpose(p.spread(m)))); }},
        {"per-row", [=](P p, C c) { return probe(square(transpose(c.d * p.spread(m)))); }}}},
      {"diagonal",
       {{"global", [=](P p, C) { return probe(square(diagonal(p.spread(q)))); }},
        {"per-row", [=](P p, C c) { return probe(square(diagonal(outer(c.z, p.spread(v))))); }}}},
      {"diagonal_matrix",
       {{"global", [=](P p, C) { return probe(square(diagonal_matrix(p.spread(v)))); }},
        {"in a product", [=](P p, C c) { return probe(square(matmul(diagonal_matrix(p.spread(v)), c.z))); }}}},
      {"cholesky",
       {{"of A A' + I",
         [=](P p, C) {
           const auto a = p.spread(q);
           return probe(cholesky(matmul(a, transpose(a)) + diagonal_matrix(constant({1.0, 1.0, 1.0}))));
         }},
        {"of a parameter, read below the diagonal only",
         [=](P p, C) { return probe(square(cholesky(well_conditioned(p, 3.0)))); }},
        {"of a number",
         [=](P p, C) {
           return probe(cholesky(p.make({2.3}, Shape{1, 1})));
         }},
        {"per-row", [=](P p, C c) { return probe(cholesky(well_conditioned(p, 3.0) + outer(c.z, c.z))); }}}},
      {"solve_triangular",
       {{"vector",
         [=](P p, C) {
           const auto l = well_conditioned(p, 1.5);
           return probe(square(solve_triangular(l, p.spread(v))));
         }},
        {"matrix",
         [=](P p, C) {
           const auto l = well_conditioned(p, 1.5);
           return probe(square(solve_triangular(l, p.spread(Shape{3, 2}))));
         }},
        {"transposed, vector",
         [=](P p, C) {
           const auto l = well_conditioned(p, 1.5);
           return probe(square(solve_triangular(l, p.spread(v), Triangle::lower_transposed)));
         }},
        {"transposed, matrix",
         [=](P p, C) {
           const auto l = well_conditioned(p, 1.5);
           return probe(square(solve_triangular(l, p.spread(Shape{3, 2}), Triangle::lower_transposed)));
         }},
        {"of row data",
         [=](P p, C c) {
           const auto l = well_conditioned(p, 1.5);
           return probe(square(solve_triangular(l, c.z - p.spread(v))));
         }},
        {"transposed, of row data",
         [=](P p, C c) {
           return probe(square(solve_triangular(well_conditioned(p, 1.5), c.z, Triangle::lower_transposed)));
         }},
        {"of a row matrix",
         [=](P p, C c) { return probe(square(solve_triangular(well_conditioned(p, 1.5), transpose(c.d)))); }},
        {"with a per-row factor",
         [=](P p, C c) {
           const auto l = well_conditioned(p, 2.0) + 0.3 * outer(c.z, c.z);
           return probe(square(solve_triangular(l, p.spread(v))));
         }}}},
      {"log_determinant_spd",
       {{"global", [=](P p, C) { return probe(log_determinant_spd(well_conditioned(p, 2.0))); }},
        {"per-row", [=](P p, C c) { return probe(log_determinant_spd(well_conditioned(p, 2.0) + outer(c.z, c.z))); }}}},
  };
}

std::vector<GradientCase> matrix_function_cases() {
  using P = Parameters&;
  using C = const Columns&;
  const Shape v{3}, m{3, 2}, r{2, 3}, q{3, 3};
  // Far from symmetric, with distinct eigenvalues, and with a determinant below 0.
  const auto general = [=](P p) { return p.spread(q) + diagonal_matrix(constant({1.5, -2.0, 3.0})); };
  const auto positive_definite = [=](P p) {
    const auto a = p.spread(q);
    return tcrossprod(a) + diagonal_matrix(constant({1.0, 2.0, 4.0}));
  };
  const auto two = [](P p, const std::function<Expression(P)>& a, const Shape& shape,
                      const std::function<Expression(Expression, Expression)>& f) {
    const auto first = a(p);
    return probe(square(f(first, p.spread(shape))));
  };
  using E = const Expression&;
  return {
      {"solve",
       {{"vector", [=](P p, C) { return two(p, general, v, [](E a, E b) { return solve(a, b); }); }},
        {"matrix", [=](P p, C) { return two(p, general, m, [](E a, E b) { return mdivide_left(a, b); }); }},
        {"transposed", [=](P p, C) { return two(p, general, v, [](E a, E b) { return solve_transposed(a, b); }); }},
        {"from the right", [=](P p, C) { return two(p, general, r, [](E a, E b) { return mdivide_right(b, a); }); }},
        {"row vector", [=](P p, C) { return two(p, general, v, [](E a, E b) { return mdivide_right(b, a); }); }},
        {"spd", [=](P p, C) { return two(p, positive_definite, m, [](E a, E b) { return mdivide_left_spd(a, b); }); }},
        {"spd from the right",
         [=](P p, C) { return two(p, positive_definite, r, [](E a, E b) { return mdivide_right_spd(b, a); }); }},
        {"triangular", [=](P p, C) { return two(p, general, m, [](E a, E b) { return mdivide_left_tri_low(a, b); }); }},
        {"triangular from the right",
         [=](P p, C) { return two(p, general, r, [](E a, E b) { return mdivide_right_tri_low(b, a); }); }},
        {"row data", [=](P p, C c) { return probe(square(solve(general(p), c.z))); }},
        {"per-row matrix", [=](P p, C c) { return probe(solve(general(p) + 0.1 * outer(c.z, c.z), c.z)); }}}},
      {"inverse",
       {{"general", [=](P p, C) { return probe(inverse(general(p))); }},
        {"spd", [=](P p, C) { return probe(inverse_spd(positive_definite(p))); }}}},
      {"determinant",
       {{"global", [=](P p, C) { return probe(determinant(general(p))); }},
        {"per-row", [=](P p, C c) { return probe(determinant(general(p) + 0.1 * outer(c.z, c.z))); }}}},
      {"log_determinant",
       {{"global", [=](P p, C) { return probe(log_determinant(general(p))); }},
        {"per-row", [=](P p, C c) { return probe(log_determinant(general(p) + 0.1 * outer(c.z, c.z))); }}}},
      {"quad_form",
       {{"matrix", [=](P p, C) { return two(p, general, m, [](E a, E b) { return quad_form(a, b); }); }},
        {"vector", [=](P p, C) { return two(p, general, v, [](E a, E b) { return quad_form(a, b); }); }},
        {"trace", [=](P p, C) { return two(p, general, m, [](E a, E b) { return trace_quad_form(a, b); }); }},
        {"general trace",
         [=](P p, C) { return two(p, general, q, [](E a, E b) { return trace_gen_quad_form(b, a, transpose(b)); }); }},
        {"row data", [=](P p, C c) { return probe(quad_form(general(p), c.z)); }}}},
      {"crossprod",
       {{"plain", [=](P p, C) { return probe(square(crossprod(p.spread(r)))); }},
        {"transposed", [=](P p, C) { return probe(square(tcrossprod(p.spread(r)))); }},
        {"lower triangle", [=](P p, C) { return probe(square(multiply_lower_tri_self_transpose(p.spread(q)))); }},
        {"trace", [=](P p, C) { return probe(square(trace(p.spread(q)))); }}}},
      {"matrix_exp",
       {{"global", [=](P p, C) { return probe(matrix_exp(0.4 * general(p))); }},
        {"large", [=](P p, C) { return probe(log(square(matrix_exp(4.0 * general(p))))); }},
        {"per-row", [=](P p, C c) { return probe(matrix_exp(0.3 * p.spread(q) + 0.2 * outer(c.z, c.z))); }}}},
      {"eigenvalues_sym",
       {{"global", [=](P p, C) { return probe(square(eigenvalues_sym(positive_definite(p)))); }},
        {"lower triangle", [=](P p, C) { return probe(eigenvalues_sym(general(p))); }},
        {"per-row", [=](P p, C c) { return probe(eigenvalues_sym(general(p) + 0.1 * outer(c.z, c.z))); }}}},
      // The sign of an eigenvector is arbitrary: only quantities that do not depend on it can be compared.
      {"eigenvectors_sym",
       {{"squares", [=](P p, C) { return probe(square(eigenvectors_sym(general(p)))); }},
        {"projection",
         [=](P p, C) {
           const auto one = column(eigenvectors_sym(general(p)), 1);
           return probe(outer(one, one));
         }},
        {"per-row", [=](P p, C c) { return probe(square(eigenvectors_sym(general(p) + 0.1 * outer(c.z, c.z)))); }}}},
      {"singular_values",
       {{"tall",
         [=](P p, C) {
           return probe(singular_values(p.spread(m) + constant({3, 0, 0, 1, 0, 0}, m)));
         }},
        {"wide",
         [=](P p, C) {
           return probe(singular_values(p.spread(r) + constant({3, 0, 0, 0, 1, 0}, r)));
         }}}},
  };
}

std::vector<GradientCase> arranging_cases() {
  using P = Parameters&;
  using C = const Columns&;
  const Shape v{3}, m{2, 3};
  return {
      {"gather",
       {{"of a vector", [=](P p, C c) { return probe(square(gather(p.spread(Shape{4}), c.group, 1))); }},
        {"of a matrix",
         [=](P p, C c) {
           return probe(square(gather(p.spread(Shape{4, 3}), c.group, 1)));
         }},
        {"of a cube",
         [=](P p, C c) {
           return probe(square(gather(p.spread(Shape{4, 2, 3}), c.group, 1)));
         }},
        {"by one of several indices", [=](P p, C c) { return probe(exp(gather(p.spread(Shape{4}), c.pair[1]))); }},
        {"by a vector of indices", [=](P p, C c) { return probe(square(gather(p.spread(Shape{4}), c.pair))); }},
        {"of a matrix by a vector of indices",
         [=](P p, C c) {
           return probe(square(gather(p.spread(Shape{4, 3}), c.pair)));
         }},
        {"of a per-row table", [=](P p, C c) { return probe(square(gather(p.spread(m) + c.d, c.y))); }},
        {"of row data", [=](P p, C c) { return probe(gather(c.d, c.y) * p.spread(v)); }},
        {"not weighted by rows", [=](P p, C c) { return row_sum(gather(p.spread(Shape{4}), c.group, 1)); }},
        {"twice by one index",
         [=](P p, C c) {
           const auto table = p.spread(Shape{4, 3});
           return probe(exp(gather(table, c.group, 1)) * sin(gather(table, c.group, 1)));
         }},
        {"by two indices",
         [=](P p, C c) {
           const auto table = p.spread(Shape{4, 3});
           return probe(dot(gather(table, c.group, 1), gather(table, c.pair[0])));
         }}}},
      {"take",
       {{"repeats and gaps",
         [=](P p, C) {
           return probe(square(take(p.spread(m), {5, -1, 0, 0, 3, 5}, Shape{3, 2})));
         }},
        {"per-row",
         [=](P p, C c) {
           return probe(square(take(p.spread(m) * c.d, {1, 1, -1, 4}, Shape{4})));
         }},
        {"all of it",
         [=](P p, C) {
           return probe(square(take(p.spread(m), {0, 1, 2, 3, 4, 5}, Shape{6})));
         }},
        {"not weighted by rows", [=](P p, C c) { return row_sum(take(p.spread(v) + c.z, {2}, Shape{})); }}}},
      {"slice",
       {{"of a vector", [=](P p, C) { return probe(square(slice(p.spread(Shape{5}), 1, 3))); }},
        {"of a matrix", [=](P p, C c) { return probe(slice(p.spread(m), 1, 1) * slice(c.d, 0, 1)); }},
        {"element", [=](P p, C c) { return probe(square(p.spread(v)[2]) * c.z[0]); }},
        {"row of a matrix", [=](P p, C c) { return probe(square(p.spread(m)[1] + c.d[0])); }},
        {"column of a matrix", [=](P p, C c) { return probe(square(column(p.spread(m), 2) + column(c.d, 0))); }}}},
      {"concatenate",
       {{"vectors and scalars",
         [=](P p, C) {
           const auto a = p.scalar(0.3);
           const auto b = p.spread(v);
           return probe(square(concatenate({a, b, a * b})));
         }},
        {"with row data",
         [=](P p, C c) {
           return probe(square(concatenate({p.scalar(0.9), c.z * p.spread(v), c.x})));
         }},
        {"global parts of a per-row result",
         [=](P p, C c) {
           return probe(c.x * concatenate({p.spread(v), c.z}));
         }},
        {"matrices",
         [=](P p, C c) {
           return probe(square(concatenate({p.spread(m), c.d, p.spread(Shape{1, 3})})));
         }},
        {"one part", [=](P p, C) { return probe(concatenate({square(p.scalar(0.4))})); }}}},
      {"stack",
       {{"scalars",
         [=](P p, C c) {
           const auto a = p.scalar(0.3);
           return probe(square(stack({a, c.x * a, p.scalar(1.1)})));
         }},
        {"vectors",
         [=](P p, C c) {
           const auto a = p.spread(v);
           return probe(square(stack({a, c.z * a})));
         }},
        {"one part", [=](P p, C) { return probe(square(stack({p.spread(v)}))); }}}},
      {"reshape",
       {{"global",
         [=](P p, C) {
           return probe(square(reshape(p.spread(m), Shape{3, 2})));
         }},
        {"per-row",
         [=](P p, C c) {
           return probe(matmul(reshape(c.d * p.spread(m), Shape{3, 2}), p.spread(Shape{2})));
         }},
        {"not weighted by rows", [=](P p, C c) { return sum(row_sum(reshape(p.spread(m) * c.d, Shape{6}))); }}}},
      {"broadcast_to",
       {{"scalar", [=](P p, C) { return probe(square(broadcast_to(p.scalar(0.7), m))); }},
        {"vector",
         [=](P p, C c) {
           return probe(square(broadcast_to(p.spread(v) * c.z, Shape{2, 2, 3})));
         }},
        {"column",
         [=](P p, C) {
           return probe(square(broadcast_to(p.spread(Shape{2, 1}), m)));
         }}}},
      {"sparse_dot",
       {{"plain", [=](P p, C c) { return probe(square(dot(c.u, p.spread(Shape{4})))); }},
        {"second operand", [=](P p, C c) { return probe(exp(dot(p.spread(Shape{4}), c.u))); }},
        {"not weighted by rows", [=](P p, C c) { return row_sum(dot(c.u, p.spread(Shape{4}))); }},
        {"twice",
         [=](P p, C c) {
           const auto b = p.spread(Shape{4});
           return probe(dot(c.u, b) * sin(dot(c.u, b)));
         }},
        {"per-row coefficients", [=](P p, C c) { return probe(square(dot(c.u, c.x * p.spread(Shape{4})))); }}}},
      {"sparse_matvec",
       {{"plain",
         [=](P p, C c) {
           return probe(square(matmul(p.spread(Shape{2, 4}), c.u)));
         }},
        {"not weighted by rows",
         [=](P p, C c) {
           return sum(row_sum(matmul(p.spread(Shape{2, 4}), c.u)));
         }},
        {"twice",
         [=](P p, C c) {
           const auto b = p.spread(Shape{2, 4});
           return probe(matmul(b, c.u) * exp(matmul(b, c.u)));
         }},
        {"per-row matrix",
         [=](P p, C c) {
           return probe(square(matmul(c.x * p.spread(Shape{2, 4}), c.u)));
         }}}},
  };
}

}  // namespace sgmcmc::reference
