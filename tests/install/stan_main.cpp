// Samples a Stan model with default settings and a given seed, and prints the draws: sample_stan MODEL DATA SEED
#include <sgmcmc/sgmcmc.hpp>

#include <cstdio>
#include <cstdlib>

int main(int, char** arguments) try {
  const auto model = sgmcmc::StanModel::from_file(arguments[1]);
  const auto posterior = model.bind(sgmcmc::StanData().file(arguments[2]));
  sgmcmc::RunSettings settings;
  settings.seed = std::strtoull(arguments[3], nullptr, 10);
  const auto run = sgmcmc::sample(posterior, settings);
  for (std::size_t chain = 0; chain < run.draws.chains(); ++chain)
    for (std::size_t draw = 0; draw < run.draws.draws(chain); ++draw)
      for (std::size_t k = 0; k < run.draws.names().size(); ++k)
        std::printf("%zu %zu %s %.17g\n", chain + 1, draw + 1, run.draws.names()[k].c_str(), run.draws(chain, draw, k));
  return run.verdict ? 0 : 1;
} catch (const sgmcmc::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
