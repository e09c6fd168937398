// Poisson regression whose columns are of sizes from a millionth to a million; flat priors.
data {
  int<lower=1> N;
  int<lower=1> D;
  matrix[N, D] X;
  array[N] int<lower=0> y;
}
parameters {
  real alpha;
  vector[D] beta;
}
model {
  y ~ poisson_log(alpha + X * beta);
}
