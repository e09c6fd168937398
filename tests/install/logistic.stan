data {
  int<lower=0> N;
  vector[N] x;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real level;
  real slope;
}
model {
  level ~ normal(0, 5);
  slope ~ normal(0, 5);
  y ~ bernoulli_logit(level + slope * x);
}
generated quantities {
  real odds = exp(slope);
  int next_y = bernoulli_logit_rng(level);
}
