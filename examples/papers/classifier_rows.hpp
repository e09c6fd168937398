// Rows with classes: digits, connections of KDD99, or made up; and the two classifiers of Ahn, Korattikara and Welling
// (2012), a network and a discriminative restricted Boltzmann machine, as expressions of one row.
#pragma once

#include <sgmcmc/distributions.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace sgmcmc {

struct Rows {
  std::size_t columns = 0, classes = 0;
  std::vector<double> x;
  std::vector<std::int32_t> y;
  std::size_t count() const { return y.size(); }
};

inline std::vector<unsigned char> bytes_of(const std::filesystem::path& path, std::size_t header) {
  std::ifstream file(path, std::ios::binary);
  std::vector<unsigned char> bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.size() <= header) {
    std::fprintf(stderr, "%s cannot be read; unpack the data there\n", path.c_str());
    std::exit(1);
  }
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header));
  return bytes;
}

/// Pixels in [0, 1] times normals of variance 1 / 28.
inline Rows digits_of(const std::filesystem::path& folder, const std::string& prefix) {
  constexpr std::size_t pixels = 784, projections = 20;
  const auto images = bytes_of(folder / (prefix + "-images-idx3-ubyte"), 16),
             labels = bytes_of(folder / (prefix + "-labels-idx1-ubyte"), 8);
  std::vector<double> matrix(pixels * projections);
  fill_normal({1, 0, 0, Purpose::data}, matrix);
  Rows rows{projections, 10, {}, {}};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::vector<double> x(projections);
    for (std::size_t p = 0; p < pixels; ++p)
      if (const double ink = images[i * pixels + p] / 255.0 / std::sqrt(28.0); ink > 0)
        for (std::size_t j = 0; j < projections; ++j) x[j] += ink * matrix[p * projections + j];
    rows.x.insert(rows.x.end(), x.begin(), x.end());
    rows.y.push_back(labels[i]);
  }
  return rows;
}

/// The numbers of a line as they are, or their logarithms; names of protocols, services and flags as numbers. 40
/// features: the constant column num_outbound_cmds is left out. Scaled to mean 0 and sd 1; classes by their frequency.
inline Rows connections(const std::filesystem::path& path, std::size_t most) {
  std::ifstream file(path);
  if (!file) {
    std::fprintf(stderr, "%s cannot be read; unpack it there\n", path.c_str());
    std::exit(1);
  }
  Rows rows;
  std::map<std::string, double> names;
  std::map<std::string, std::int32_t> labels;
  std::string line, word;
  while (std::getline(file, line) && rows.count() < most) {
    std::istringstream words(line);
    std::vector<std::string> cells;
    while (std::getline(words, word, ',')) cells.push_back(word);
    if (cells.size() != 42) continue;
    for (std::size_t k = 0; k < 41; ++k) {
      if (k == 19) continue;
      char* end = nullptr;
      const double value = std::strtod(cells[k].c_str(), &end);
      rows.x.push_back(*end ? names.emplace(cells[k], static_cast<double>(names.size())).first->second
                            : std::log1p(value));
    }
    rows.y.push_back(labels.emplace(cells[41], static_cast<std::int32_t>(labels.size())).first->second);
  }
  rows.columns = 40;
  rows.classes = labels.size();
  for (std::size_t j = 0; j < rows.columns; ++j) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < rows.count(); ++i)
      mean += rows.x[i * rows.columns + j] / static_cast<double>(rows.count());
    for (std::size_t i = 0; i < rows.count(); ++i)
      square += std::pow(rows.x[i * rows.columns + j] - mean, 2) / static_cast<double>(rows.count());
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (std::size_t i = 0; i < rows.count(); ++i)
      rows.x[i * rows.columns + j] = std::clamp((rows.x[i * rows.columns + j] - mean) * scale, -5.0, 5.0);
  }
  return rows;
}

/// Classes around fixed centres.
inline Rows made_up(std::size_t count, std::size_t columns, std::size_t classes, double spread, std::uint64_t seed) {
  Rows rows{columns, classes, std::vector<double>(count * columns), std::vector<std::int32_t>(count)};
  std::vector<double> centres(columns * classes);
  fill_normal({9, 0, 0, Purpose::data}, centres);
  fill_normal({seed, 0, 0, Purpose::data}, rows.x);
  for (std::size_t i = 0; i < count; ++i) {
    rows.y[i] = static_cast<std::int32_t>((i * 2654435761U >> 16) % classes);
    for (std::size_t j = 0; j < columns; ++j)
      rows.x[i * columns + j] =
          spread * rows.x[i * columns + j] + centres[static_cast<std::size_t>(rows.y[i]) * columns + j];
  }
  return rows;
}

/// Moves every `period`th row, from `first` on, to a set of its own.
inline Rows take_every(Rows& from, std::size_t period, std::size_t first) {
  Rows kept{from.columns, from.classes, {}, {}}, taken = kept;
  for (std::size_t i = 0; i < from.count(); ++i) {
    Rows& part = i % period == first ? taken : kept;
    part.x.insert(part.x.end(), from.x.begin() + static_cast<std::ptrdiff_t>(i * from.columns),
                  from.x.begin() + static_cast<std::ptrdiff_t>((i + 1) * from.columns));
    part.y.push_back(from.y[i]);
  }
  from = std::move(kept);
  return taken;
}

/// Parameters W, b, U and a, with their priors, and the logits of the classes of a row.
inline Expression logits_of(Model& model, const Rows& rows, std::size_t hidden, bool boltzmann, double sd) {
  const auto H = static_cast<std::int64_t>(hidden), K = static_cast<std::int64_t>(rows.columns),
             C = static_cast<std::int64_t>(rows.classes);
  const auto W = model.parameter("W", {H, K}), b = model.parameter("b", {H}), U = model.parameter("U", {C, H}),
             a = model.parameter("a", {C});
  for (const auto& weights : {W, b, U, a}) model.prior(normal_lpdf(weights, 0, sd));
  const auto inner = matmul(W, model.row("x")) + b;
  // The machine: p(y | x) is proportional to exp(a_y + sum_j log(1 + exp(b_j + U_yj + W_j x))) (Larochelle and Bengio
  // 2008).
  return boltzmann ? a + sum(log1p_exp(U + inner), 1) : matmul(U, logistic(inner)) + a;
}

}  // namespace sgmcmc
