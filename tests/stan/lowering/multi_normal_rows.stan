data {
  int<lower=1> N;
  int<lower=1> K;
  array[N] vector[K] y;
  array[N] vector[2] x;
  array[N] int<lower=1, upper=2> g;
}
parameters {
  array[2] matrix[K, 2] beta;
  cholesky_factor_corr[K] L;
  vector<lower=0>[K] s;
}
model {
  array[N] vector[K] mu;
  matrix[K, K] S = diag_pre_multiply(s, L);
  for (n in 1:N) mu[n] = beta[g[n]] * x[n];
  y ~ multi_normal_cholesky(mu, S);
  for (n in 1:N) y[n] ~ multi_normal(mu[n], quad_form_diag(multiply_lower_tri_self_transpose(L), s));
  for (k in 1:2) to_vector(beta[k]) ~ normal(0, 1);
  L ~ lkj_corr_cholesky(1);
  s ~ exponential(1);
}
