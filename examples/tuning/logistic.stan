// Logistic regression with Laplace priors; the intercept is the last column of X.
data {
  int<lower=1> N;
  int<lower=1> D;
  matrix[N, D] X;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  vector[D] beta;
}
model {
  beta ~ double_exponential(0, 1);
  y ~ bernoulli_logit(X * beta);
}
