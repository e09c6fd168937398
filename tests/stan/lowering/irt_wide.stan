data {
  int<lower=1> I;
  int<lower=1> J;
  array[I, J] int<lower=-1, upper=1> y;
}
parameters {
  vector[I] theta;
  vector[J] b;
  vector<lower=0>[J] a;
}
model {
  theta ~ std_normal();
  b ~ normal(0, 2);
  a ~ lognormal(0, 0.5);
  for (i in 1:I)
    for (j in 1:J)
      if (y[i, j] >= 0)
        y[i, j] ~ bernoulli_logit(a[j] * (theta[i] - b[j]));
}
