data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] Y;
  matrix[N, 2] X;
  array[N] int<lower=1, upper=2> g;
}
parameters {
  array[2] matrix[2, K] B;
  vector<lower=0>[K] s;
  cholesky_factor_corr[K] L;
}
model {
  matrix[N, K] E;
  matrix[N, K] S = rep_matrix(s', N);
  array[N] row_vector[K] M;
  array[N] vector[K] V;
  for (n in 1:N) {
    M[n] = X[n] * B[g[n]];
    E[n] = Y[n] - M[n];
    V[n] = E[n]' ./ s;
    for (k in 1:K) {
      if (E[n, k] > 0) S[n, k] = 2 * S[n, k];
      Y[n, k] ~ normal(M[n, k], S[n, k]);
    }
  }
  to_vector(E) ~ normal(0, 2);
  V ~ multi_normal_cholesky(rep_vector(0, K), L);
  for (n in 1:N) target += multi_normal_cholesky_lpdf(E[n]' | rep_vector(0, K), diag_pre_multiply(s, L));
  for (i in 1:2) to_vector(B[i]) ~ normal(0, 1);
}
