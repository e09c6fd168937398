// Two-parameter logistic item response model: how able each student is, how hard and telling each question.
data {
  int<lower=1> I;
  int<lower=1> J;
  int<lower=1> N;
  array[N] int<lower=1, upper=I> item;
  array[N] int<lower=1, upper=J> student;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  vector[J] ability;
  vector[I] difficulty;
  vector<lower=0>[I] discrimination;
}
model {
  ability ~ std_normal();
  difficulty ~ normal(0, 2);
  discrimination ~ lognormal(0, 0.5);
  y ~ bernoulli_logit(discrimination[item] .* (ability[student] - difficulty[item]));
}
