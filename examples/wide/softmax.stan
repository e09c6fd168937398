// Softmax regression: a predictor for each class.
data {
  int<lower=0> N;
  int<lower=0> P;
  int<lower=2> K;
  matrix[N, P] X;
  array[N] int<lower=1, upper=K> y;
}
parameters {
  vector[K] alpha;
  matrix[K, P] beta;
}
model {
  alpha ~ normal(0, 5);
  to_vector(beta) ~ normal(0, 1);
  for (n in 1:N) y[n] ~ categorical_logit(alpha + beta * X[n]');
}
