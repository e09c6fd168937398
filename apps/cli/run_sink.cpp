// Filling in the line of each draw.
#include "cli/run_sink.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

namespace sgmcmc::cli {

void RunSink::begin(std::span<const std::string> names, std::size_t chains, std::size_t draws_per_chain) {
  parameters_ = names.size();
  std::vector<std::string> all(names.begin(), names.end());
  all.insert(all.end(), parts_.outputs.names.begin(), parts_.outputs.names.end());
  draws_.begin(all, chains, draws_per_chain);
  std::vector<std::string> columns = {"stepsize__"};
  if (parts_.log_density) columns.insert(columns.begin(), "lp__");
  sampler_.begin(columns, chains, draws_per_chain);
  if (parts_.log_density) all.insert(all.begin(), "lp__");
  if (parts_.files) parts_.files->begin(all, chains, draws_per_chain);
  chains_.resize(chains);
  for (auto& state : chains_) {
    state.line.resize(all.size());
    state.outputs.resize(parts_.bound->output_size());
    state.density = parts_.log_density || (parts_.display && parts_.display->shown())
                        ? std::make_unique<DensityAtDraws>(parts_.posterior)
                        : nullptr;
  }
}

double RunSink::density_of(ChainState& state) {
  const auto start = std::chrono::steady_clock::now();
  const double value = state.density->at(std::span<const double>(state.line).subspan(parts_.log_density ? 1 : 0));
  state.density_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return value;
}

void RunSink::write(std::size_t chain, std::span<const double> values, double weight) {
  ChainState& state = chains_[chain];
  const std::size_t first = parts_.log_density ? 1 : 0;
  std::copy(values.begin(), values.end(), state.line.begin() + static_cast<std::ptrdiff_t>(first));
  const std::span<double> after = std::span(state.line).subspan(first);
  if (after.size() > parameters_) {
    try {
      parts_.bound->evaluate_outputs(values, parts_.seed, static_cast<std::uint32_t>(chain), state.written,
                                     state.outputs);
    } catch (const Error& error) {  // a rate of 0 in one draw, say: no reason to lose the others
      std::fill(state.outputs.begin(), state.outputs.end(), std::numeric_limits<double>::quiet_NaN());
      if (state.failed++ == 0) state.failure = error.what();
    }
    for (std::size_t i = 0; i < parts_.outputs.positions.size(); ++i)
      after[parameters_ + i] = state.outputs[parts_.outputs.positions[i]];
  }
  std::array<double, 2> sampler = {weight, weight};
  if (parts_.log_density) sampler[0] = state.line[0] = density_of(state);
  ++state.written;
  draws_.write(chain, after, weight);
  sampler_.write(chain, std::span<const double>(sampler).first(first + 1), weight);
  if (parts_.files) parts_.files->write(chain, state.line, weight);
}

void RunSink::note_log_density(const Progress& progress) {
  ChainState& state = chains_[progress.chain];
  if (!state.density || state.written == 0) return;
  if (parts_.log_density) {
    parts_.display->set_log_density(progress.chain, state.line[0]);
    return;
  }
  if (progress.seconds < state.noted_at + std::max(2.0, 100 * state.density_seconds)) return;
  state.noted_at = progress.seconds;
  parts_.display->set_log_density(progress.chain, density_of(state));
}

std::uint64_t RunSink::failed_outputs() const {
  std::uint64_t failed = 0;
  for (const auto& state : chains_) failed += state.failed;
  return failed;
}

std::string RunSink::failure() const {
  for (const auto& state : chains_)
    if (state.failed > 0) return state.failure;
  return "";
}

bool RunSink::any_draw() const {
  return std::any_of(chains_.begin(), chains_.end(), [](const ChainState& state) { return state.written > 0; });
}

}  // namespace sgmcmc::cli
