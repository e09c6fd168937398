// Valid but suspicious programs, and the full text of their warnings (check_warnings.txt).
#include "stan/case_file.hpp"
#include "stan/check/check.hpp"
#include "stan/syntax/parse.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace sgmcmc::stan::testing {
namespace {

std::string warnings_of(const std::string& text) {
  const Source source("model.stan", text);
  Program program = parse(source);
  std::string result;
  for (const Warning& warning : check(program, source)) result += render(source, warning) + '\n';
  return result;
}

TEST(CheckWarnings, SuspiciousPrograms_AreRemarkedOnInFull) {
  const auto cases = read_case_file(std::filesystem::path(__FILE__).parent_path() / "check_warnings.txt");
  EXPECT_GE(cases.size(), 20u);
  for (const FileCase& program : cases) {
    SCOPED_TRACE(program.name);
    EXPECT_EQ(warnings_of(program.program), program.message);
  }
}

TEST(CheckWarnings, CarefulPrograms_AreNotRemarkedOn) {
  const char* const programs[] = {
      // Bounds that are those of the prior, as numbers, names or tighter.
      "parameters { real<lower=0, upper=1> p; } model { p ~ uniform(0, 1); }",
      "data { real a; real b; } parameters { real<lower=a, upper=b> p; } model { p ~ uniform(a, b); }",
      "parameters { vector<lower=-1, upper=1>[3] p; } model { p ~ uniform(-2, 2.5); }",
      // A nonlinear function of data alone, and a linear one of parameters.
      "data { vector<lower=0>[3] y; } parameters { real mu; } model { log(y) ~ normal(mu, 1); }",
      "parameters { vector[3] a; } model { sum(a) ~ normal(0, 0.1); a ~ normal(0, 1); }",
      // Ints where ints are wanted.
      "data { int N; array[N] real x; } transformed data { int half = N / 2; array[N / 2] real y = x[1:(N / 2)]; }",
      "data { int N; } transformed data { int half = N; half /= 2; for (n in 1:(N / 2)) print(n); }",
      // Parameters that reach the density through others: transformed, bounds, loops, functions ending in _lp.
      "parameters { real a; } transformed parameters { real b; { real c = a; b = c; } } model { b ~ normal(0, 1); }",
      "parameters { real a; real<lower=a> b; } model { b ~ normal(0, 1); }",
      "functions { real add_lp(real x) { target += -square(x); return x; } } parameters { real a; } "
      "transformed parameters { real b = add_lp(a); }",
      "parameters { vector[3] a; } model { for (x in a) x ~ normal(0, 1); }",
      "parameters { real a; } model { if (a > 0) target += -1; }",
      // Scales that are positive by their bounds or by how they are made.
      "parameters { real<lower=0.1> s; real m; } model { m ~ normal(0, s); s ~ gamma(1, 1); }",
      "data { real t; } parameters { real<lower=t> s; real m; } model { m ~ normal(0, s); s ~ normal(0, 1); }",
      "parameters { real s; real m; } model { m ~ normal(0, exp(s)); s ~ normal(0, 1); }",
  };
  for (const std::string program : programs) {
    EXPECT_EQ(warnings_of(program), "") << program;
  }
}

}  // namespace
}  // namespace sgmcmc::stan::testing
