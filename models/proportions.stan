// Proportions of K categories: a simplex with a Dirichlet prior, so the posterior is known exactly.
data {
  int<lower=0> N;
  int<lower=2> K;
  array[N] int<lower=1, upper=K> y;
  vector<lower=0>[K] alpha;
}
parameters {
  simplex[K] theta;
}
model {
  theta ~ dirichlet(alpha);
  y ~ categorical(theta);
}
