// Constraints of data.
data {
  int<lower=1, upper=3> count;
  array[2] int<lower=0> counts;
  real<lower=0> low;
  real<lower=low> above;
  vector<lower=0, upper=1>[2] between;
  simplex[2] share;
  ordered[2] rising;
  positive_ordered[2] positive;
  unit_vector[2] unit;
  cov_matrix[2] covariance;
  cov_matrix[1] single;
  corr_matrix[2] correlation;
  cholesky_factor_cov[2] factor;
  cholesky_factor_corr[2] factor_corr;
  array[2] simplex[2] shares;
}
parameters {
  real u;
}
model {
  u ~ normal(0, 1);
}
