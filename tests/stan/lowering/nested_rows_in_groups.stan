data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> g;
  vector[N] y;
}
parameters {
  vector[J] mu;
  real<lower=0> s;
}
model {
  for (j in 1:J) {
    for (n in 1:N) {
      if (g[n] == j) y[n] ~ normal(mu[j], s);
    }
  }
  mu ~ normal(0, 1);
}
