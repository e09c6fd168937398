data {
  int<lower=1> T;
  vector[T] y;
}
parameters {
  vector[T] z;
  real<lower=0> s;
  real<lower=0> q;
}
transformed parameters {
  vector[T] mu;
  mu[1] = z[1];
  for (t in 2:T) mu[t] = mu[t - 1] + q * z[t];
}
model {
  z ~ std_normal();
  y ~ normal(mu, s);
  s ~ exponential(1);
  q ~ exponential(1);
}
