data {
  int<lower=1> N;
  vector<lower=0>[N] time;
  array[N] int<lower=0, upper=1> event;
  int<lower=1> K;
  matrix[N, K] X;
}
parameters {
  vector[K] beta;
  real alpha;
  real<lower=0> shape;
}
transformed parameters {
  vector[N] scale = exp(-(alpha + X * beta) / shape);
}
model {
  for (i in 1:N) {
    if (event[i] == 1)
      target += weibull_lpdf(time[i] | shape, scale[i]);
    else
      target += weibull_lccdf(time[i] | shape, scale[i]);
  }
  beta ~ normal(0, 1);
  alpha ~ normal(0, 5);
  shape ~ gamma(1, 1);
}
generated quantities {
  vector[N] log_lik;
  for (i in 1:N) {
    if (event[i] == 1) log_lik[i] = weibull_lpdf(time[i] | shape, scale[i]);
    else log_lik[i] = weibull_lccdf(time[i] | shape, scale[i]);
  }
}
