data {
  int<lower=1> N;
  vector[N] y;
  array[N] int<lower=1, upper=3> kind;
  vector[N] x;
}
parameters {
  vector[3] a;
  real b;
  real<lower=0> sigma;
}
model {
  for (n in 1:N) {
    real mu;
    real s = sigma;
    if (kind[n] == 1) {
      mu = a[1] + b * x[n];
    } else if (kind[n] == 2) {
      mu = a[2];
      s = 2 * sigma;
    } else {
      real t = sqrt(fabs(x[n]));
      mu = a[3] * t;
      if (x[n] > 0) {
        s *= 1.5;
        mu -= b;
      }
    }
    y[n] ~ normal(mu, s);
  }
  a ~ normal(0, 1);
}
