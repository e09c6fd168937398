// Linear regression with a horseshoe prior.
data {
  int<lower=0> N;
  int<lower=0> P;
  matrix[N, P] X;
  vector[N] y;
}
parameters {
  real alpha;
  vector[P] z;
  vector<lower=0>[P] lambda;
  real<lower=0> tau;
  real<lower=0> sigma;
}
transformed parameters {
  vector[P] beta = z .* lambda * tau;
}
model {
  alpha ~ normal(0, 5);
  z ~ std_normal();
  lambda ~ cauchy(0, 1);
  tau ~ cauchy(0, 1);
  sigma ~ normal(0, 5);
  y ~ normal(alpha + X * beta, sigma);
}
