data {
  int<lower=1> S;
  int<lower=1> V;
  array[S, V] int<lower=0, upper=1> y;
  matrix[S, V] w;
  vector[S] x;
}
transformed data {
  array[S] int any_seen;
  for (i in 1:S) any_seen[i] = max(y[i]) > 0;
}
parameters {
  real a;
  real b;
  real c;
  real d;
}
model {
  vector[S] logit_psi = a + b * x;
  matrix[S, V] logit_p = c + d * w;
  for (i in 1:S) {
    if (any_seen[i])
      target += log_inv_logit(logit_psi[i]) + bernoulli_logit_lpmf(y[i] | logit_p[i]);
    else
      target += log_sum_exp(log_inv_logit(logit_psi[i]) + bernoulli_logit_lpmf(y[i] | logit_p[i]),
                            log1m_inv_logit(logit_psi[i]));
  }
  a ~ normal(0, 2); b ~ normal(0, 2); c ~ normal(0, 2); d ~ normal(0, 2);
}
