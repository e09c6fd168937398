// Radon levels in homes: an intercept for each county, drawn from a common distribution.
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> county;
  vector[N] floor_measure;
  vector[N] log_radon;
}
parameters {
  vector[J] alpha;
  real beta;
  real mu_alpha;
  real<lower=0> sigma_alpha;
  real<lower=0> sigma_y;
}
model {
  mu_alpha ~ normal(0, 10);
  sigma_alpha ~ normal(0, 1);
  sigma_y ~ normal(0, 1);
  alpha ~ normal(mu_alpha, sigma_alpha);
  beta ~ normal(0, 10);
  log_radon ~ normal(alpha[county] + beta * floor_measure, sigma_y);
}
