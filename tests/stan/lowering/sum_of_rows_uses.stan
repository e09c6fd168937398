data {
  int<lower=1> N;
  vector[N] y;
  vector[N] x;
}
parameters {
  real a;
  real b;
  real<lower=0> s;
}
transformed parameters {
  vector[N] mu = a + b * x;
  real total = sum(mu);
}
model {
  real lp = normal_lpdf(y | mu, s);
  target += 0.5 * lp + 0.5 * normal_lpdf(y | mu, 2 * s) - log(s);
  target += -total * 0.01;
  target += lp / 3;
}
