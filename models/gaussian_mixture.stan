// A mixture of K normal distributions; the order of the means names the components.
data {
  int<lower=1> N;
  int<lower=1> K;
  vector[N] y;
}
parameters {
  simplex[K] weight;
  ordered[K] mu;
  vector<lower=0>[K] sigma;
}
model {
  weight ~ dirichlet(rep_vector(2, K));
  mu ~ normal(0, 3);
  sigma ~ lognormal(0, 1);
  for (n in 1:N) {
    vector[K] terms = log(weight);
    for (k in 1:K)
      terms[k] += normal_lpdf(y[n] | mu[k], sigma[k]);
    target += log_sum_exp(terms);
  }
}
