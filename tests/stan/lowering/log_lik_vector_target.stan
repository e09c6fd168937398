data {
  int<lower=1> N;
  array[N] int<lower=0> y;
  vector[N] e;
  vector[N] x;
}
parameters {
  real a;
  real b;
  vector[N] phi;
  real<lower=0> s;
}
transformed parameters {
  vector[N] eta = log(e) + a + x * b + phi * s;
  vector[N] mu = exp(eta);
}
model {
  target += poisson_log_lpmf(y | eta) / 2;
  y ~ poisson(mu);
  target += -0.5 * dot_self(phi);
  sum(phi) ~ normal(0, 0.001 * N);
  a ~ normal(0, 1);
}
