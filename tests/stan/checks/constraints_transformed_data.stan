// Constraints of transformed data: which values of x violate them.
functions {
#include pick.stan.inc
}
data {
  int which;
  real x;
}
transformed data {
#include declarations.stan.inc
}
parameters {
  real u;
}
model {
  u ~ normal(0, 1);
}
