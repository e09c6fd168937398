data {
  int<lower=1> N;
  vector[N] y;
  vector[N] x;
  array[N] int<lower=0, upper=1> w;
}
parameters {
  real a;
  real b;
}
model {
  real lp = 0;
  real sx = 0;
  int count = 0;
  vector[N] ll;
  for (n in 1:N) {
    lp = lp + normal_lpdf(y[n] | a + b * x[n], 1);
    lp += -0.1 * a;
    if (w[n]) {
      lp -= b * x[n];
      sx += x[n];
      count += 1;
    }
    ll[n] = normal_lpdf(y[n] | a, 2);
  }
  target += lp;
  target += -sx * square(a) + count * b;
  target += sum(ll) / 2 + mean(ll);
  target += ll;
}
