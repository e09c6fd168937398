data {
  int<lower=1> N;
  vector[N] y;
  array[N] int<lower=0, upper=1> last;
}
parameters {
  real a;
  real<lower=0> s;
}
model {
  real acc = 0;
  real total = 0;
  for (n in 1:N) {
    acc += normal_lpdf(y[n] | a, s);
    if (last[n]) {
      total += acc * 0.5;
      acc = 0;
    }
  }
  target += total;
}
