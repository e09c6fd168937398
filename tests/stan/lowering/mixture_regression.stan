data {
  int<lower=1> N;
  vector[N] y;
  matrix[N, 2] X;
}
parameters {
  real<lower=0, upper=1> lambda;
  array[2] vector[2] beta;
  vector<lower=0>[2] sigma;
}
model {
  matrix[N, 2] mu;
  array[2] vector[N] eta;
  for (k in 1:2) {
    mu[, k] = X * beta[k];
    eta[k] = X * beta[k];
  }
  for (n in 1:N)
    target += log_mix(lambda, normal_lpdf(y[n] | mu[n, 1], sigma[1]), normal_lpdf(y[n] | eta[2][n], sigma[2]));
  for (k in 1:2) beta[k] ~ normal(0, 1);
  sigma ~ exponential(1);
}
