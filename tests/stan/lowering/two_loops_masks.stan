data {
  int<lower=1> N;
  array[N] int<lower=0, upper=1> obs;
  vector[N] y;
  vector[N] x;
}
parameters {
  real a;
  real b;
  vector[N] z;
  real<lower=0> s;
}
model {
  vector[N] mu;
  vector[N] v = x;
  for (n in 1:N) if (obs[n]) mu[n] = a * log(fabs(x[n]) + 1);
  for (n in 1:N) if (!obs[n]) mu[n] = b + z[n];
  for (n in 1:N) {
    if (obs[n] == 0) { v[n] = z[n]; continue; }
    if (n % 2 == 0) v[n] *= a;
    else v[n] -= mu[n];
  }
  z ~ normal(0, 1);
  y ~ normal(mu + v, s);
}
