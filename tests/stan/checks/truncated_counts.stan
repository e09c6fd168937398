// Truncated densities of counts, row by row; statement number `which`.
data {
  int which;
  int N;
  array[N] int y;
  array[N] int L;
  int U;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 1);
  sigma ~ gamma(2, 1);
  for (n in 1:N) {
    if (which == 1)
      y[n] ~ poisson(sigma) T[L[n], U];
    else if (which == 2)
      y[n] ~ poisson(sigma) T[L[n], ];
    else if (which == 3)
      y[n] ~ poisson(sigma) T[ , U];
    else if (which == 4)
      y[n] ~ binomial(6, inv_logit(mu)) T[L[n], U];
    else if (which == 5)
      y[n] ~ binomial(6, inv_logit(mu)) T[L[n], ];
    else if (which == 6)
      y[n] ~ binomial(6, inv_logit(mu)) T[ , U];
    else if (which == 7)
      y[n] ~ neg_binomial(2, sigma) T[L[n], U];
    else if (which == 8)
      y[n] ~ neg_binomial(2, sigma) T[L[n], ];
    else if (which == 9)
      y[n] ~ neg_binomial(2, sigma) T[ , U];
    else if (which == 10)
      y[n] ~ neg_binomial_2(sigma, 1.5) T[L[n], U];
    else if (which == 11)
      y[n] ~ neg_binomial_2(sigma, 1.5) T[L[n], ];
    else if (which == 12)
      y[n] ~ neg_binomial_2(sigma, 1.5) T[ , U];
    else if (which == 13)
      y[n] ~ bernoulli(inv_logit(mu)) T[L[n], U];
    else if (which == 14)
      y[n] ~ bernoulli(inv_logit(mu)) T[L[n], ];
    else if (which == 15)
      y[n] ~ bernoulli(inv_logit(mu)) T[ , U];
    else if (which == 16)
      y[n] ~ beta_binomial(6, 1.5, 2) T[L[n], U];
    else if (which == 17)
      y[n] ~ beta_binomial(6, 1.5, 2) T[L[n], ];
    else if (which == 18)
      y[n] ~ beta_binomial(6, 1.5, 2) T[ , U];
  }
}
