data {
  int<lower=1> T;
  vector[T] y;
}
parameters {
  vector[T] mu;
  real<lower=0> s;
  real<lower=0> q;
}
model {
  mu[1] ~ normal(0, 5);
  for (t in 2:T) mu[t] ~ normal(mu[t - 1], q);
  mu[2:T] ~ normal(mu[1:(T - 1)], q);
  y ~ normal(mu, s);
}
