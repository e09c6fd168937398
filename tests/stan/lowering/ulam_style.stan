data {
  array[12] int bout;
  array[12] int humid;
  array[12] int id;
}
parameters {
  vector[4] a;
  real bh;
  real<lower=0> sigma;
  real abar;
}
model {
  vector[12] p;
  abar ~ normal(0, 1);
  sigma ~ exponential(1);
  bh ~ normal(0, 0.5);
  a ~ normal(abar, sigma);
  for (i in 1:12) {
    p[i] = a[id[i]] + bh * humid[i];
    p[i] = inv_logit(p[i]);
  }
  bout ~ binomial(5, p);
}
generated quantities {
  vector[12] log_lik;
  vector[12] p;
  for (i in 1:12) {
    p[i] = a[id[i]] + bh * humid[i];
    p[i] = inv_logit(p[i]);
  }
  for (i in 1:12) log_lik[i] = binomial_lpmf(bout[i] | 5, p[i]);
}
