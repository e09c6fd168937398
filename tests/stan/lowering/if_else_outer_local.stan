data {
  int<lower=1> N;
  vector[N] y;
  array[N] int<lower=1, upper=3> kind;
  vector<lower=0>[N] x;
}
parameters {
  vector[3] a;
  real<lower=0> sigma;
}
model {
  real mu;
  vector[2] w;
  for (n in 1:N) {
    if (kind[n] == 1) mu = a[1] * log(x[n]);
    else if (kind[n] == 2) mu = a[2];
    else mu = a[3] - x[n];
    w[1] = mu;
    if (kind[n] > 1) w[2] = a[1];
    else w[2] = a[2] * x[n];
    y[n] ~ normal(sum(w), sigma);
  }
}
