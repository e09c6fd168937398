functions {
  real ll_mvn_ols_qr_lpdf(vector theta, vector b, real intercept, real ybar, real SSR, real sigma, int N) {
    return -0.5 * (dot_self(theta - b) + N * square(intercept - ybar) + SSR) / square(sigma)
           - N * (log(sigma) + log(sqrt(2 * pi())));
  }
}
data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] X;
  vector[N] y;
}
transformed data {
  matrix[N, K] Q = qr_thin_Q(X);                // 2.21: matrix[N, K] Q = qr_Q(X)[, 1:K];
  matrix[K, K] R = qr_thin_R(X);                // 2.21: matrix[K, K] R = qr_R(X)[1:K, ];
  vector[K] b = Q' * y;
  real ybar = mean(y);
  real SSR = dot_self(y - Q * b);
}
parameters {
  vector[K] theta;
  real alpha;
  real<lower=0> sigma;
}
model {
  target += ll_mvn_ols_qr_lpdf(theta | b, alpha, ybar, SSR, sigma, N);
}
generated quantities {
  vector[K] beta = mdivide_left(R, theta);
}
