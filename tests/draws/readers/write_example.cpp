// Writes draws with values given by a formula, as chain-*.csv and draws.nc, to check with external readers.
//
// Element k of the parameters, at draw d of chain c (all from 0), is 1000 (c + 1) + d + k / 7; lp__ is -c - d / 10, the
// weight 1 / (1 + d). The order of elements is that of `names`.
#include "draws/netcdf.hpp"
#include "draws/stan_csv.hpp"

#include <sgmcmc/error.hpp>

#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

int main(int argument_count, char** arguments) try {
  using namespace sgmcmc;
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: write_example_draws FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  constexpr std::size_t chains = 3, draws = 20;
  constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> names = {"mu", "beta[1]", "beta[2]", "beta[3]"};
  for (int i = 1; i <= 2; ++i)
    for (int j = 1; j <= 3; ++j) names.push_back("Sigma[" + std::to_string(i) + "," + std::to_string(j) + "]");
  for (int i = 1; i <= 2; ++i)
    for (int j = 1; j <= 2; ++j)
      for (int k = 1; k <= 2; ++k)
        names.push_back("z[" + std::to_string(i) + "," + std::to_string(j) + "," + std::to_string(k) + "]");
  std::vector<std::string> with_log_density = names;
  with_log_density.push_back("lp__");

  const StanCsvHeader header{"example", "sgld-cv", draws * 5, 10, 5, 42, "data.json", {{"batch_size", "500"}}};
  StanCsvSink csv(folder, header), without(folder / "without-density", header);
  csv.begin(with_log_density, chains, draws);
  without.begin(names, chains, draws);
  for (std::size_t c = 0; c < chains; ++c)
    for (std::size_t d = 0; d < draws; ++d) {
      std::vector<double> values;
      for (std::size_t k = 0; k < names.size(); ++k)
        values.push_back(1000.0 * static_cast<double>(c + 1) + static_cast<double>(d) + static_cast<double>(k) / 7.0);
      without.write(c, values, 1.0 / static_cast<double>(1 + d));
      values.push_back(-static_cast<double>(c) - static_cast<double>(d) / 10.0);
      csv.write(c, values, 1.0 / static_cast<double>(1 + d));
    }
  csv.finish(1.5);
  without.finish(1.5);

  const StanCsvDraws read = read_stan_csv(chain_files(folder));
  NetcdfContents contents{&read.draws, &read.sampler, {}, {{"method", "sgld-cv"}}};
  contents.observed.push_back({"y", {2, 3}, {0.5, 1.5, 2.5, 3.5, 4.5, 5.5}, false});
  contents.observed.push_back({"N", {}, {7}, true});
  write_netcdf(folder / "draws.nc", contents);

  // Two chains, the second stopped early, with columns of CmdStan, a parameter named like a dimension, one without a
  // number at one draw, and parameters of which only some elements were kept.
  MemoryDraws unequal, sampler;
  unequal.begin(std::vector<std::string>{"draw", "gap", "part[2]", "part[5]", "hole[1,1]", "hole[2,2]"}, 2, 3);
  sampler.begin(std::vector<std::string>{"lp__", "divergent__", "treedepth__"}, 2, 3);
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t d = 0; d < 3 - c; ++d) {
      unequal.write(c,
                    std::vector<double>{10.0 * static_cast<double>(c) + static_cast<double>(d),
                                        d == 1 ? not_known : 1.0, 2, 5, 1, 4},
                    1.0);
      sampler.write(c, std::vector<double>{not_known, d == 1 ? 1.0 : 0.0, 5.0}, 1.0);
    }
  write_netcdf(folder / "unequal.nc", {&unequal, &sampler, {}, {}});
  return 0;
} catch (const sgmcmc::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
