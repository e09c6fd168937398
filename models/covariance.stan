// Means, scales and correlations of K measurements.
data {
  int<lower=1> N;
  int<lower=1> K;
  array[N] vector[K] y;
}
parameters {
  vector[K] mu;
  vector<lower=0>[K] sigma;
  cholesky_factor_corr[K] L;
}
model {
  mu ~ normal(0, 5);
  sigma ~ normal(0, 2);
  L ~ lkj_corr_cholesky(2);
  y ~ multi_normal_cholesky(mu, diag_pre_multiply(sigma, L));
}
generated quantities {
  corr_matrix[K] Omega = multiply_lower_tri_self_transpose(L);
}
