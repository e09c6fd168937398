data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> g;
  vector[N] y;
  vector[J] u;
  matrix[J, N] W;
}
parameters {
  vector[J] a;
  vector[N] e;
  real b;
}
model {
  a ~ normal(b * u, 1);
  e ~ normal(0, 1);
  y ~ normal(a[g] + e + u[g], 1);
  y ~ normal(a, 2);
  u ~ normal(a + W * e, 1);
  y ~ normal(W' * a, 1);
}
