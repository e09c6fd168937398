data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] x;
  array[N] int<lower=0, upper=1> y;
  array[N] int<lower=1, upper=2> sex;
}
parameters {
  real b0;
  vector[K] b;
  vector[2] bs;
}
model {
  real eta;
  vector[2] pr;
  int j;
  array[2] real both;
  for (i in 1:N) {
    eta = b0;
    for (k in 1:K) eta = eta + x[i, k] * b[k];
    j = sex[i];
    eta = eta + bs[j];
    pr[1] = inv_logit(eta);
    pr[2] = 1 - pr[1];
    if (y[i] == 1) both[1] = log(pr[1]);
    else both[1] = log(pr[2]);
    both[2] = -0.01 * square(eta);
    target += sum(both);
  }
  b ~ normal(0, 1);
  b0 ~ cauchy(0, 10);
}
