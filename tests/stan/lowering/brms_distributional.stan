data {
  int<lower=1> N;
  vector[N] Y;
  int<lower=1> K;
  matrix[N, K] X;
  int<lower=1> K_sigma;
  matrix[N, K_sigma] X_sigma;
  int nb_1;
  matrix[N, nb_1] Zs_1_1;
}
parameters {
  vector[K] b;
  vector[K_sigma] b_sigma;
  vector[nb_1] zs_1_1;
  real<lower=0> sds_1_1;
  real<lower=1> nu;
}
transformed parameters {
  vector[nb_1] s_1_1;
  s_1_1 = sds_1_1 * zs_1_1;
}
model {
  vector[N] mu = X * b + Zs_1_1 * s_1_1;
  vector[N] sigma = rep_vector(0.0, N);
  sigma += X_sigma * b_sigma;
  for (n in 1:N) {
    // apply the inverse link function
    sigma[n] = exp(sigma[n]);
  }
  for (n in 1:N) {
    target += student_t_lpdf(Y[n] | nu, mu[n], sigma[n]);
  }
  target += gamma_lpdf(nu | 2, 0.1) - 1 * gamma_lccdf(1 | 2, 0.1);
  target += student_t_lpdf(sds_1_1 | 3, 0, 2.5);
  zs_1_1 ~ std_normal();
  b ~ normal(0, 1);
  b_sigma ~ normal(0, 1);
}
