data {
  int<lower=1> N;
  vector[N] y;
}
transformed data {
  int half = 0;
  int k = N;
  while (k > 1) {
    k = k / 2; // 2.21:     k /= 2;
    half += 1;
    if (half > 10) break;
  }
}
parameters {
  real a;
  vector[half] b;
}
model {
  int i = 1;
  real tot = 0;
  while (i <= half) {
    i += 1;
    if (i == 3) continue;
    tot += b[i - 1] * i;
  }
  for (j in 1:half) {
    if (j > 2) break;
    target += -square(b[j] - tot);
  }
  for (v in b) target += -square(v);
  for (v in y) target += normal_lpdf(v | a + tot, 1);
  for (n in 1:N) y[n] ~ normal(a, 1 + half);
}
