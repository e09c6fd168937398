// Loops over rows that assign an element which the row chooses: of data, of parameters, under conditions.
data {
  int<lower=1> N;
  int<lower=1> K;
  array[N] int<lower=1, upper=K> k;
  matrix[N, K] X;
  vector[N] y;
}
parameters {
  vector[K] beta;
  real gain;
}
model {
  matrix[N, K] Z = X;
  matrix[N, K] W = X * gain;
  array[N, K] real hits = rep_array(0.0, N, K);
  matrix[N, N] D = diag_matrix(y);
  for (n in 1:N) {
    Z[n, k[n]] = 1;
    W[n, k[n]] += beta[k[n]];
    hits[n, k[n]] = y[n];
    D[n, n] += square(gain);
    if (y[n] > 0)
      W[n, k[n]] = gain;
  }
  beta ~ normal(0, 1);
  gain ~ normal(0, 1);
  y ~ normal(Z * beta + W * beta, 1);
  for (n in 1:N)
    target += normal_lpdf(sum(hits[n]) | beta[1] + D[n, n], 1);
}
