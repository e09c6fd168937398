// One hidden layer of tanh units and a softmax; held-out digits are predicted at every draw.
data {
  int<lower=1> N;
  int<lower=1> D;
  int<lower=1> H;
  int<lower=2> K;
  matrix[N, D] X;
  array[N] int<lower=1, upper=K> y;
  int<lower=0> T;
  matrix[T, D] test_X;
  array[T] int<lower=1, upper=K> test_y;
}
parameters {
  matrix[H, D] A;
  vector[H] a;
  matrix[K, H] B;
  vector[K] b;
}
model {
  to_vector(A) ~ normal(0, 0.3);
  a ~ normal(0, 1);
  to_vector(B) ~ normal(0, 0.3);
  b ~ normal(0, 1);
  for (n in 1:N)
    y[n] ~ categorical_logit(b + B * tanh(a + A * X[n]'));
}
generated quantities {
  vector[T] log_density;
  for (t in 1:T)
    log_density[t] = categorical_logit_lpmf(test_y[t] | b + B * tanh(a + A * test_X[t]'));
}
