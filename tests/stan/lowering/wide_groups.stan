data {
  int<lower=1> G;
  int<lower=1> M;
  matrix[G, M] y;
  array[G] int<lower=1, upper=M> size_of;
  vector[M] t;
}
parameters {
  vector[G] a;
  vector<lower=0>[2] s;
  real b;
}
model {
  a ~ normal(0, s[1]);
  for (g in 1:G) {
    y[g, 1:size_of[g]] ~ normal(a[g] + b * t[1:size_of[g]], s[2]);
    for (m in 2:size_of[g]) y[g, m] ~ normal(y[g, m - 1], s[2]);
  }
  for (g in 1:G) {
    row_vector[M] r = y[g] - a[g];
    target += -0.5 * dot_self(r) / square(s[2]);
  }
}
