data {
  int<lower=1> N;
  vector<lower=0>[N] y;
  array[N] int<lower=1> c;
  vector[N] x;
  vector<upper=0>[N] lo;
}
parameters {
  real a;
  real b;
  real<lower=0> s;
}
model {
  for (n in 1:N) {
    y[n] ~ normal(a + b * x[n], s) T[0, ];
    y[n] ~ normal(a, s) T[lo[n], 50];
    c[n] ~ poisson(exp(a + b * x[n])) T[1, ];
  }
  s ~ normal(0, 1) T[0, ];
}
