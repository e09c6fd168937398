data {
  int<lower=2> N;
  vector[N] y;
  vector[N] x;
  int J;
  array[N] int<lower=1, upper=J> g;
  int special;
}
parameters {
  vector[J] a;
  real b;
  real<lower=0> s;
}
model {
  vector[N] mu;
  vector[N] sd_n = rep_vector(s, N);
  for (n in 1:N) mu[n] = a[g[n]] + b * x[n];
  y ~ normal(mu, sd_n);
  target += -square(mu[1]) - 0.5 * square(mu[N] - mu[special]);
  sd_n[special] = 3 * s;
  mu[2] = 0.5 * b;
  mu[special] += 1;
  y ~ normal(mu, sd_n);
  target += -fabs(mu[special] - sd_n[special]);
}
