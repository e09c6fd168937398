data {
  int<lower=1> N;
  vector[N] y;
  vector[N] x;
}
parameters {
  real a;
  real<lower=0, upper=1> decay;
}
model {
  real stock = 0;
  vector[N] mu;
  for (n in 1:N) {
    stock = decay * stock + x[n];
    mu[n] = a * stock;
  }
  y ~ normal(mu, 1);
}
