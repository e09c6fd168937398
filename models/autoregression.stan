// First-order autoregression.
data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  real alpha;
  real<lower=-1, upper=1> phi;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 2);
  phi ~ normal(0, 0.5);
  sigma ~ exponential(1);
  y[2:T] ~ normal(alpha + phi * y[1:(T - 1)], sigma);
}
