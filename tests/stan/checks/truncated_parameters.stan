// Truncated densities of a parameter w; statement number `which`.
data {
  int which;
  real L;
  real U;
}
parameters {
  real mu;
  real<lower=0> sigma;
  real w;
}
model {
  mu ~ normal(0, 1);
  sigma ~ gamma(2, 1);
  w ~ normal(0, 2);
  if (which == 1)
    w ~ normal(mu, sigma) T[L, U];
  else if (which == 2)
    w ~ normal(mu, sigma) T[L, ];
  else if (which == 3)
    w ~ normal(mu, sigma) T[ , U];
  else if (which == 4)
    w ~ student_t(4, mu, sigma) T[L, U];
  else if (which == 5)
    w ~ student_t(4, mu, sigma) T[L, ];
  else if (which == 6)
    w ~ student_t(4, mu, sigma) T[ , U];
  else if (which == 7)
    w ~ cauchy(mu, sigma) T[L, U];
  else if (which == 8)
    w ~ cauchy(mu, sigma) T[L, ];
  else if (which == 9)
    w ~ cauchy(mu, sigma) T[ , U];
  else if (which == 10)
    w ~ double_exponential(mu, sigma) T[L, U];
  else if (which == 11)
    w ~ double_exponential(mu, sigma) T[L, ];
  else if (which == 12)
    w ~ double_exponential(mu, sigma) T[ , U];
  else if (which == 13)
    w ~ logistic(mu, sigma) T[L, U];
  else if (which == 14)
    w ~ logistic(mu, sigma) T[L, ];
  else if (which == 15)
    w ~ logistic(mu, sigma) T[ , U];
  else if (which == 16)
    w ~ gumbel(mu, sigma) T[L, U];
  else if (which == 17)
    w ~ gumbel(mu, sigma) T[L, ];
  else if (which == 18)
    w ~ gumbel(mu, sigma) T[ , U];
  else if (which == 19)
    w ~ lognormal(mu, sigma) T[L, U];
  else if (which == 20)
    w ~ lognormal(mu, sigma) T[L, ];
  else if (which == 21)
    w ~ lognormal(mu, sigma) T[ , U];
  else if (which == 22)
    w ~ gamma(2, sigma) T[L, U];
  else if (which == 23)
    w ~ gamma(2, sigma) T[L, ];
  else if (which == 24)
    w ~ gamma(2, sigma) T[ , U];
  else if (which == 25)
    w ~ inv_gamma(2, sigma) T[L, U];
  else if (which == 26)
    w ~ inv_gamma(2, sigma) T[L, ];
  else if (which == 27)
    w ~ inv_gamma(2, sigma) T[ , U];
  else if (which == 28)
    w ~ weibull(1.3, sigma) T[L, U];
  else if (which == 29)
    w ~ weibull(1.3, sigma) T[L, ];
  else if (which == 30)
    w ~ weibull(1.3, sigma) T[ , U];
  else if (which == 31)
    w ~ frechet(1.3, sigma) T[L, U];
  else if (which == 32)
    w ~ frechet(1.3, sigma) T[L, ];
  else if (which == 33)
    w ~ frechet(1.3, sigma) T[ , U];
  else if (which == 34)
    w ~ exponential(sigma) T[L, U];
  else if (which == 35)
    w ~ exponential(sigma) T[L, ];
  else if (which == 36)
    w ~ exponential(sigma) T[ , U];
  else if (which == 37)
    w ~ rayleigh(sigma) T[L, U];
  else if (which == 38)
    w ~ rayleigh(sigma) T[L, ];
  else if (which == 39)
    w ~ rayleigh(sigma) T[ , U];
  else if (which == 40)
    w ~ pareto(0.2, sigma) T[L, U];
  else if (which == 41)
    w ~ pareto(0.2, sigma) T[L, ];
  else if (which == 42)
    w ~ pareto(0.2, sigma) T[ , U];
  else if (which == 43)
    w ~ beta(2, 1.5) T[L, U];
  else if (which == 44)
    w ~ beta(2, 1.5) T[L, ];
  else if (which == 45)
    w ~ beta(2, 1.5) T[ , U];
  else if (which == 46)
    w ~ uniform(-0.5, 2 + sigma) T[L, U];
  else if (which == 47)
    w ~ uniform(-0.5, 2 + sigma) T[L, ];
  else if (which == 48)
    w ~ uniform(-0.5, 2 + sigma) T[ , U];
  else if (which == 49)
    w ~ skew_normal(mu, sigma, 0.5) T[L, U];
  else if (which == 50)
    w ~ skew_normal(mu, sigma, 0.5) T[L, ];
  else if (which == 51)
    w ~ skew_normal(mu, sigma, 0.5) T[ , U];
  else if (which == 52)
    w ~ exp_mod_normal(mu, sigma, 1.5) T[L, U];
  else if (which == 53)
    w ~ exp_mod_normal(mu, sigma, 1.5) T[L, ];
  else if (which == 54)
    w ~ exp_mod_normal(mu, sigma, 1.5) T[ , U];
  else if (which == 55)
    w ~ chi_square(3) T[L, U];
  else if (which == 56)
    w ~ chi_square(3) T[L, ];
  else if (which == 57)
    w ~ chi_square(3) T[ , U];
  else if (which == 58)
    w ~ scaled_inv_chi_square(3, sigma) T[L, U];
  else if (which == 59)
    w ~ scaled_inv_chi_square(3, sigma) T[L, ];
  else if (which == 60)
    w ~ scaled_inv_chi_square(3, sigma) T[ , U];
}
