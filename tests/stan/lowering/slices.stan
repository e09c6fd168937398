data {
  int<lower=2> N;
  vector[N] y;
  vector[N] x;
  vector[N - 1] w;
  array[N] int<lower=0> c;
}
parameters {
  real a;
  real b;
  real phi;
  vector[N] u;
  real<lower=0> s;
}
transformed parameters {
  vector[N] mu = a + b * x;
}
model {
  y[2:N] ~ normal(a + phi * y[1:(N - 1)], s);
  y[2:] ~ normal(mu[2:] + phi * (y[:(N - 1)] - mu[:(N - 1)]), s);
  target += normal_lpdf(y[3:N] | -y[1:(N - 2)] .* x[2:(N - 1)] * b, exp(u[2:(N - 1)]));
  y[2:N] ~ normal(w * phi + log1p_exp(x[1:N - 1]), s);
  c[2:N] ~ poisson_log(a + u[1:(N - 1)]);
  u[2:N] ~ normal(u[1:(N - 1)], 1);
  y[1:2] ~ normal(mu[1:2], 2 * s);
  u[1] ~ normal(0, 1);
}
