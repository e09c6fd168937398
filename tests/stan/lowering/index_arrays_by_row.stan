data {
  int<lower=1> N;
  int<lower=1> I;
  array[N, 3] int<lower=1, upper=I> items;
  vector[I] w;
  vector[N] y;
  matrix[N, 3] z;
}
parameters {
  vector[I] theta;
  matrix[I, 2] load;
  vector[2] f;
  real<lower=0> s;
}
model {
  for (n in 1:N) {
    array[3] int own = items[n];
    y[n] ~ normal(sum(theta[items[n]]) / 3, s);
    y[n] ~ normal(dot_product(theta[own], w[own]) + z[n] * theta[items[n]], s);
    y[n] ~ normal(mean(load[items[n], 2]) + sum(load[items[n]] * f), s);
    y[n] ~ normal(log_sum_exp(theta[items[n, 1:2]]), s);
  }
  theta ~ normal(0, 1);
}
