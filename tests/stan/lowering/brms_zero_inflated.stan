functions {
  real zero_inflated_poisson_log_lpmf(int y, real eta, real zi) {
    if (y == 0) {
      return log_sum_exp(bernoulli_lpmf(1 | zi), bernoulli_lpmf(0 | zi) + poisson_log_lpmf(0 | eta));
    } else {
      return bernoulli_lpmf(0 | zi) + poisson_log_lpmf(y | eta);
    }
  }
}
data {
  int<lower=1> N;
  array[N] int Y;
  vector[N] x;
  vector[N] offsets;
  vector<lower=0>[N] weights;
}
parameters {
  real Intercept;
  real b;
  real<lower=0, upper=1> zi;
}
model {
  vector[N] mu = rep_vector(0.0, N);
  mu += Intercept + x * b + offsets;
  for (n in 1:N) {
    target += weights[n] * (zero_inflated_poisson_log_lpmf(Y[n] | mu[n], zi));
  }
  target += beta_lpdf(zi | 1, 1);
  Intercept ~ student_t(3, 0, 2.5);
}
