data {
  int<lower=1> I;
  int<lower=1> J;
  array[I, J] int<lower=0, upper=1> y;
}
parameters {
  vector[I] theta;
  vector[J] b;
}
model {
  theta ~ std_normal();
  b ~ normal(0, 2);
  for (j in 1:J) y[, j] ~ bernoulli_logit(theta - b[j]);
  for (i in 1:I) y[i] ~ bernoulli_logit(theta[i] - b);
}
