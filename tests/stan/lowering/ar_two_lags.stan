data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real alpha;
  array[2] real phi;
  real<lower=0> sigma;
}
model {
  for (n in 3:N) {
    real mu = alpha;
    for (k in 1:2) mu += phi[k] * y[n - k];
    y[n] ~ normal(mu, sigma);
  }
  y[1:2] ~ normal(alpha, 3);
  sigma ~ cauchy(0, 2);
}
