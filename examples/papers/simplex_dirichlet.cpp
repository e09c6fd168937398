// Figures 5.2.1 and 5.3.1 of Baker's thesis (2019): scir and sgrld on a sparse and a dense Dirichlet posterior of ten
// components, from minibatches of 1,000 rows; the best step of each method for each of five seeds.
#include "arguments.hpp"

#include <sgmcmc/compare.hpp>
#include <sgmcmc/draws.hpp>
#include <sgmcmc/figure.hpp>
#include <sgmcmc/random.hpp>
#include <sgmcmc/simplex.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

using namespace sgmcmc;

namespace {

constexpr std::size_t components = 10;
constexpr std::uint32_t rows = 1000;
constexpr double prior = 0.1;

struct Target {
  std::string name;
  std::vector<double> counts;  // of the components; rows in all

  std::vector<double> concentration() const {
    auto a = counts;
    for (auto& x : a) x += prior;
    return a;
  }
  std::vector<std::uint32_t> categories() const {
    std::vector<std::uint32_t> category;
    for (std::uint32_t j = 0; j < components; ++j)
      category.insert(category.end(), static_cast<std::size_t>(counts[j]), j);
    return category;
  }
};

const std::vector<Target> targets = {{"sparse", {800, 100, 100, 0, 0, 0, 0, 0, 0, 0}},
                                     {"dense", {112, 119, 92, 98, 95, 96, 102, 92, 91, 103}}};

struct Method {
  std::string name;
  SimplexMethod method;
  std::vector<double> steps;  // table B.5.1
};
const std::vector<Method> methods = {
    {"scir", SimplexMethod::scir, {1.0, 5e-1, 1e-1, 5e-2, 1e-2, 5e-3, 1e-3}},
    {"sgrld", SimplexMethod::sgrld, {5e-1, 1e-1, 5e-2, 1e-2, 5e-3, 1e-3, 5e-4, 1e-4}},
    {"sgrld, reduced mean", SimplexMethod::sgrld_reduced_mean, {5e-2, 1e-2, 5e-3, 1e-3, 5e-4, 1e-4, 5e-5, 1e-5}},
    {"sgrld, expanded natural", SimplexMethod::sgrld_expanded_natural, {1e-1, 5e-2, 1e-2, 5e-3, 1e-3, 5e-4, 1e-4}}};

MemoryDraws empty_draws(std::size_t draws) {
  std::vector<std::string> names;
  for (std::size_t j = 1; j <= components; ++j) names.push_back("omega[" + std::to_string(j) + "]");
  MemoryDraws result;
  result.begin(names, 1, draws);
  return result;
}

MemoryDraws exact_draws(const Target& target, std::size_t draws, std::uint64_t seed) {
  const auto shapes = target.concentration();
  std::vector<double> omega(components);
  auto result = empty_draws(draws);
  for (std::size_t d = 0; d < draws; ++d) {
    fill_gamma({seed, 0, d, Purpose::data}, shapes, omega);
    const double total = std::accumulate(omega.begin(), omega.end(), 0.0);
    for (auto& x : omega) x /= total;
    result.write(0, omega, 1.0);
  }
  return result;
}

/// A chain from minibatches of rows chosen without replacement. Steps that leave the range of doubles are not made.
MemoryDraws chain_draws(const Target& target, const Method& method, double step_size, std::uint32_t batch,
                        std::size_t warmup, std::size_t draws, std::uint64_t seed) {
  SimplexOptions options;
  options.method = method.method;
  options.step_size = step_size;
  options.seed = seed;
  SimplexSampler sampler(options, {prior}, components);
  auto category = target.categories();
  std::vector<double> uniforms(batch), counts(components), omega(components);
  auto result = empty_draws(draws);
  for (std::size_t t = 0; t < warmup + draws; ++t) {
    fill_uniform({seed, 0, t, Purpose::minibatch}, uniforms);
    std::fill(counts.begin(), counts.end(), 0.0);
    for (std::uint32_t i = 0; i < batch; ++i) {  // the first rows of a new order
      std::swap(category[i], category[i + static_cast<std::uint32_t>(uniforms[i] * (rows - i))]);
      counts[category[i]] += static_cast<double>(rows) / batch;
    }
    sampler.step(counts, t);
    if (t < warmup) continue;
    sampler.probabilities(omega);
    result.write(0, omega, 1.0);
  }
  return result;
}

double distance(const MemoryDraws& draws, const Target& target) {
  std::vector<std::size_t> parameters(components);
  std::iota(parameters.begin(), parameters.end(), std::size_t{0});
  return compare_with_dirichlet(draws, parameters, target.concentration()).distance;
}

std::vector<double> fifth_component(const MemoryDraws& draws) {
  std::vector<double> values;
  for (std::size_t d = 0; d < draws.draws(0); ++d) values.push_back(draws(0, d, 4));
  return values;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

struct Best {
  double distance;
  double step_size;
};

}  // namespace

int main(int count, char** words) {
  const Arguments arguments(count, words, "simplex_dirichlet", false);
  const std::size_t draws = arguments.quick ? 200 : 1000, warmup = draws, seeds = arguments.quick ? 2 : 5;
  const std::vector<std::uint32_t> batches = arguments.quick
                                                 ? std::vector<std::uint32_t>{10, 500}
                                                 : std::vector<std::uint32_t>{1, 2, 5, 10, 20, 50, 100, 200, 500};
  std::vector<figure::Panel> distances;
  figure::Panel box("sparse, fifth component, batches of 10 rows", {""}, {"omega", figure::Scale::logarithmic});
  std::string table;
  for (const auto& target : targets) {
    figure::Panel panel(target.name, {"share of the rows in a batch", figure::Scale::logarithmic},
                        {"Kolmogorov-Smirnov distance", figure::Scale::logarithmic});
    std::vector<double> exact;
    for (std::size_t seed = 1; seed <= seeds; ++seed)
      exact.push_back(distance(exact_draws(target, draws, seed), target));
    const bool has_box = target.name == "sparse";
    if (has_box) box.box("exact", "exact", fifth_component(exact_draws(target, draws, 1)));
    table += "\n| " + target.name + ": rows in a batch |";
    for (const auto batch : batches) table += " " + std::to_string(batch) + " |";
    table += "\n|---|" + [&] {
      std::string line;
      for (std::size_t i = 0; i < batches.size(); ++i) line += "---|";
      return line;
    }() + "\n";
    for (const auto& method : methods) {
      table += "| " + method.name + " |";
      std::vector<std::vector<figure::Point>> lines(seeds);
      for (const auto batch : batches) {
        std::vector<double> found;
        for (std::size_t seed = 1; seed <= seeds; ++seed) {
          Best best{1, method.steps.back()};  // nothing is farther
          for (const double step_size : method.steps) {
            const double here = distance(chain_draws(target, method, step_size, batch, warmup, draws, seed), target);
            if (here < best.distance) best = {here, step_size};
          }
          found.push_back(best.distance);
          lines[seed - 1].push_back({static_cast<double>(batch) / rows, best.distance});
          if (!has_box || batch != 10 || seed != 1 || method.method == SimplexMethod::sgrld_expanded_natural) continue;
          box.box(method.name, method.name.substr(method.name.find(' ') + 1),  // "reduced mean" is enough
                  fifth_component(chain_draws(target, method, best.step_size, batch, warmup, draws, seed)));
        }
        char text[32];
        std::snprintf(text, sizeof text, " %.3f |", median(found));
        table += text;
      }
      table += "\n";
      for (auto& line : lines) panel.line(method.name, std::move(line));
      std::fprintf(stderr, "%s: %s done\n", target.name.c_str(), method.name.c_str());
    }
    char text[64];
    std::snprintf(text, sizeof text, "exact draws: %.3f\n", median(exact));
    table += text;
    panel.reference("exact", median(exact));
    distances.push_back(panel);
  }
  figure::write_svg(arguments.out / "distance.svg", distances, 2);
  figure::write_svg(arguments.out / "boxes.svg", {box}, 1);
  std::ofstream(arguments.out / "table.md") << table;
  std::printf("%s", table.c_str());
}
