// Constraints of transformed parameters: which values of x violate them.
functions {
#include pick.stan.inc
}
data {
  int which;
}
parameters {
  real x;
}
transformed parameters {
#include declarations.stan.inc
}
model {
  x ~ normal(0, 1);
}
