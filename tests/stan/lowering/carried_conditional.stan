data {
  int<lower=1> N;
  vector[N] y;
  array[N] int<lower=0, upper=1> start;
  vector[N] x;
}
parameters {
  real a;
  real b;
  real<lower=0> sigma;
}
model {
  real level = a;
  for (n in 1:N) {
    if (start[n]) level = a + b * x[n];
    y[n] ~ normal(level, sigma);
  }
}
