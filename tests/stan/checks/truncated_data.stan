// Truncated densities of data, row by row, with bounds that are data of the row; statement number `which`.
data {
  int which;
  int N;
  vector[N] y;
  vector[N] L;
  real U;
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
      y[n] ~ normal(mu, sigma) T[L[n], U];
    else if (which == 2)
      y[n] ~ normal(mu, sigma) T[L[n], ];
    else if (which == 3)
      y[n] ~ normal(mu, sigma) T[ , U];
    else if (which == 4)
      y[n] ~ student_t(4, mu, sigma) T[L[n], U];
    else if (which == 5)
      y[n] ~ student_t(4, mu, sigma) T[L[n], ];
    else if (which == 6)
      y[n] ~ student_t(4, mu, sigma) T[ , U];
    else if (which == 7)
      y[n] ~ cauchy(mu, sigma) T[L[n], U];
    else if (which == 8)
      y[n] ~ cauchy(mu, sigma) T[L[n], ];
    else if (which == 9)
      y[n] ~ cauchy(mu, sigma) T[ , U];
    else if (which == 10)
      y[n] ~ double_exponential(mu, sigma) T[L[n], U];
    else if (which == 11)
      y[n] ~ double_exponential(mu, sigma) T[L[n], ];
    else if (which == 12)
      y[n] ~ double_exponential(mu, sigma) T[ , U];
    else if (which == 13)
      y[n] ~ logistic(mu, sigma) T[L[n], U];
    else if (which == 14)
      y[n] ~ logistic(mu, sigma) T[L[n], ];
    else if (which == 15)
      y[n] ~ logistic(mu, sigma) T[ , U];
    else if (which == 16)
      y[n] ~ gumbel(mu, sigma) T[L[n], U];
    else if (which == 17)
      y[n] ~ gumbel(mu, sigma) T[L[n], ];
    else if (which == 18)
      y[n] ~ gumbel(mu, sigma) T[ , U];
    else if (which == 19)
      y[n] ~ lognormal(mu, sigma) T[L[n], U];
    else if (which == 20)
      y[n] ~ lognormal(mu, sigma) T[L[n], ];
    else if (which == 21)
      y[n] ~ lognormal(mu, sigma) T[ , U];
    else if (which == 22)
      y[n] ~ gamma(2, sigma) T[L[n], U];
    else if (which == 23)
      y[n] ~ gamma(2, sigma) T[L[n], ];
    else if (which == 24)
      y[n] ~ gamma(2, sigma) T[ , U];
    else if (which == 25)
      y[n] ~ inv_gamma(2, sigma) T[L[n], U];
    else if (which == 26)
      y[n] ~ inv_gamma(2, sigma) T[L[n], ];
    else if (which == 27)
      y[n] ~ inv_gamma(2, sigma) T[ , U];
    else if (which == 28)
      y[n] ~ weibull(1.3, sigma) T[L[n], U];
    else if (which == 29)
      y[n] ~ weibull(1.3, sigma) T[L[n], ];
    else if (which == 30)
      y[n] ~ weibull(1.3, sigma) T[ , U];
    else if (which == 31)
      y[n] ~ frechet(1.3, sigma) T[L[n], U];
    else if (which == 32)
      y[n] ~ frechet(1.3, sigma) T[L[n], ];
    else if (which == 33)
      y[n] ~ frechet(1.3, sigma) T[ , U];
    else if (which == 34)
      y[n] ~ exponential(sigma) T[L[n], U];
    else if (which == 35)
      y[n] ~ exponential(sigma) T[L[n], ];
    else if (which == 36)
      y[n] ~ exponential(sigma) T[ , U];
    else if (which == 37)
      y[n] ~ rayleigh(sigma) T[L[n], U];
    else if (which == 38)
      y[n] ~ rayleigh(sigma) T[L[n], ];
    else if (which == 39)
      y[n] ~ rayleigh(sigma) T[ , U];
    else if (which == 40)
      y[n] ~ pareto(0.2, sigma) T[L[n], U];
    else if (which == 41)
      y[n] ~ pareto(0.2, sigma) T[L[n], ];
    else if (which == 42)
      y[n] ~ pareto(0.2, sigma) T[ , U];
    else if (which == 43)
      y[n] ~ beta(2, 1.5) T[L[n], U];
    else if (which == 44)
      y[n] ~ beta(2, 1.5) T[L[n], ];
    else if (which == 45)
      y[n] ~ beta(2, 1.5) T[ , U];
    else if (which == 46)
      y[n] ~ uniform(-0.5, 2 + sigma) T[L[n], U];
    else if (which == 47)
      y[n] ~ uniform(-0.5, 2 + sigma) T[L[n], ];
    else if (which == 48)
      y[n] ~ uniform(-0.5, 2 + sigma) T[ , U];
    else if (which == 49)
      y[n] ~ skew_normal(mu, sigma, 0.5) T[L[n], U];
    else if (which == 50)
      y[n] ~ skew_normal(mu, sigma, 0.5) T[L[n], ];
    else if (which == 51)
      y[n] ~ skew_normal(mu, sigma, 0.5) T[ , U];
    else if (which == 52)
      y[n] ~ exp_mod_normal(mu, sigma, 1.5) T[L[n], U];
    else if (which == 53)
      y[n] ~ exp_mod_normal(mu, sigma, 1.5) T[L[n], ];
    else if (which == 54)
      y[n] ~ exp_mod_normal(mu, sigma, 1.5) T[ , U];
    else if (which == 55)
      y[n] ~ chi_square(3) T[L[n], U];
    else if (which == 56)
      y[n] ~ chi_square(3) T[L[n], ];
    else if (which == 57)
      y[n] ~ chi_square(3) T[ , U];
    else if (which == 58)
      y[n] ~ scaled_inv_chi_square(3, sigma) T[L[n], U];
    else if (which == 59)
      y[n] ~ scaled_inv_chi_square(3, sigma) T[L[n], ];
    else if (which == 60)
      y[n] ~ scaled_inv_chi_square(3, sigma) T[ , U];
  }
}
