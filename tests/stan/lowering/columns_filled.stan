data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] X;
  vector[N] y;
}
parameters {
  vector[K] b;
  matrix[2, K] c;
  real<lower=0> s;
}
transformed parameters {
  matrix[N, K] XB;
  for (k in 1:K) XB[, k] = X[, k] * b[k];
}
model {
  matrix[N, K] W;
  vector[N] mu;
  for (k in 1:K) {
    W[, k] = XB[, k] + c[1, k];
    for (n in 1:N) W[n, k] = W[n, k] * c[2, k];
  }
  for (n in 1:N) mu[n] = sum(W[n]);
  y ~ normal(mu, s);
  to_vector(c) ~ normal(0, 1);
}
