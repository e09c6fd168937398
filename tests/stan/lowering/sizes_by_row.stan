functions {
  real partial(vector v, int k) {
    real total = 0;
    int i = 1;
    while (i <= k) {
      total += v[i];
      i += 1;
    }
    return total;
  }
  int first_above(vector cuts, real x) {
    for (k in 1:rows(cuts)) {
      if (x < cuts[k]) return k;
    }
    return rows(cuts) + 1;
  }
}
data {
  int<lower=1> N;
  int<lower=1> K;
  array[N] int<lower=0, upper=K> k;
  vector[N] y;
  vector[2] cuts;
  matrix[N, K] X;
}
parameters {
  vector[K] b;
  real<lower=0> s;
}
model {
  for (n in 1:N) {
    vector[k[n]] part = b[1:k[n]];
    real best = 0;
    y[n] ~ normal(sum(part) + sum(head(b, k[n])), s);
    y[n] ~ normal(partial(b, k[n]), s);
    y[n] ~ normal(X[n, 1:k[n]] * part, s);
    y[n] ~ normal(b[first_above(cuts, y[n])], s);
    for (j in 1:K) {
      if (X[n, j] > 0.5) {
        best = b[j];
        break;
      }
    }
    y[n] ~ normal(best, s);
  }
}
