data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] X;
  row_vector[N] yr;
  matrix[N, 2] Y;
}
parameters {
  matrix[K, 2] B;
  row_vector[K] r;
  real<lower=0> s;
}
model {
  matrix[N, 2] M = X * B;
  yr ~ normal(r * X', s);
  yr' ~ normal(X * r', s);
  to_vector(Y) ~ normal(to_vector(X * B), s);
  to_vector(Y - M) ~ normal(0, s);
  for (d in 1:2) Y[, d] ~ normal(M[, d], s);
  for (n in 1:N) Y[n] ~ normal(M[n], s);
  for (n in 1:N) for (d in 1:2) Y[n, d] ~ normal(M[n, d] + (X[n] * B)[d], s);
  to_vector(B) ~ normal(0, 1);
}
