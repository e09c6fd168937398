functions {
  real growth(real t, real a, real k) {
    if (t < 0) return 0;
    if (t < 1) {
      real u = a * t;
      return u;
    } else {
      return a * (1 - exp(-k * t));
    }
  }
  int bucket(real x) {
    int b = 1;
    if (x > 0) b = 2;
    if (x > 1) b = 3;
    return b;
  }
}
data {
  int<lower=1> N;
  vector[N] t;
  vector[N] y;
}
parameters {
  real<lower=0> a;
  real<lower=0> k;
  vector[3] c;
  real<lower=0> s;
}
model {
  for (n in 1:N) {
    int i = bucket(t[n]);
    y[n] ~ normal(growth(t[n], a, k) + c[i] + c[bucket(y[n])], s);
  }
  a ~ exponential(1);
  k ~ exponential(1);
}
