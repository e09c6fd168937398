data {
  int<lower=1> N;
  vector[N] x_meas;
  vector[N] y;
  array[N] int<lower=1, upper=N> partner;
}
parameters {
  vector[N] x;
  array[N] vector[2] u;
  matrix[N, 2] w;
  real a;
  real b;
  real<lower=0> s;
}
model {
  x ~ normal(0, 1);
  x_meas ~ normal(x, 0.5);
  y ~ normal(a + b * x, s);
  for (n in 1:N) {
    u[n] ~ normal(x[n], 1);
    w[n] ~ normal(0, s);
    y[n] ~ normal(u[n, 1] * x_meas[n] + u[n][2] + w[n, 1] + w[n] * u[n], s);
    y[n] ~ normal(x[partner[n]] + u[partner[n], 2] + w[partner[n], 1], s);
  }
  y ~ normal(x[partner] + w[, 2] + w[partner, 1], s);
  s ~ exponential(1);
}
