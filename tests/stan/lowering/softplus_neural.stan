functions {
  vector relu(vector v) {
    vector[rows(v)] r;
    for (i in 1:rows(v)) r[i] = fmax(0, v[i]);
    return r;
  }
}
data {
  int<lower=1> N;
  int<lower=1> D;
  int<lower=1> H;
  matrix[N, D] X;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  matrix[D, H] W1;
  row_vector[H] b1;
  vector[H] w2;
  real b2;
}
model {
  matrix[N, H] hidden = tanh(X * W1 + rep_matrix(b1, N));
  to_vector(W1) ~ std_normal();
  b1 ~ std_normal();
  w2 ~ std_normal();
  b2 ~ std_normal();
  y ~ bernoulli_logit(hidden * w2 + b2);
  for (n in 1:N) y[n] ~ bernoulli_logit(dot_product(relu((X[n] * W1)' + b1'), w2));
}
