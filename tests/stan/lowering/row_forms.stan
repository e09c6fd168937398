data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] X;
  matrix[K, N] Xt;
  vector[N] y;
}
parameters {
  vector[K] beta;
  row_vector[K] gamma;
  real<lower=0> s;
}
model {
  for (n in 1:N) {
    y[n] ~ normal(X[n] * beta, s);
    y[n] ~ normal(X[n, ] * beta + dot_product(X[n], gamma) + row(X, n) * beta, s);
    y[n] ~ normal(gamma * Xt[, n] + col(Xt, n)' * beta + sum(X[n, 1:2]) * beta[1] + X[n, {2, 1}] * beta[1:2], s);
    y[n] ~ normal(to_vector(X[n])' * beta + mean(X[n]), s);
  }
  y ~ normal((gamma * Xt)', s);
  y ~ normal(to_vector(gamma * X'), s);
  y ~ normal(X[, 1] * beta[1] + X[, 2:3] * beta[2:3] + col(X, 2) .* y, s);
  y' ~ normal(beta' * Xt, s);
  target += sum(-square(y - X * beta) / (2 * s));
  target += -dot_self(y - X * beta);
  target += -0.5 * (y - X * beta)' * (y - X * beta);
}
