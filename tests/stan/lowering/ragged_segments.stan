data {
  int<lower=0> N;
  int<lower=0> G;
  vector[N] y;
  array[G] int<lower=0> s;
}
parameters {
  vector[G] mu;
  real m;
  real<lower=0> tau;
}
model {
  int pos;
  pos = 1;
  mu ~ normal(m, tau);
  for (g in 1:G) {
    segment(y, pos, s[g]) ~ normal(mu[g], 1);
    pos = pos + s[g];
  }
  tau ~ exponential(1);
}
