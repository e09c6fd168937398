data {
  int<lower=1> N;
  int<lower=1> M;
  vector[N] y;
  vector[M] z;
  array[M] int<lower=1, upper=N> site;
}
parameters {
  vector[N] a;
  real b;
  real<lower=0> s;
}
model {
  a ~ normal(b, 1);
  y ~ normal(a, s);
  z ~ normal(a[site], 2 * s);
  for (m in 1:M) z[m] ~ normal(a[site[m]] * y[site[m]], s);
}
