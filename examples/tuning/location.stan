// Where a heavy-tailed law is, and how wide.
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 10);
  sigma ~ exponential(0.1);
  y ~ cauchy(mu, sigma);
}
