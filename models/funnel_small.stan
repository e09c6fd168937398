// Neal's funnel with a small scale: what a step size found in warm-up can still explore.
data {
  int<lower=1> D;
}
parameters {
  real v;
  vector[D] x;
}
model {
  v ~ normal(0, 1);
  x ~ normal(0, exp(v / 2));
}
