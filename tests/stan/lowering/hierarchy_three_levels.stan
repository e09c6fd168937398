data {
  int<lower=1> N;
  int<lower=1> S;
  int<lower=1> D;
  array[N] int<lower=1, upper=S> school;
  array[S] int<lower=1, upper=D> district;
  vector[N] y;
  vector[S] w;
}
parameters {
  vector[S] zs;
  vector[D] zd;
  real m;
  real<lower=0> ts;
  real<lower=0> td;
  real g;
}
transformed parameters {
  vector[D] ad = m + td * zd;
  vector[S] as;
  for (i in 1:S) as[i] = ad[district[i]] + g * w[i] + ts * zs[i];
}
model {
  zs ~ std_normal();
  zd ~ std_normal();
  for (n in 1:N) y[n] ~ student_t(4, as[school[n]] + 0.1 * ad[district[school[n]]], 1);
}
