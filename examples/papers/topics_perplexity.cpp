// Figure 5.5.1a of Baker's thesis (2019): topics of documents by scir and sgrld, held-out perplexity against
// iterations, five seeds; with the settings of the thesis, and with the best of a grid of the same size for each
// method.
//
//   topics_perplexity DOCUMENTS      a corpus in any format that `sgmcmc lda` reads
//   topics_perplexity                made-up documents
#include "arguments.hpp"
#include "five_chains.hpp"
#include "made_up_documents.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/figure.hpp>
#include <sgmcmc/lda.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <span>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

struct Setting {
  SimplexMethod method;
  double step_size, alpha, beta;
  Schedule schedule;

  std::string text() const {
    char line[96];
    std::snprintf(line, sizeof line, "%s, h %g, alpha %g, beta %g", std::string(simplex_method_name(method)).c_str(),
                  step_size, alpha, beta);
    return line;
  }
};

const Schedule scir_decay = Schedule::decay(10.0, 0.33), sgrld_decay = Schedule::decay(1000.0, 0.6);

/// Table B.5.2.
const std::vector<Setting> of_the_thesis = {{SimplexMethod::scir, 0.5, 0.1, 0.5, scir_decay},
                                            {SimplexMethod::sgrld, 0.01, 0.01, 0.0001, sgrld_decay}};

/// Eight for each method.
std::vector<Setting> grid_of(SimplexMethod method) {
  const bool scir = method == SimplexMethod::scir;
  std::vector<Setting> grid;
  for (const double step : scir ? std::vector{0.5, 0.1} : std::vector{0.01, 0.05})
    for (const auto& [alpha, beta] :
         scir ? std::vector<std::pair<double, double>>{{0.1, 0.5}, {0.1, 0.1}, {0.1, 0.02}, {0.01, 0.1}}
              : std::vector<std::pair<double, double>>{{0.01, 0.0001}, {0.1, 0.0001}, {0.1, 0.01}, {0.1, 0.1}})
      grid.push_back({method, step, alpha, beta, scir ? scir_decay : sgrld_decay});
  return grid;
}

LdaResult fitted(const Corpus& corpus, const Setting& setting, std::uint64_t iterations, std::uint64_t evaluate_every,
                 std::uint32_t chain, bool quick) {
  LdaOptions options;
  options.topics = quick ? 12 : 50;
  options.method = setting.method;
  options.step_size = setting.step_size;
  options.schedule = setting.schedule;
  options.alpha = setting.alpha;
  options.beta = setting.beta;
  options.batch_size = 50;
  options.iterations = iterations;
  options.evaluate_every = evaluate_every;
  options.holdout = 0.05;
  options.chain = chain;  // the same documents are held out
  return fit_lda(corpus, options);
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words, "topics_perplexity", true);
  const std::uint64_t iterations = arguments.iterations > 0 ? arguments.iterations : arguments.quick ? 40 : 1000;
  const std::uint64_t tried = arguments.quick ? 10 : 100;
  const std::uint64_t every = std::max<std::uint64_t>(1, iterations / 20);
  const std::uint32_t chains = arguments.quick ? 2 : 5;
  try {
    const Corpus corpus =
        arguments.data.empty() ? made_up_documents(arguments.quick ? 400 : 5000) : Corpus::read(arguments.data);
    std::string search = "| setting | perplexity after " + std::to_string(tried) + " iterations |\n|---|---|\n";
    auto settings = of_the_thesis;
    for (const auto& published : of_the_thesis) {
      double least = INFINITY;
      Setting best = published;
      for (const auto& setting : grid_of(published.method)) {
        if (arguments.quick && setting.step_size != published.step_size) continue;
        const double found = fitted(corpus, setting, tried, tried, 100, arguments.quick).last_perplexity;
        char line[160];
        std::snprintf(line, sizeof line, "| %s | %.0f |\n", setting.text().c_str(), found);
        search += line;
        std::fprintf(stderr, "%s", line);
        if (found < least) least = found, best = setting;
      }
      if (best.text() != published.text()) settings.push_back(best);
    }
    figure::Panel draw("one draw", {"iterations"}, {"held-out perplexity", figure::Scale::logarithmic});
    figure::Panel averaged("averaged over draws", {"iterations"}, {"held-out perplexity"});
    std::string table =
        "| setting | perplexity of the last draw: mean of chains | sd | averaged over draws: mean | sd | seconds "
        "|\n|---|---|---|---|---|---|\n";
    for (const auto& setting : settings) {
      std::vector<double> last, average, seconds;
      for (std::uint32_t chain = 1; chain <= chains; ++chain) {
        const auto result = fitted(corpus, setting, iterations, every, chain, arguments.quick);
        std::vector<figure::Point> by_draw, by_average;
        for (const auto& point : result.trace) {
          by_draw.push_back({static_cast<double>(point.iteration), point.perplexity});
          by_average.push_back({static_cast<double>(point.iteration), point.averaged});
        }
        draw.line(setting.text(), by_draw);
        averaged.line(setting.text(), by_average);
        last.push_back(result.last_perplexity);
        average.push_back(result.perplexity);
        seconds.push_back(result.seconds);
        std::fprintf(stderr, "%s, chain %d: %.1f, averaged %.1f, %.0f s\n", setting.text().c_str(),
                     static_cast<int>(chain), result.last_perplexity, result.perplexity, result.seconds);
      }
      table += "| " + setting.text() + " | " + MeanAndSd(last).text("%.1f") + " | " + MeanAndSd(average).text("%.1f") +
               " | " + std::to_string(static_cast<int>(MeanAndSd(seconds).mean)) + " |\n";
    }
    figure::write_svg(arguments.out / "perplexity.svg", {draw, averaged}, 2);
    std::ofstream(arguments.out / "table.md") << table << "\n" << search;
    std::printf("%s\n%s", table.c_str(), search.c_str());
  } catch (const Error& error) {
    std::fprintf(stderr, "topics_perplexity: %s\n", error.what());
    return 1;
  }
}
