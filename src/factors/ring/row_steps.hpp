// What minibatch methods do with each row: its gradient in coordinates in which its conditional distribution has scale
// 1, and the step back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sgmcmc {

/// Consecutive rows of one side; numbers of a row that are not constant stand at `places`.
struct RowSteps {
  std::size_t stride = 0, size = 0;
  const std::uint32_t* places = nullptr;
  float* rows = nullptr;
  const float* gradients = nullptr;  // of the log likelihood, without its precision
  const float* roots = nullptr;      // size x stride for each row
  const float* prior_mean = nullptr;
  const float* prior_precision = nullptr;  // stride x stride
  float noise_precision = 1;
};

/// The gradients of the log posterior of `count` rows: stride numbers for each.
void posterior_gradients(const RowSteps& at, std::size_t count, float* result);

/// The products of the roots of each row with its gradient of the log posterior: size numbers for each.
void whitened_gradients(const RowSteps& at, std::size_t count, float* result);

/// Adds to each row the sum of its roots times `moves`, size numbers for each row. Whether a number is out of range
/// afterwards.
bool add_moves(const RowSteps& at, std::size_t count, const float* moves);

}  // namespace sgmcmc
