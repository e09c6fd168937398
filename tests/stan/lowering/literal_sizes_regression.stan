data {
  vector[20] y;
  matrix[20, 3] X;
  array[20] int<lower=1, upper=4> g;
}
parameters {
  vector[3] b;
  vector[4] a;
  real<lower=0> s;
}
model {
  vector[20] mu;
  for (i in 1:20) {
    mu[i] = a[g[i]];
    for (k in 1:3) mu[i] = mu[i] + X[i, k] * b[k];
  }
  y ~ normal(mu, s);
  a ~ normal(0, 20);
}
