data {
  int<lower=0> N;
  int<lower=0> Z;
  vector[N] y;
  vector[Z] nothing;
  matrix[N, Z] X0;
}
parameters {
  real a;
  vector[Z] none;
  real<lower=0> s;
}
model {
  vector[N] mu = a + X0 * none;
  for (n in N:1) target += 1e6 * a;
  for (n in 2:1) y[n] ~ normal(a, 1);
  for (n in 1:N) mu[N + 1 - n] += 0.1 * y[n];
  none ~ normal(0, 1);
  nothing ~ normal(a, 1);
  y ~ normal(mu, s);
}
