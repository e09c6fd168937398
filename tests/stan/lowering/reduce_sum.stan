// reduce_sum: the whole array is one slice; other data are picked by start:end, or row by row.
functions {
  real partial_sum_lpmf(array[] int slice, int start, int end, vector x, real alpha, real beta) {
    return bernoulli_logit_lpmf(slice | alpha + beta * x[start:end]);
  }
  real by_rows(array[] real slice, int start, int end, vector x, real alpha) {
    real total = 0;
    for (n in start:end)
      total += normal_lpdf(slice[n - start + 1] | alpha * x[n], 1);
    return total;
  }
  real never(array[] real slice, int start, int end, real alpha) {
    return alpha / 0.0;
  }
}
data {
  int<lower=1> N;
  array[N] int<lower=0, upper=1> y;
  vector[N] x;
  array[N] real z;
}
transformed data {
  array[0] real none;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(0, 1);
  beta ~ normal(0, 1);
  target += reduce_sum(partial_sum_lupmf, y, 1, x, alpha, beta);
  target += reduce_sum(by_rows, z, 2, x, beta);
  target += reduce_sum_static(partial_sum_lpmf, y, N, x, beta, alpha);
  target += reduce_sum(never, none, 1, alpha);
}
