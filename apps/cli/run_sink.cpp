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
  own_statistics_ = !statistics_.empty();
  if (!own_statistics_ && parts_.log_density) statistics_ = {"lp__"};
  std::vector<std::string> columns = statistics_;
  if (!own_statistics_) columns.emplace_back("stepsize__");
  sampler_.begin(columns, chains, draws_per_chain);
  all.insert(all.begin(), statistics_.begin(), statistics_.end());
  if (parts_.files) parts_.files->begin(all, chains, draws_per_chain);
  chains_.resize(chains);
  for (auto& state : chains_) {
    state.line.resize(all.size());
    state.outputs.resize(parts_.bound->output_size());
    const bool needed = !own_statistics_ && (parts_.log_density || (parts_.display && parts_.display->shown()));
    state.density = needed ? std::make_unique<DensityAtDraws>(parts_.posterior) : nullptr;
  }
}

double RunSink::density_of(ChainState& state) {
  const auto start = std::chrono::steady_clock::now();
  const double value = state.density->at(std::span<const double>(state.line).subspan(statistics_.size()));
  state.density_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return value;
}

void RunSink::write_statistics(std::size_t chain, std::span<const double> values) {
  std::copy(values.begin(), values.end(), chains_[chain].line.begin());
}

void RunSink::write(std::size_t chain, std::span<const double> values, double weight) {
  ChainState& state = chains_[chain];
  const std::size_t first = statistics_.size();
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
  if (own_statistics_) {
    sampler_.write(chain, std::span<const double>(state.line).first(first), weight);
  } else {
    std::array<double, 2> sampler = {weight, weight};
    if (parts_.log_density) sampler[0] = state.line[0] = density_of(state);
    sampler_.write(chain, std::span<const double>(sampler).first(first + 1), weight);
  }
  ++state.written;
  draws_.write(chain, after, weight);
  if (parts_.files) parts_.files->write(chain, state.line, weight);
}

void RunSink::note_log_density(const Progress& progress) {
  ChainState& state = chains_[progress.chain];
  if (state.written == 0 || (!state.density && !own_statistics_)) return;
  if (parts_.log_density || own_statistics_) {  // in both cases lp__ opens the line
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
