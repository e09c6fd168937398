// Softmax regression; the last class has coefficients 0.
data {
  int<lower=1> N;
  int<lower=1> D;
  int<lower=2> K;
  matrix[N, D] X;
  array[N] int<lower=1, upper=K> y;
}
parameters {
  matrix[K - 1, D] B;
}
model {
  to_vector(B) ~ normal(0, 5);
  for (n in 1:N)
    y[n] ~ categorical_logit(append_row(B * X[n]', 0));
}
