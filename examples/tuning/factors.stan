// Matrix factorisation of ratings; held-out ratings are predicted at every draw.
data {
  int<lower=1> N;
  int<lower=1> users;
  int<lower=1> items;
  int<lower=1> K;
  array[N] int<lower=1, upper=users> user;
  array[N] int<lower=1, upper=items> item;
  vector[N] rating;
  int<lower=0> T;
  array[T] int<lower=1, upper=users> test_user;
  array[T] int<lower=1, upper=items> test_item;
  vector[T] test_rating;
}
parameters {
  vector[users] a;
  vector[items] b;
  matrix[users, K] U;
  matrix[items, K] V;
  real<lower=0> sigma;
}
model {
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  to_vector(U) ~ normal(0, 0.5);
  to_vector(V) ~ normal(0, 0.5);
  sigma ~ exponential(1);
  for (n in 1:N)
    rating[n] ~ normal(3.5 + a[user[n]] + b[item[n]] + dot_product(U[user[n]], V[item[n]]), sigma);
}
generated quantities {
  vector[T] log_density;
  for (t in 1:T)
    log_density[t] = normal_lpdf(test_rating[t] | 3.5 + a[test_user[t]] + b[test_item[t]]
                                                  + dot_product(U[test_user[t]], V[test_item[t]]), sigma);
}
