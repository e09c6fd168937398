data {
  int<lower=1> N;
  int<lower=1> J;
  int<lower=2> K;
  array[N, J] int<lower=1, upper=K> y;
}
parameters {
  vector[N] theta;
  array[J] ordered[K - 1] kappa;
  vector<lower=0>[J] lambda;
}
model {
  theta ~ std_normal();
  for (j in 1:J) {
    kappa[j] ~ normal(0, 3);
    for (n in 1:N) y[n, j] ~ ordered_logistic(lambda[j] * theta[n], kappa[j]);
  }
  lambda ~ lognormal(0, 1);
}
