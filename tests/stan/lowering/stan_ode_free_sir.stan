data {
  int<lower=1> T;
  array[T] int<lower=0> cases;
  real pop;
}
parameters {
  real<lower=0> beta;
  real<lower=0> gamma;
  real<lower=0> phi;
}
transformed parameters {
  array[T] real inc;
  {
    real S = pop - 1;
    real I = 1;
    for (t in 1:T) {
      real new_inf = beta * S * I / pop;
      S -= new_inf;
      I += new_inf - gamma * I;
      inc[t] = new_inf + 1e-6;
    }
  }
}
model {
  beta ~ lognormal(0, 0.5);
  gamma ~ lognormal(-1, 0.5);
  phi ~ exponential(1);
  cases ~ neg_binomial_2(inc, phi);
}
