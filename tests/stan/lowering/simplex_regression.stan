data {
  int<lower=1> N;
  int<lower=1> K;
  array[N] simplex[K] y;
  array[N] vector[2] x;
  array[N, K] int counts;
}
parameters {
  matrix[K, 2] B;
  real<lower=0> phi;
}
model {
  for (n in 1:N) {
    vector[K] p = softmax(B * x[n]);
    y[n] ~ dirichlet(phi * p);
    counts[n] ~ multinomial(p);
  }
  to_vector(B) ~ normal(0, 1);
  phi ~ exponential(0.1);
}
