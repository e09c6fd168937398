data {
  int<lower=0> N;
  int<lower=0> G;
  vector[N] y;
  vector[N] x;
  array[G] int<lower=1> first;
  array[G] int<lower=0> last;
}
parameters {
  vector[G] mu;
  real b;
  real<lower=0> tau;
}
model {
  mu ~ normal(0, tau);
  for (g in 1:G)
    for (i in first[g]:last[g])
      y[i] ~ normal(mu[g] + b * x[i], 1);
  tau ~ exponential(1);
}
