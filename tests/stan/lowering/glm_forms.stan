data {
  int<lower=1> N;
  int<lower=1> K;
  int<lower=1> J;
  matrix[N, K] X;
  array[N] int<lower=0> c;
  array[N] int<lower=0, upper=1> y;
  vector[N] r;
  array[N] int<lower=1, upper=J> g;
}
parameters {
  real a;
  vector[J] aj;
  vector[K] b;
  real<lower=0> s;
}
model {
  y ~ bernoulli_logit_glm(X, a, b);
  y ~ bernoulli_logit_glm(X, aj[g], b);
  c ~ poisson_log_glm(X, aj[g] + a, b);
  c ~ neg_binomial_2_log_glm(X, a, b, s);
  r ~ normal_id_glm(X, aj[g], b, s);
  target += normal_id_glm_lpdf(r | X, rep_vector(a, N), b, s);
  aj ~ normal(0, 1);
}
