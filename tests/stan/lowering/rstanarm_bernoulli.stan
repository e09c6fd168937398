functions {
  vector linkinv_bern(vector eta, int link) {
    if (link == 1) return inv_logit(eta);
    else if (link == 2) return Phi(eta);
    else if (link == 3) return atan(eta) / pi() + 0.5;
    else if (link == 4) return exp(eta);
    else if (link == 5) return inv_cloglog(eta);
    else reject("Invalid link");
    return eta; // never reached
  }
  real ll_bern_lp(vector eta0, vector eta1, int link, array[] int N) {
    if (link == 1) { // logit
      target += logistic_lccdf(eta0 | 0, 1);
      target += logistic_lcdf(eta1 | 0, 1);
    }
    else if (link == 2) { // probit
      target += normal_lccdf(eta0 | 0, 1);
      target += normal_lcdf(eta1 | 0, 1);
    }
    else reject("Invalid link");
    return 0;
  }
}
data {
  int<lower=0> K;
  array[2] int<lower=0> N;
  vector[K] xbar;
  matrix[N[1], K] X0;
  matrix[N[2], K] X1;
  int link;
  int prior_dist;
  vector<lower=0>[K] prior_scale;
  vector[K] prior_mean;
}
parameters {
  real gamma;
  vector[K] z_beta;
}
transformed parameters {
  vector[K] beta;
  if (prior_dist == 0) beta = z_beta;
  else if (prior_dist == 1) beta = z_beta .* prior_scale + prior_mean;
}
model {
  vector[N[1]] eta0;
  vector[N[2]] eta1;
  real dummy;
  if (K > 0) {
    eta0 = X0 * beta;
    eta1 = X1 * beta;
  } else {
    eta0 = rep_vector(0.0, N[1]);
    eta1 = rep_vector(0.0, N[2]);
  }
  eta0 = gamma + eta0;
  eta1 = gamma + eta1;
  dummy = ll_bern_lp(eta0, eta1, link, N);
  if (prior_dist == 1) z_beta ~ normal(0, 1);
  target += normal_lpdf(gamma | 0, 2.5);
}
generated quantities {
  real alpha = gamma - dot_product(xbar, beta);
  vector[N[1]] p0 = linkinv_bern(X0 * beta + gamma, link);
}
