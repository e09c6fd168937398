// Writes a CSV file like the forest cover data: 581,012 rows of a label, 10 measurements, and 44 indicators of which at
// most two are set in each row. The labels come from known coefficients.
//
//     covertype_csv FILE [ROWS]
#include <sgmcmc/sgmcmc.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

constexpr int measurements = 10, areas = 4, soils = 40;

/// Measurements rounded to thousandths, between -9.999 and 9.999.
void append_number(std::string& line, double value) {
  const int thousandths = static_cast<int>(std::lround(1000 * std::clamp(value, -9.999, 9.999)));
  char text[16];
  std::snprintf(text, sizeof text, ",%s%d.%03d", thousandths < 0 ? "-" : "", std::abs(thousandths) / 1000,
                std::abs(thousandths) % 1000);
  line += text;
}

/// The coefficient of column k: a fixed formula, so that coefficients need not be stored with the file.
double coefficient(int k) { return 0.8 * std::sin(1.7 * k + 0.5); }

}  // namespace

int main(int count, char** words) {
  if (count < 2 || count > 3) {
    std::fprintf(stderr, "usage: covertype_csv FILE [ROWS]\n");
    return 2;
  }
  const long rows = count == 3 ? std::atol(words[2]) : 581'012;
  std::FILE* file = std::fopen(words[1], "w");
  if (!file || rows < 1) {
    std::fprintf(stderr, "covertype_csv: %s\n", file ? "ROWS must be a positive number" : "the file cannot be written");
    return 1;
  }
  std::string line = "cover";
  for (int k = 1; k <= measurements; ++k) line += ",measure_" + std::to_string(k);
  for (int k = 1; k <= areas; ++k) line += ",area_" + std::to_string(k);
  for (int k = 1; k <= soils; ++k) line += ",soil_" + std::to_string(k);
  std::fprintf(file, "%s\n", line.c_str());

  std::array<double, measurements> x{};
  std::array<double, 3> uniform{};
  for (long i = 0; i < rows; ++i) {
    const auto row = static_cast<std::uint64_t>(i);
    fill_normal({.seed = 1, .iteration = row, .purpose = Purpose::data}, x);
    fill_uniform({.seed = 2, .iteration = row, .purpose = Purpose::data}, uniform);
    for (int k = 1; k < measurements; ++k)
      x[k] = 0.3 * x[k - 1] + std::sqrt(1 - 0.09) * x[k];  // neighbours go together
    // One area and one soil in each row, or none: then no column is a sum of others.
    const int area = std::min(areas, static_cast<int>((areas + 1) * uniform[0]));
    const int soil = std::min(soils, static_cast<int>((soils + 1) * uniform[1]));
    double score = 0;
    if (area < areas) score += coefficient(measurements + area);
    if (soil < soils) score += coefficient(measurements + areas + soil);
    for (int k = 0; k < measurements; ++k) score += coefficient(k) * std::round(1000 * x[k]) / 1000;

    line = uniform[2] < 1 / (1 + std::exp(-score)) ? "1" : "0";
    for (const double value : x) append_number(line, value);
    for (int k = 0; k < areas; ++k) line += k == area ? ",1" : ",0";
    for (int k = 0; k < soils; ++k) line += k == soil ? ",1" : ",0";
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), file);
  }
  if (std::fclose(file) != 0) {
    std::fprintf(stderr, "covertype_csv: the file cannot be written\n");
    return 1;
  }
}
