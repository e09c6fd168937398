data {
  int<lower=1> N;
  vector[N] y;
  vector[N] x;
  array[N] int<lower=0, upper=1> treated;
}
parameters {
  real a;
  real b;
  real t;
  real<lower=0> s;
}
model {
  for (n in 1:N) {
    real mu = treated[n] ? a + t : a;
    real v = x[n] > 0 ? log(x[n]) * b : (x[n] < -1 ? b : 0);
    y[n] ~ normal(mu + v, treated[n] == 1 && x[n] > 0 ? s : 2 * s);
    if (mu > 0) y[n] ~ normal(mu, 1);
    else target += -square(mu);
  }
  if (a > b) target += -a; else target += -b * t;
}
