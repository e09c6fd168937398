// Filling in the line of each draw.
#include "cli/run_sink.hpp"

#include "base/state.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace sgmcmc::cli {

void RunSink::begin(std::span<const std::string> names, std::size_t chains, std::size_t draws_per_chain) {
  parameters_ = names.size();
  std::vector<std::string> all(names.begin(), names.end());
  all.insert(all.end(), parts_.outputs.names.begin(), parts_.outputs.names.end());
  draw_names_ = all;
  own_statistics_ = !statistics_.empty();
  if (!own_statistics_ && parts_.log_density) statistics_ = {"lp__"};
  sampler_names_ = statistics_;
  if (!own_statistics_) sampler_names_.emplace_back("stepsize__");
  spool_.begin(1 + sampler_names_.size() + draw_names_.size(), chains);
  all.insert(all.begin(), statistics_.begin(), statistics_.end());
  if (parts_.files) parts_.files->begin(all, chains, draws_per_chain);
  chains_.resize(chains);
  for (auto& state : chains_) {
    state.line.resize(all.size());
    state.record.reserve(1 + sampler_names_.size() + draw_names_.size());
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
  if (!own_statistics_ && parts_.log_density) state.line[0] = density_of(state);
  ++state.written;
  keep(chain, weight);
  if (parts_.files) parts_.files->write(chain, state.line, weight);
}

void RunSink::keep(std::size_t chain, double weight) {
  ChainState& state = chains_[chain];
  const auto statistics = state.line.begin() + static_cast<std::ptrdiff_t>(statistics_.size());
  state.record.assign(1, weight);
  state.record.insert(state.record.end(), state.line.begin(), statistics);
  if (!own_statistics_) state.record.push_back(weight);  // stepsize__
  state.record.insert(state.record.end(), statistics, state.line.end());
  spool_.write(chain, state.record);
}

void RunSink::collect() {
  sampler_ = spool_.view(sampler_names_, 1);
  draws_ = spool_.view(draw_names_, 1 + sampler_names_.size());
}

void RunSink::save_state(std::size_t chain, StateVisitor& visitor) {
  visitor.visit("draws_written", chains_[chain].written);
  visitor.visit("outputs_failed", chains_[chain].failed);
  parts_.files->save_state(chain, visitor);
}

void RunSink::restore_state(std::size_t chain, StateVisitor& visitor) {
  ChainState& state = chains_[chain];
  visitor.visit("draws_written", state.written);
  visitor.visit("outputs_failed", state.failed);
  parts_.files->restore_state(chain, visitor);
  parts_.files->replay(chain, [&](std::span<const double> line, double weight) {
    state.line.assign(line.begin(), line.end());
    keep(chain, weight);
  });
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
    if (!state.failure.empty()) return state.failure;
  return "";
}

bool RunSink::any_draw() const {
  return std::any_of(chains_.begin(), chains_.end(), [](const ChainState& state) { return state.written > 0; });
}

}  // namespace sgmcmc::cli
