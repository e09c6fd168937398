// Poisson regression with thousands of coefficients.
data {
  int<lower=0> N;
  int<lower=0> P;
  matrix[N, P] X;
  array[N] int<lower=0> y;
}
parameters {
  real alpha;
  vector[P] beta;
}
model {
  alpha ~ normal(0, 5);
  beta ~ normal(0, 1);
  y ~ poisson_log(alpha + X * beta);
}
