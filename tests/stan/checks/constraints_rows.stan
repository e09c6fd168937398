// Constraints of transformed parameters that each row has its own of.
data {
  int N;
  vector[N] y;
  real limit;
}
parameters {
  real mu;
  real edge;
}
transformed parameters {
  vector<lower=edge, upper=limit>[N] shifted = mu + y;
  array[N] ordered[2] rising;
  array[N] simplex[2] shares;
  for (n in 1:N) {
    rising[n] = [mu, y[n]]';
    shares[n] = [0.1 * y[n], 1 - 0.1 * y[n] + 0 * mu]';
  }
}
model {
  mu ~ normal(0, 1);
  edge ~ normal(0, 1);
  for (n in 1:N)
    y[n] ~ normal(shifted[n], 1 + shares[n, 1]);
}
