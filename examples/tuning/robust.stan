// Regression with Student t errors: outliers are let be.
data {
  int<lower=1> N;
  int<lower=1> D;
  matrix[N, D] X;
  vector[N] y;
}
parameters {
  real alpha;
  vector[D] beta;
  real<lower=0> sigma;
  real<lower=1> nu;
}
model {
  alpha ~ normal(0, 5);
  beta ~ normal(0, 5);
  sigma ~ exponential(1);
  nu ~ gamma(2, 0.1);
  y ~ student_t(nu, alpha + X * beta, sigma);
}
