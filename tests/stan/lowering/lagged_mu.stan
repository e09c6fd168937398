data {
  int<lower=1> N;
  vector[N] y;
  vector[N] x;
}
parameters {
  real a;
  real b;
  real rho;
  real<lower=0> s;
}
model {
  vector[N] mu = a + b * x;
  vector[N] eps;
  y[1] ~ normal(mu[1], s);
  for (n in 2:N) y[n] ~ normal(mu[n] + rho * (y[n - 1] - mu[n - 1]), s);
  for (n in 1:N) eps[n] = y[n] - mu[n];
  for (n in 1:(N - 1)) eps[n + 1] ~ normal(rho * eps[n], 2 * s);
}
