functions {
  real f(real x, data array[,] int n, vector[] v) { return x; }
  void g_lp(real x);
}
data { int<lower=0> N; array[N] real<lower=0, upper=1> y; vector[N] z[2, 3]; }
transformed data { real a = 1.5e-3, b[2] = {1, 2}; }
parameters { real<offset=0, multiplier=2> mu; simplex[3] s; cholesky_factor_cov[4, 3] L; cov_matrix[3] S; }
transformed parameters { matrix[2, 2] m = [[1, .5], [.5, 1.]]; }
model { y ~ normal(mu, 1) T[0, ]; target += normal_lpdf(y | mu, 1); }
generated quantities { real d = normal_rng(mu, 1); }
