// Linear regression with a regularised horseshoe prior: large coefficients are shrunk as if by a normal prior.
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
  real<lower=0> c2;
  real<lower=0> sigma;
}
transformed parameters {
  vector[P] beta;
  {
    vector[P] slab = sqrt(c2 * square(lambda) ./ (c2 + square(tau) * square(lambda)));
    beta = z .* slab * tau;
  }
}
model {
  alpha ~ normal(0, 5);
  z ~ std_normal();
  lambda ~ cauchy(0, 1);
  tau ~ cauchy(0, 0.05);
  c2 ~ inv_gamma(2, 8);
  sigma ~ normal(0, 5);
  y ~ normal(alpha + X * beta, sigma);
}
