data {
  int<lower=1> N;
  int<lower=1> K;
  array[N] int<lower=1, upper=3> g;
  array[2] int idx;
  vector[N] y;
  matrix[3, K] A;
}
parameters {
  matrix[3, K] B;
  vector[K] v;
}
transformed parameters {
  matrix[3, K] C = A;
  vector[K] u;
  array[2, 2] real q;
  C[idx, 1] = v[1:2];
  C[3] = v';
  C[1:2, 2:3] = B[1:2, 2:3];
  C[, 3] += v;
  u[{3, 1}] = v[idx];
  u[2] = 0.5;
  q[1] = {v[1], 2.0};
  q[2, 2] = v[3];
  q[2][1] = u[1];
}
model {
  for (n in 1:N) y[n] ~ normal(sum(C[g[n]]) + C[g[n], 2] + q[1, 1] + q[2, 1] * q[2][2], 1 + square(u[1]));
  y ~ normal(C[g, 2] + to_vector(C[g, {1, 3}] * v[2:3]), 1);
  to_vector(B) ~ normal(0, 1);
  v ~ normal(0, 1);
}
