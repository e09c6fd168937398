data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real alpha;
  real phi;
  real<lower=0> sigma;
}
model {
  y[2:N] ~ normal(alpha + phi * y[1:(N - 1)], sigma);
}
