// A known normal distribution: its moments are the data.
data {
  int<lower=1> K;
  vector[K] mu;
  cov_matrix[K] Sigma;
}
parameters {
  vector[K] x;
}
model {
  x ~ multi_normal(mu, Sigma);
}
