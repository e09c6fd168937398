functions {
  real piece(real x, real knot, real l, real r) {
    if (x < knot) return l * (x - knot);
    return r * (x - knot);
  }
}
data {
  int<lower=1> N;
  vector[N] x;
  vector[N] y;
}
parameters {
  real knot;
  real l;
  real r;
  real<lower=0> s;
}
model {
  real count = 0;
  vector[N] mu;
  for (n in 1:N) {
    real w = 1;
    if (x[n] > knot) {
      w = 2;
      mu[n] = l;
    } else if (x[n] > knot - 1) {
      w = 3 + r;
      mu[n] = r * x[n];
    } else mu[n] = 0;
    y[n] ~ normal(piece(x[n], knot, l, r) + w + mu[n], s);
    y[n] ~ normal(x[n] < knot ? l * x[n] : r, x[n] > 0 && x[n] > knot ? s : s + 1);
  }
  knot ~ normal(0, 1);
}
