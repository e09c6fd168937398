// Linear regression whose columns are of sizes from a millionth to a million; flat priors.
data {
  int<lower=1> N;
  int<lower=1> D;
  matrix[N, D] X;
  vector[N] y;
}
parameters {
  real alpha;
  vector[D] beta;
  real<lower=0> sigma;
}
model {
  sigma ~ exponential(1);
  y ~ normal(alpha + X * beta, sigma);
}
