data {
  int<lower=1> N;
  int<lower=1> K;
  vector[N] y;
  matrix[N, 2] X;
}
parameters {
  simplex[K] p;
  array[K] vector[2] beta;
  vector<lower=0>[K] s;
}
model {
  array[K] vector[N] mu;
  matrix[K, N] lp;
  array[N, K] real terms;
  for (k in 1:K) mu[k] = X * beta[k];
  for (n in 1:N) {
    for (k in 1:K) {
      lp[k, n] = log(p[k]) + normal_lpdf(y[n] | mu[k][n], s[k]);
      terms[n, k] = lp[k, n] + 0.1 * mu[k, n];
    }
    target += log_sum_exp(lp[, n]);
    target += log_sum_exp(terms[n]);
  }
  for (k in 1:K) beta[k] ~ normal(0, 1);
}
