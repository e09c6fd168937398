// The inputs of a reference evaluation: a small table of rows held in plain vectors, and the parameter vectors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sgmcmc::reference {

/// Every column row by row, each row's array row-major. Sparse columns are given dense, zeros written out.
struct RowTable {
  std::int64_t rows = 0;
  std::vector<double> weights;  ///< empty: all 1
  std::map<std::string, std::vector<double>> reals;
  std::map<std::string, std::vector<std::int64_t>> integers;
  std::map<std::string, std::vector<double>> sparse;
};

/// What leaves made with Point::current, centre and direction read. Those not read may stay empty.
template <class Scalar>
struct ParameterVectors {
  std::vector<Scalar> current;
  std::vector<Scalar> centre;
  std::vector<Scalar> direction;
};

/// The same numbers as another scalar: doubles as duals whose derivative is zero.
template <class Scalar>
ParameterVectors<Scalar> promote(const ParameterVectors<double>& from) {
  return {std::vector<Scalar>(from.current.begin(), from.current.end()),
          std::vector<Scalar>(from.centre.begin(), from.centre.end()),
          std::vector<Scalar>(from.direction.begin(), from.direction.end())};
}

}  // namespace sgmcmc::reference
