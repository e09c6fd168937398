// sgmcmc_make_rows ROWS FOLDER: data of a logistic regression with 20 features, as X.npy (float32) and y.npy (int8).
//
// Every number follows from its row and column, so that any number of rows is made in fixed memory, and the first rows
// of a large file are those of a small one.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int features = 20;

std::uint64_t scrambled(std::uint64_t number) {
  number = (number + 1) * 0x9E3779B97F4A7C15u;
  number = (number ^ (number >> 29)) * 0xBF58476D1CE4E5B9u;
  number = (number ^ (number >> 32)) * 0x94D049BB133111EBu;
  return number ^ (number >> 31);
}

/// About normal, with variance 1: the sum of four uniforms.
float feature(std::uint64_t row, int column) {
  const std::uint64_t bits = scrambled(32 * row + static_cast<std::uint64_t>(column));
  double sum = 0;
  for (int part = 0; part < 4; ++part) sum += static_cast<double>((bits >> (16 * part)) & 0xFFFFu) + 0.5;
  return static_cast<float>((sum / 65536.0 - 2.0) * std::sqrt(3.0));
}

double coefficient(int column) { return (column % 2 == 0 ? 0.1 : -0.1) * (1 + column % 5); }

std::string header(const std::string& type, const std::string& shape) {
  std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  while ((text.size() + 11) % 64 != 0) text += ' ';
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 0xFF);
  head += static_cast<char>(text.size() >> 8);
  return head + text;
}

bool write(std::FILE* file, const void* bytes, std::size_t count) {
  return std::fwrite(bytes, 1, count, file) == count;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "sgmcmc_make_rows ROWS FOLDER\n");
    return 2;
  }
  const std::uint64_t rows = std::strtoull(arguments[1], nullptr, 10);
  const std::string folder = arguments[2];
  std::FILE* const x_file = std::fopen((folder + "/X.npy").c_str(), "wb");
  std::FILE* const y_file = std::fopen((folder + "/y.npy").c_str(), "wb");
  if (!x_file || !y_file) return std::perror(folder.c_str()), 1;
  const std::string x_head = header("<f4", std::to_string(rows) + ", " + std::to_string(features));
  const std::string y_head = header("|i1", std::to_string(rows) + ",");
  bool good = write(x_file, x_head.data(), x_head.size()) && write(y_file, y_head.data(), y_head.size());
  constexpr std::uint64_t at_once = 1 << 15;
  std::vector<float> x(at_once * features);
  std::vector<signed char> y(at_once);
  for (std::uint64_t first = 0; good && first < rows; first += at_once) {
    const std::uint64_t here = std::min(at_once, rows - first);
    for (std::uint64_t i = 0; i < here; ++i) {
      double sum = 0.5;
      for (int k = 0; k < features; ++k) {
        x[i * features + static_cast<std::uint64_t>(k)] = feature(first + i, k);
        sum += coefficient(k) * static_cast<double>(x[i * features + static_cast<std::uint64_t>(k)]);
      }
      const double uniform = static_cast<double>(scrambled(32 * (first + i) + 31) >> 11) * 0x1p-53;
      y[i] = uniform * (1 + std::exp(-sum)) < 1 ? 1 : 0;
    }
    good = write(x_file, x.data(), here * features * sizeof(float)) && write(y_file, y.data(), here);
  }
  good = std::fclose(x_file) == 0 && good;
  good = std::fclose(y_file) == 0 && good;
  if (!good) std::perror(folder.c_str());
  return good ? 0 : 1;
}
