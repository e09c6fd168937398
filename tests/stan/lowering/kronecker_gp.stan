functions {
  matrix kron_mvprod(matrix A, matrix B, matrix V) {
    return transpose(A * transpose(B * V));
  }
  matrix calculate_eigenvalues(vector A, vector B, int n1, int n2, real sigma2) {
    matrix[n1, n2] e;
    for (i in 1:n1) {
      for (j in 1:n2) {
        e[i, j] = (A[i] * B[j] + sigma2);
      }
    }
    return e;
  }
}
data {
  int<lower=1> n1;
  int<lower=1> n2;
  vector[n1] x1;
  vector[n2] x2;
  matrix[n2, n1] y;
}
transformed data {
  matrix[n1, n1] xd1;
  matrix[n2, n2] xd2;
  for (i in 1:n1) {
    xd1[i, i] = 0;
    for (j in (i+1):n1) {
      xd1[i, j] = -(x1[i] - x1[j])^2;
      xd1[j, i] = xd1[i, j];
    }
  }
  for (i in 1:n2) {
    xd2[i, i] = 0;
    for (j in (i+1):n2) {
      xd2[i, j] = -(x2[i] - x2[j])^2;
      xd2[j, i] = xd2[i, j];
    }
  }
}
parameters {
  real<lower=0> var1;
  real<lower=0> bw1;
  real<lower=0> bw2;
  real<lower=0.00001> sigma1;
}
transformed parameters {
  matrix[n1, n1] Sigma1;
  matrix[n2, n2] Sigma2;
  matrix[n1, n1] Q1;
  matrix[n2, n2] Q2;
  vector[n1] L1;
  vector[n2] L2;
  matrix[n1, n2] eigenvalues;
  Sigma1 = var1 * exp(xd1 / bw1);
  Sigma2 = exp(xd2 / bw2);
  for (i in 1:n1) Sigma1[i,i] += 0.00001;
  for (i in 1:n2) Sigma2[i,i] += 0.00001;
  Q1 = eigenvectors_sym(Sigma1);
  Q2 = eigenvectors_sym(Sigma2);
  L1 = eigenvalues_sym(Sigma1);
  L2 = eigenvalues_sym(Sigma2);
  eigenvalues = calculate_eigenvalues(L1, L2, n1, n2, sigma1);
}
model {
  var1 ~ lognormal(0, 1);
  bw1 ~ cauchy(0, 2.5);
  bw2 ~ cauchy(0, 2.5);
  sigma1 ~ lognormal(0, 1);
  target += -0.5 * sum(to_array_1d(y .* kron_mvprod(Q1, Q2, kron_mvprod(transpose(Q1), transpose(Q2), y) ./ eigenvalues')))
    - 0.5 * sum(log(eigenvalues));
}
