data {
  int<lower=1> N;
  vector[N] y;
  array[N] int<lower=1> id;
}
parameters {
  real a;
  real phi;
  real<lower=0> sigma;
}
model {
  for (n in 1:N) {
    if (n > 1 && id[n] == id[n - 1])
      y[n] ~ normal(a + phi * y[n - 1], sigma);
    else
      y[n] ~ normal(a, 2 * sigma);
    if (n == N || id[n] != id[n + 1]) target += -0.1 * square(a - y[n]);
  }
  sigma ~ exponential(1);
}
