// Hierarchical intercepts: J groups around a common mean, and a slope.
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> group;
  vector[N] x;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 5);
  tau ~ exponential(1);
  beta ~ normal(0, 5);
  sigma ~ exponential(1);
  alpha ~ normal(mu, tau);
  y ~ normal(alpha[group] + beta * x, sigma);
}
