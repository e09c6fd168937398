// Constraints of generated quantities: which values of x violate them.
functions {
#include pick.stan.inc
}
data {
  int which;
}
parameters {
  real x;
}
model {
  x ~ normal(0, 1);
}
generated quantities {
#include declarations.stan.inc
}
