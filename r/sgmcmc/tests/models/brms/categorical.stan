// generated with brms 2.18.0; data: the R file of the same name
functions {
}
data {
  int<lower=1> N;  // total number of observations
  int<lower=2> ncat;  // number of categories
  int Y[N];  // response variable
  int<lower=1> K_muv;  // number of population-level effects
  matrix[N, K_muv] X_muv;  // population-level design matrix
  int<lower=1> K_muw;  // number of population-level effects
  matrix[N, K_muw] X_muw;  // population-level design matrix
  int prior_only;  // should the likelihood be ignored?
}
transformed data {
  int Kc_muv = K_muv - 1;
  matrix[N, Kc_muv] Xc_muv;  // centered version of X_muv without an intercept
  vector[Kc_muv] means_X_muv;  // column means of X_muv before centering
  int Kc_muw = K_muw - 1;
  matrix[N, Kc_muw] Xc_muw;  // centered version of X_muw without an intercept
  vector[Kc_muw] means_X_muw;  // column means of X_muw before centering
  for (i in 2:K_muv) {
    means_X_muv[i - 1] = mean(X_muv[, i]);
    Xc_muv[, i - 1] = X_muv[, i] - means_X_muv[i - 1];
  }
  for (i in 2:K_muw) {
    means_X_muw[i - 1] = mean(X_muw[, i]);
    Xc_muw[, i - 1] = X_muw[, i] - means_X_muw[i - 1];
  }
}
parameters {
  vector[Kc_muv] b_muv;  // population-level effects
  real Intercept_muv;  // temporary intercept for centered predictors
  vector[Kc_muw] b_muw;  // population-level effects
  real Intercept_muw;  // temporary intercept for centered predictors
}
transformed parameters {
  real lprior = 0;  // prior contributions to the log posterior
  lprior += student_t_lpdf(Intercept_muv | 3, 0, 2.5);
  lprior += student_t_lpdf(Intercept_muw | 3, 0, 2.5);
}
model {
  // likelihood including constants
  if (!prior_only) {
    // initialize linear predictor term
    vector[N] muv = rep_vector(0.0, N);
    // initialize linear predictor term
    vector[N] muw = rep_vector(0.0, N);
    // linear predictor matrix
    vector[ncat] mu[N];
    muv += Intercept_muv + Xc_muv * b_muv;
    muw += Intercept_muw + Xc_muw * b_muw;
    for (n in 1:N) {
      mu[n] = transpose([0, muv[n], muw[n]]);
    }
    for (n in 1:N) {
      target += categorical_logit_lpmf(Y[n] | mu[n]);
    }
  }
  // priors including constants
  target += lprior;
}
generated quantities {
  // actual population-level intercept
  real b_muv_Intercept = Intercept_muv - dot_product(means_X_muv, b_muv);
  // actual population-level intercept
  real b_muw_Intercept = Intercept_muw - dot_product(means_X_muw, b_muw);
}

