data {
  int<lower=1> N;
  vector[N] y;
  vector[N] z;
}
parameters {
  real a;
  real b;
}
model {
  real m;
  for (n in 1:N) {
    m = a + b * z[n];
    y[n] ~ normal(m, 1);
  }
  for (n in 1:N) z[n] ~ normal(m, 2);
}
