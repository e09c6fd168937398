data {
  int<lower=1> N;
  vector[N] y;
  array[N] int<lower=0, upper=1> skip;
  vector[N] x;
}
parameters {
  real a;
  real b;
}
model {
  for (n in 1:N) {
    if (skip[n] == 1) {
      a ~ normal(0, 10);
      continue;
    }
    if (x[n] < -5) continue;
    y[n] ~ normal(a + b * x[n], 1);
  }
}
