// Truncated densities of data, with bounds that are parameters; statement number `which`.
data {
  int which;
  int N;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> sigma;
  real low;
  real high;
}
model {
  mu ~ normal(0, 1);
  sigma ~ gamma(2, 1);
  low ~ normal(0, 1);
  high ~ normal(0, 1);
  for (n in 1:N) {
    if (which == 1)
      y[n] ~ normal(mu, sigma) T[low, high];
    else if (which == 2)
      y[n] ~ normal(mu, sigma) T[low, ];
    else if (which == 3)
      y[n] ~ normal(mu, sigma) T[ , high];
    else if (which == 4)
      y[n] ~ student_t(4, mu, sigma) T[low, high];
    else if (which == 5)
      y[n] ~ student_t(4, mu, sigma) T[low, ];
    else if (which == 6)
      y[n] ~ student_t(4, mu, sigma) T[ , high];
    else if (which == 7)
      y[n] ~ logistic(mu, sigma) T[low, high];
    else if (which == 8)
      y[n] ~ logistic(mu, sigma) T[low, ];
    else if (which == 9)
      y[n] ~ logistic(mu, sigma) T[ , high];
    else if (which == 10)
      y[n] ~ lognormal(mu, sigma) T[low, high];
    else if (which == 11)
      y[n] ~ lognormal(mu, sigma) T[low, ];
    else if (which == 12)
      y[n] ~ lognormal(mu, sigma) T[ , high];
    else if (which == 13)
      y[n] ~ gamma(2, sigma) T[low, high];
    else if (which == 14)
      y[n] ~ gamma(2, sigma) T[low, ];
    else if (which == 15)
      y[n] ~ gamma(2, sigma) T[ , high];
    else if (which == 16)
      y[n] ~ weibull(1.3, sigma) T[low, high];
    else if (which == 17)
      y[n] ~ weibull(1.3, sigma) T[low, ];
    else if (which == 18)
      y[n] ~ weibull(1.3, sigma) T[ , high];
    else if (which == 19)
      y[n] ~ exponential(sigma) T[low, high];
    else if (which == 20)
      y[n] ~ exponential(sigma) T[low, ];
    else if (which == 21)
      y[n] ~ exponential(sigma) T[ , high];
    else if (which == 22)
      y[n] ~ uniform(-0.5, 2 + sigma) T[low, high];
    else if (which == 23)
      y[n] ~ uniform(-0.5, 2 + sigma) T[low, ];
    else if (which == 24)
      y[n] ~ uniform(-0.5, 2 + sigma) T[ , high];
  }
}
