// Counts more dispersed than a Poisson law allows: negative binomial regression.
data {
  int<lower=1> N;
  int<lower=1> D;
  matrix[N, D] X;
  array[N] int<lower=0> y;
}
parameters {
  real alpha;
  vector[D] beta;
  real<lower=0> phi;
}
model {
  alpha ~ normal(0, 5);
  beta ~ normal(0, 5);
  phi ~ exponential(0.2);
  y ~ neg_binomial_2_log(alpha + X * beta, phi);
}
