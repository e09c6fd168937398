functions {
  real mo(vector scale, int i) {
    if (i == 0) {
      return 0;
    } else {
      return rows(scale) * sum(scale[1:i]);
    }
  }
}
data {
  int<lower=1> N;
  vector[N] Y;
  int<lower=1> Ksp;
  int<lower=1> Imo;
  array[Imo] int<lower=1> Jmo;
  array[N] int Xmo_1;
  vector[Jmo[1]] con_simo_1;
}
parameters {
  real Intercept;
  simplex[Jmo[1]] simo_1;
  vector[Ksp] bsp;
  real<lower=0> sigma;
}
model {
  vector[N] mu = Intercept + rep_vector(0.0, N);
  for (n in 1:N) {
    mu[n] += (bsp[1]) * mo(simo_1, Xmo_1[n]);
  }
  target += normal_lpdf(Y | mu, sigma);
  target += dirichlet_lpdf(simo_1 | con_simo_1);
  sigma ~ normal(0, 2);
  bsp ~ normal(0, 1);
}
