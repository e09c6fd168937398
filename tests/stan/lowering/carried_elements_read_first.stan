data {
  int<lower=1> N;
  vector[N] y;
  vector[N] x;
}
parameters {
  vector[2] a;
}
model {
  vector[2] m;
  m[1] = a[1];
  m[2] = a[2];
  for (n in 1:N) {
    y[n] ~ normal(m[1] + m[2], 1);
    m[1] = m[1] * 0.5 + x[n];
  }
  a ~ normal(0, 1);
}
