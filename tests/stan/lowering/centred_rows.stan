data {
  int<lower=1> N;
  vector[N] y;
  vector[N] x;
}
transformed data {
  vector[N] z = (x - mean(x)) / sd(x);
  real sy = sd(y);
  array[N] int big;
  for (n in 1:N) big[n] = z[n] > 0 ? 1 : 0;
}
parameters {
  vector[2] b;
  real<lower=0> s;
}
model {
  matrix[N, 2] Z = append_col(rep_vector(1, N), z);
  b ~ normal(0, sy);
  y ~ normal(Z * b + to_vector(big) * b[1], s);
  y ~ normal(b[1] + b[2] * (x - mean(x)), s);
  y ~ student_t(4, Z[, 2] * b[2], s);
}
