data {
  int<lower=0> J;
  vector[J] y;
  vector<lower=0>[J] sigma;
  vector[J] x;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector<offset=mu, multiplier=tau>[J] theta;
  vector<offset=x, multiplier=sigma>[J] eta;
  vector<lower=y>[J] lo;
  vector<lower=0, upper=sigma>[J] band;
}
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  theta ~ normal(mu, tau);
  eta ~ normal(x, sigma);
  lo - y ~ exponential(1);
  band ~ beta(2, 2);
  y ~ normal(theta + eta - lo, sigma);
}
