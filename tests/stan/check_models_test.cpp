// Valid programs: every model of the project, and short ones that a checker could wrongly reject.
#include "stan/check/check.hpp"
#include "stan/syntax/parse.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace sgmcmc::stan::testing {
namespace {

/// The error in a program; empty if there is none.
std::string mistake_in(const std::string& name, const std::string& text) {
  try {
    const Source source(name, text);
    Program program = parse(source);
    check(program, source);
    return {};
  } catch (const StanError& error) {
    return error.what();
  }
}

TEST(CheckModels, ModelsOfTheProject_AreRight) {
  const auto tests_folder = std::filesystem::path(__FILE__).parent_path();
  std::size_t count = 0;
  for (const auto& folder : {tests_folder / "fixtures", tests_folder.parent_path().parent_path() / "models"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".stan") continue;
      std::ifstream file(entry.path());
      std::stringstream text;
      text << file.rdbuf();
      EXPECT_EQ(mistake_in(entry.path().filename().string(), text.str()), "");
      ++count;
    }
  }
  EXPECT_GE(count, 250u);
}

TEST(CheckModels, RightPrograms_AreAccepted) {
  const std::vector<std::string> programs = {
      "",
      "data { }",
      // The same model with arrays written in the old way and in the new one.
      R"(data { int<lower=0> N; int<lower=1> J; int<lower=1, upper=J> county[N]; real y[N]; vector[2] x[N]; }
         parameters { real alpha[J]; vector[2] beta; real<lower=0> sigma; }
         model { for (n in 1:N) y[n] ~ normal(alpha[county[n]] + dot_product(x[n], beta), sigma); })",
      R"(data { int<lower=0> N; int<lower=1> J; array[N] int<lower=1, upper=J> county; array[N] real y;
                array[N] vector[2] x; }
         parameters { array[J] real alpha; vector[2] beta; real<lower=0> sigma; }
         model { for (n in 1:N) y[n] ~ normal(alpha[county[n]] + dot_product(x[n], beta), sigma); })",
      // Names of functions and distributions are free for variables.
      "parameters { real beta; real<lower=0> gamma; vector[2] mean; } model { beta ~ normal(gamma, 1); mean ~ "
      "normal(0, 1); }",
      // Functions: overloads, declared ahead, recursive, void, with every suffix.
      R"(functions {
           int factorial(int n);
           int factorial(int n) { if (n <= 1) return 1; return n * factorial(n - 1); }
           real centre(vector x) { return mean(x); }
           real centre(array[] real x) { return mean(x); }
           void tell(real x) { if (x > 0) return; print("negative: ", x); }
           real bump_lpdf(real y, real a) { return -a * square(y); }
           real bump_lcdf(real y, real a) { return y * a; }
           real bump_lccdf(real y, real a) { return -y * a; }
           real steps_lpmf(array[] int y, vector p) { return categorical_lpmf(y | p); }
           real draw_rng(real a) { return normal_rng(0, a) + 1; }
           void add_lp(vector x) { x ~ normal(0, 1); target += sum(x); print(target()); }
           real shift_lp(real x) { target += x; return exp(x); }
         }
         data { int N; array[N] int k; }
         transformed data { int f = factorial(4); real z = draw_rng(2); }
         parameters { real a; vector[3] b; simplex[3] p; }
         transformed parameters { real c = shift_lp(a); }
         model {
           a ~ bump(2);
           a ~ bump(2) T[0, ];
           target += bump_lpdf(a | 2) + bump_lupdf(a | 2);
           k ~ steps(p);
           add_lp(b);
           tell(a);
           target += centre(b) + centre({a, c});
         }
         generated quantities { real d = draw_rng(abs(a) + 1); real e = bump_lpdf(d | 1); })",
      // Functions that end in every way.
      R"(functions {
           real a(int k) { while (1) { if (k > 2) return 1; } }
           real b(int k) { if (k > 2) { return 1; } else { reject("k is ", k); } }
           real c(int k) { { return 1; } }
           int d(int k) { for (i in 1:k) { if (i > 2) break; else continue; } return k; }
         })",
      // data arguments: data, ints, numbers, locals made of data.
      R"(functions { real f(real x, data vector w, int n) { return x * sum(w) * n; }
                     real g(data vector w) { vector[2] u = 2 * w; return f(1, u, 2); } }
         data { vector[2] w; }
         parameters { real a; }
         model { vector[2] u = w; for (i in 1:2) u[i] = u[i] + 1; target += f(a, w, 3) + f(a, 2 * u, 3); }
         generated quantities { real z = f(1, [a, a]', 1); })",
      // Ints stand for reals, in arrays too.
      R"(functions { real total(array[] real x) { return sum(x); } }
         data { int N; array[3] int k; }
         transformed data { real x = N; array[3] real y = k; array[2] real z = {1, 2}; real s = total(k); x += N; y[1] = N; })",
      // Sizes and bounds: from data and transformed data; by parameter; of every element.
      R"(data { int N; vector[N] low; }
         transformed data { int M = N + 1; matrix[M, N * 2] X; array[N, M] vector[2] a; }
         parameters { vector<lower=low>[N] x; real<lower=x[1], upper=10> y; vector<offset=y, multiplier=2>[N] z;
                      array[M] vector<lower=low>[N] many; ordered[M] c; cholesky_factor_corr[3] L; cov_matrix[2] S; }
         transformed parameters { vector<lower=0>[N] w = exp(z); corr_matrix[3] R = multiply_lower_tri_self_transpose(L); }
         model { int k = N; vector[k + 1] local; { array[k] real inner; inner[1] = 1; } target += sum(w) + y; })",
      // Loops over containers; a name may be used again after its scope.
      R"(data { int N; vector[N] v; matrix[N, N] m; array[N] row_vector[2] r; array[N] int k; }
         model {
           for (x in v) target += x;
           for (x in m) target += x;
           for (x in r) target += x[1];
           for (x in k) { int y = x; target += y; }
           for (n in 1:N) for (j in n:N) target += v[j];
           { real y = 1; target += y; }
           while (N > 3.5) break;
         })",
      // Assignments to elements and slices, compound ones.
      R"(transformed data {
           matrix[3, 3] m; vector[3] v = [1, 2, 3]'; array[2] vector[3] a; array[3] int k = {1, 2, 3};
           m[1] = v'; m[, 2] = v; m[1, 2] = 3; m[1:2, 1:2] = m[2:3, 2:3]; m[k, 1] = v;
           a[1] = v; a[2, 3] = 1; a[:, 1] = {1, 2}; v[k] = v; v += 1; v .*= v; v /= 2; m *= m; k[1] += 2; v[1] -= 1;
         })",
      // Statements about the density in the model block.
      R"(data { int N; array[N] int y; vector[N] x; }
         parameters { real mu; real<lower=0> sigma; }
         model {
           target += normal_lpdf(x | mu, sigma);
           target += {mu, sigma};
           target += x * mu;
           for (n in 1:N) { x[n] ~ normal(mu, sigma) T[ , 10]; y[n] ~ poisson(exp(mu)) T[1, ]; }
           mu - sigma ~ std_normal();
           profile("prior") { sigma ~ exponential(1); }
           if (mu > 10) reject("mu is too large: ", mu, x);
         })",
      // Generated quantities draw, and see everything but the locals of the model.
      R"(data { int N; vector[N] x; }
         parameters { real mu; }
         model { real local = mu; local ~ normal(0, 1); }
         generated quantities {
           int k = poisson_rng(exp(mu));
           array[N] real y = normal_rng(x + mu, 1);
           real local = 1;
           { vector[k] inner = rep_vector(mu, k); local = sum(inner); }
         })",
  };
  for (const std::string& program : programs) EXPECT_EQ(mistake_in("model.stan", program), "");
}

TEST(CheckModels, CheckedTwice_SaysTheSame) {
  const Source source("model.stan", "parameters { real p; } model { p ~ uniform(0, 1); }");
  Program program = parse(source);
  const auto first = check(program, source), second = check(program, source);
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(first[0].message, second[0].message);
}

}  // namespace
}  // namespace sgmcmc::stan::testing
