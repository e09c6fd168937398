data {
  int<lower=0> N;
  int<lower=0> M;
  vector[N] y;
  array[N] int<lower=0, upper=1> is_missing;
  array[N] int<lower=0, upper=M> which_missing;
  vector[N] x_raw;
}
parameters {
  vector[M] x_mis;
  real a;
  real b;
  real mu_x;
  real<lower=0> s_x;
  real<lower=0> s;
}
model {
  vector[N] x = x_raw;
  for (n in 1:N) {
    if (is_missing[n] == 1) x[n] = x_mis[which_missing[n]];
  }
  x ~ normal(mu_x, s_x);
  y ~ normal(a + b * x, s);
  mu_x ~ normal(0, 1);
  s_x ~ exponential(1);
  s ~ exponential(1);
}
