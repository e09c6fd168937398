data {
  int<lower=1> G;
  int<lower=1> M;
  array[G] int<lower=0, upper=M> n_members;
  array[G, M] int<lower=0> y;
  array[G, M] real x;
}
parameters {
  vector[G] z;
  real b;
  real<lower=0> tau;
}
model {
  z ~ std_normal();
  for (g in 1:G) {
    real lp = 0;
    for (m in 1:n_members[g]) {
      real eta = tau * z[g] + b * x[g, m];
      lp += poisson_log_lpmf(y[g, m] | eta);
    }
    target += lp;
  }
}
