data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real a;
  real<lower=0> s;
}
model {
  profile("prior") {                   // 2.21: {
    a ~ normal(0, 1);
  }
  profile("likelihood") {              // 2.21: {
    for (n in 1:N) {
      y[n] ~ normal(a, s) T[-10, ];
    }
  }
  print("a = ", a);
  if (s > 1e10) reject("too wide", s);
}
