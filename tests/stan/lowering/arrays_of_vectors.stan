data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> g;
  array[N] vector[2] x;
  array[N] row_vector[2] u;
  vector[N] y;
}
parameters {
  array[J] vector[2] beta;
  array[J, 2] real gam;
  array[2] vector[J] delta;
  matrix[J, 2] eta;
  row_vector[2] rv;
  real<lower=0> s;
}
model {
  for (n in 1:N)
    y[n] ~ normal(beta[g[n]]' * x[n] + u[n] * beta[g[n]] + gam[g[n], 2] * x[n][1] + gam[g[n]][1] * u[n, 2]
                  + delta[1, g[n]] + delta[2][g[n]] + eta[g[n]] * x[n] + dot_product(eta[g[n], ], u[n])
                  + rv * x[n] + eta[g[n], 1] + row(eta, g[n]) * x[n], s);
  for (j in 1:J) {
    beta[j] ~ normal(0, 1);
    gam[j] ~ normal(0, 1);
    eta[j] ~ normal(0, 2);
  }
  for (k in 1:2) delta[k] ~ normal(0, 1);
}
