data {
  int<lower=1> N;
  vector[N] Y;
  int K;
  matrix[N, K] X;
  int Kar;
  int Kma;
  array[N] int<lower=0> J_lag;
}
transformed data {
  int max_lag = max(Kar, Kma);
}
parameters {
  vector[K] b;
  vector[Kar] ar;
  real<lower=0> sigma;
}
model {
  // matrix storing lagged residuals
  matrix[N, max_lag] Err = rep_matrix(0, N, max_lag);
  vector[N] err;  // actual residuals
  vector[N] mu = X * b;
  // include ARMA terms
  for (n in 1:N) {
    err[n] = Y[n] - mu[n];
    for (i in 1:J_lag[n]) {
      Err[n + 1, i] = err[n + 1 - i];
    }
    mu[n] += Err[n, 1:Kar] * ar;
  }
  target += normal_lpdf(Y | mu, sigma);
  sigma ~ student_t(3, 0, 2.5);
  b ~ normal(0, 1);
  ar ~ normal(0, 0.5);
}
