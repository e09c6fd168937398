data {
  int<lower=1> N;
  vector[N] y;
  vector[N] x;
}
parameters {
  real b;
}
model {
  vector[N] e = y - b * x;
  target += -0.5 * N * log(dot_self(e));
}
