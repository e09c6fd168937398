// Figure 5.5.1b of Baker's thesis (2019): a Dirichlet process mixture of the visitors of a web site by areas visited,
// sampled by scir and sgrld with minibatches of 1,000 users; log predictive of held-out users, five chains each.
//
//   mixture_msweb anonymous-msweb.data    the file of the UCI repository, packed or not
//   mixture_msweb                         made-up visitors of the same kind
#include "arguments.hpp"
#include "five_chains.hpp"

#include <sgmcmc/dpmix.hpp>
#include <sgmcmc/error.hpp>
#include <sgmcmc/figure.hpp>
#include <sgmcmc/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

/// Visitors of a dozen kinds, each with its own few favourite areas of many; three visits each on average.
Corpus made_up(std::uint32_t users) {
  constexpr std::uint32_t areas = 120, kinds = 12;
  Corpus::Builder builder(areas);
  std::vector<double> shapes(areas, 0.05), favourites(areas * kinds);
  for (std::uint32_t k = 0; k < kinds; ++k)
    fill_gamma({1998, 0, k, Purpose::data}, shapes, std::span(favourites).subspan(k * areas, areas));
  for (std::uint32_t i = 0; i < users; ++i) {
    std::vector<double> uniforms(20);
    fill_uniform({1998, 1, i, Purpose::data}, uniforms);
    const auto kind = static_cast<std::uint32_t>(kinds * uniforms[0] * uniforms[0]);  // some kinds are more common
    const auto weights = std::span<const double>(favourites).subspan(kind * areas, areas);
    const auto length = static_cast<std::size_t>(1 + std::min(17.0, std::floor(-2.5 * std::log(uniforms[1]))));
    std::vector<std::uint32_t> visits;
    for (std::size_t v = 0; v < length; ++v) visits.push_back(chosen_by_weight(weights, uniforms[2 + v]));
    builder.add(visits, std::vector<std::uint32_t>(visits.size(), 1));
  }
  return builder.build();
}

struct Setting {
  std::string name;
  SimplexMethod method;
  double beta;
  std::uint32_t initial_clusters;
};

// Steps are those of the thesis, table B.5.3, which are the defaults. The thesis has the first and the last: two
// models.
const std::vector<Setting> settings = {{"scir, beta 0.5", SimplexMethod::scir, 0.5, 20},
                                       {"sgrld, beta 0.5", SimplexMethod::sgrld, 0.5, 30},
                                       {"scir, beta 0.001", SimplexMethod::scir, 0.001, 20},
                                       {"sgrld, beta 0.001", SimplexMethod::sgrld, 0.001, 30}};

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words, "mixture_msweb", true);
  const bool quick = arguments.quick;
  try {
    const Corpus corpus = arguments.data.empty() ? made_up(quick ? 600 : 10'000) : Corpus::read(arguments.data);
    figure::Panel prediction("held-out users", {"iterations"}, {"log predictive of a draw"});
    figure::Panel clusters("clusters with users", {"iterations"}, {"clusters"});
    figure::Panel concentration("concentration", {"iterations"}, {"concentration alpha", figure::Scale::logarithmic});
    std::string table =
        "| | log predictive: mean of chains | sd | clusters: mean | sd | alpha: mean | sd "
        "|\n|---|---|---|---|---|---|---|\n";
    for (const auto& setting : settings) {
      std::vector<double> predictions, sizes, alphas;
      for (std::uint32_t chain = 1; chain <= (quick ? 2u : 5u); ++chain) {
        DpmixOptions options;
        options.method = setting.method;
        options.beta = setting.beta;
        options.initial_clusters = setting.initial_clusters;
        options.iterations = arguments.iterations > 0 ? arguments.iterations : quick ? 60 : 5000;
        options.batch_size = quick ? 100 : 1000;
        options.chain = chain;  // the same users are held out
        const DpmixResult result = fit_dpmix(corpus, options);
        std::vector<figure::Point> predicted, found, alpha;
        for (const auto& point : result.trace) {
          const auto t = static_cast<double>(point.iteration);
          predicted.push_back({t, point.log_predictive});
          found.push_back({t, static_cast<double>(point.clusters)});
          alpha.push_back({t, point.concentration});
        }
        prediction.line(setting.name, predicted);
        clusters.line(setting.name, found);
        concentration.line(setting.name, alpha);
        predictions.push_back(result.log_predictive);
        sizes.push_back(result.mean_clusters);
        alphas.push_back(result.mean_concentration);
        std::fprintf(stderr, "%s, chain %d: %.4f, %.1f clusters, %.1f s\n", setting.name.c_str(),
                     static_cast<int>(chain), result.log_predictive, result.mean_clusters, result.seconds);
      }
      table += "| " + setting.name + " | " + MeanAndSd(predictions).text("%.4f") + " | " +
               MeanAndSd(sizes).text("%.1f") + " | " + MeanAndSd(alphas).text("%.2f") + " |\n";
    }
    figure::write_svg(arguments.out / "prediction.svg", {prediction, clusters, concentration}, 3);
    std::ofstream(arguments.out / "table.md") << table;
    std::printf("%s", table.c_str());
  } catch (const Error& error) {
    std::fprintf(stderr, "mixture_msweb: %s\n", error.what());
    return 1;
  }
}
