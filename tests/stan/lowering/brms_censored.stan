data {
  int<lower=1> N;
  vector[N] Y;
  array[N] int<lower=-1, upper=2> cens;
  vector[N] rcens;
  int K;
  matrix[N, K] X;
}
parameters {
  vector[K] b;
  real<lower=0> sigma;
}
model {
  vector[N] mu = rep_vector(0.0, N);
  mu += X * b;
  for (n in 1:N) {
    // special treatment of censored data
    if (cens[n] == 0) {
      target += normal_lpdf(Y[n] | mu[n], sigma);
    } else if (cens[n] == 1) {
      target += normal_lccdf(Y[n] | mu[n], sigma);
    } else if (cens[n] == -1) {
      target += normal_lcdf(Y[n] | mu[n], sigma);
    } else if (cens[n] == 2) {
      target += log_diff_exp(normal_lcdf(rcens[n] | mu[n], sigma), normal_lcdf(Y[n] | mu[n], sigma));
    }
  }
  b ~ normal(0, 2);
  sigma ~ exponential(1);
}
