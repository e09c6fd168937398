// Haario's banana: a normal distribution bent along a parabola. No observations.
data {
  real b;
}
parameters {
  real x;
  real y;
}
model {
  x ~ normal(0, 10);
  y ~ normal(b * (square(x) - 100), 1);
}
