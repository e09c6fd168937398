functions {
  real my_normal_lpdf(vector y, vector mu, real sigma) {
    int n = rows(y);
    vector[n] z = (y - mu) / sigma;
    return -0.5 * dot_self(z) - n * log(sigma);
  }
  real one_lpdf(real y, real mu, real sigma) {
    if (y > mu) return normal_lpdf(y | mu, sigma);
    return normal_lpdf(y | mu, 2 * sigma);
  }
  real loop_lpdf(vector y, real mu, real sigma) {
    real lp = 0;
    for (n in 1:num_elements(y)) lp += normal_lpdf(y[n] | mu, sigma);
    return lp;
  }
  vector linear(matrix X, vector b) { return X * b; }
  real power_sum(real x, int k) {
    if (k == 0) return 1;
    return 1 + x * power_sum(x, k - 1);
  }
  void add_prior_lp(real a, real s) {
    a ~ normal(0, s);
    target += -s;
  }
}
data {
  int<lower=1> N;
  vector[N] y;
  matrix[N, 2] X;
}
parameters {
  vector[2] b;
  real<lower=0> sigma;
}
model {
  y ~ my_normal(linear(X, b), sigma);
  y ~ loop(b[1], sigma);
  target += my_normal_lpdf(y | X * b, 2 * sigma);
  for (n in 1:N) y[n] ~ one(power_sum(X[n, 1] * b[1], 3), sigma);
  for (n in 1:N) target += one_lpdf(y[n] | b[2], sigma);
  add_prior_lp(b[1], 2.0);
  add_prior_lp(b[2], sigma);
}
