// The covariances of a Gaussian process on a grid, element by element, and their eigendecompositions.
data {
  int<lower=1> n1;
  int<lower=1> n2;
  vector[n1] x1;
  vector[n2] x2;
  matrix[n2, n1] y;
}
parameters {
  real<lower=0> scale;
  real<lower=0> bw1;
  real<lower=0> bw2;
  real<lower=0> sigma;
}
model {
  matrix[n1, n1] K1;
  matrix[n2, n2] K2;
  matrix[n2, n1] e;
  for (i in 1:n1) {
    K1[i, i] = scale + 1e-3;
    for (j in (i + 1):n1) {
      K1[i, j] = scale * exp(-square(x1[i] - x1[j]) / bw1);
      K1[j, i] = K1[i, j];
    }
  }
  for (i in 1:n2)
    for (j in 1:n2)
      K2[i, j] = exp(-square(x2[i] - x2[j]) / bw2) + (i == j ? 1e-3 : 0.0);
  {
    matrix[n1, n1] Q1 = eigenvectors_sym(K1);
    matrix[n2, n2] Q2 = eigenvectors_sym(K2);
    vector[n1] l1 = eigenvalues_sym(K1);
    vector[n2] l2 = eigenvalues_sym(K2);
    matrix[n2, n1] z = Q2' * y * Q1;
    for (i in 1:n2)
      for (j in 1:n1)
        e[i, j] = l2[i] * l1[j] + sigma;
    target += -0.5 * sum(z .* z ./ e) - 0.5 * sum(log(e));
  }
  [scale, bw1, bw2, sigma] ~ lognormal(0, 1);
}
