data {
  int<lower=1> N;
  vector[N] y;
  vector[N] x;
}
parameters {
  vector[2] a;
}
model {
  vector[2] s = rep_vector(0.0, 2);
  vector[2] m;
  m[1] = a[1];
  m[2] = 0;
  for (n in 1:N) {
    s[1] += x[n] * a[1];
    s[2] = s[2] + square(y[n] - a[2]);
    m[2] = x[n] * a[2];
    y[n] ~ normal(m[1] + m[2], 1);
  }
  target += -s[1] - 0.5 * s[2];
}
