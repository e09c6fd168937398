// Assembles the line of each draw.
#include "service/sampling/run_sink.hpp"

#include <sgmcmc/state.hpp>
#include "draws/variable_names.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace sgmcmc {
namespace {

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

}  // namespace

void RunSink::begin(std::span<const std::string> names, std::size_t chains, std::size_t draws_per_chain) {
  parameters_ = names.size();
  const auto* bound = parts_.bound;
  runs_program_ = bound && bound->runs_at_draws() && (bound->outputs().empty() || !parts_.outputs.names.empty());
  if (parameters_ < parts_.posterior->model().constrained_names().size()) {  // outputs need all groups
    parts_.outputs.names.clear();
    parts_.outputs.positions.clear();
    parts_.log_density = false;
    runs_program_ = false;
  }
  std::vector<std::string> all(names.begin(), names.end());
  all.insert(all.end(), parts_.outputs.names.begin(), parts_.outputs.names.end());
  draw_names_ = all;
  own_statistics_ = !statistics_.empty();
  if (!own_statistics_ && parts_.log_density) statistics_.emplace_back("lp__");
  if (!own_statistics_) statistics_.emplace_back("stepsize__");
  sampler_names_ = statistics_;
  groups_.clear();
  for (std::size_t k = 0; k < statistics_.size(); ++k) groups_.push_back({statistics_[k], k, k + 1});
  for (std::size_t k = parameters_; k < draw_names_.size(); ++k) {
    const std::string variable = parse_element_name(draw_names_[k]).variable;
    const std::size_t at = statistics_.size() + k;
    if (k == parameters_ || groups_.back().name != variable) groups_.push_back({variable, at, at});
    groups_.back().end = at + 1;
  }
  if (runs_program_ && bound->outputs().empty()) groups_.push_back({program_outputs, 0, 0});
  choose_columns(chains);
  spool_.begin(1 + sampler_names_.size() + written_names_.size(), chains);
  all = written_names_;
  all.insert(all.begin(), statistics_.begin(), statistics_.end());
  if (parts_.files) parts_.files->begin(all, chains, draws_per_chain);
  chains_.resize(chains);
  for (auto& state : chains_) {
    state.line.resize(statistics_.size() + draw_names_.size());
    state.failures.resize(groups_.size());
    state.record.reserve(1 + all.size());
    state.outputs.resize(bound ? bound->output_size() : 0);
    const bool needed = !own_statistics_ && parameters_ == parts_.posterior->model().constrained_names().size() &&
                        (parts_.log_density || parts_.note);
    state.density = needed ? std::make_unique<DensityAtDraws>(parts_.posterior) : nullptr;
  }
}

void RunSink::choose_columns(std::size_t chains) {
  written_.clear();
  not_written_.clear();
  std::vector<bool> chosen(draw_names_.size(), true);
  if (parts_.choose_written) chosen = parts_.choose_written(draw_names_);
  for (std::size_t k = 0; k < draw_names_.size(); ++k) (chosen[k] ? written_ : not_written_).push_back(k);
  written_names_.clear();
  place_in_file_.assign(statistics_.size() + draw_names_.size(), nowhere);
  for (std::size_t k = 0; k < statistics_.size(); ++k) place_in_file_[k] = k;
  for (const std::size_t k : written_) {
    place_in_file_[statistics_.size() + k] = statistics_.size() + written_names_.size();
    written_names_.push_back(draw_names_[k]);
  }
  all_parameters_written_ = not_written_.empty() || not_written_.front() >= parameters_;
  summaries_.begin(not_written_.size(), chains);
  const auto end = draw_names_.begin() + static_cast<std::ptrdiff_t>(all_parameters_written_ ? 0 : parameters_);
  complete_.begin({draw_names_.begin(), end}, chains, parts_.most_complete_draws);
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

void RunSink::write_step_size(std::size_t chain, double step_size) {
  chains_[chain].line[statistics_.size() - 1] = step_size;
}

void RunSink::write(std::size_t chain, std::span<const double> values, double weight) {
  ChainState& state = chains_[chain];
  const std::size_t first = statistics_.size();
  std::copy(values.begin(), values.end(), state.line.begin() + static_cast<std::ptrdiff_t>(first));
  const std::span<double> after = std::span(state.line).subspan(first);
  std::string failure;
  std::set<std::string> unknown;
  if (runs_program_) {
    try {
      parts_.bound->evaluate_outputs(values, parts_.seed, static_cast<std::uint32_t>(chain), state.written,
                                     state.outputs, &unknown);
    } catch (const stan::LimitError&) {  // would fail at every draw
      throw;
    } catch (const Error& error) {  // for example a negative rate at one draw: the run goes on
      failure = error.what();
    }
    for (std::size_t i = 0; i < parts_.outputs.positions.size(); ++i)
      after[parameters_ + i] = state.outputs[parts_.outputs.positions[i]];
  }
  if (!own_statistics_ && parts_.log_density) state.line[0] = density_of(state);
  ++state.written;
  state.line_known = true;
  check(state, unknown, failure);
  const auto written = written_part(state);
  spool(chain, written, weight);
  summarise(chain, weight);
  if (parts_.files) parts_.files->write(chain, written, weight);
}

void RunSink::check(ChainState& state, const std::set<std::string>& unknown, const std::string& failure) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    std::size_t at = group.begin;
    while (at < group.end && std::isfinite(state.line[at])) ++at;
    const bool empty = group.begin == group.end;  // the program has no outputs: only the failure can be reported
    if (empty ? failure.empty() : at == group.end) continue;
    Failure& known = state.failures[g];
    if (known.draws++ > 0) continue;
    known.first_draw = state.written;
    const bool output = at >= statistics_.size();
    known.reason = empty || unknown.contains(group.name)
                       ? failure
                       : (output ? draw_names_[at - statistics_.size()] : statistics_[at]) +
                             (std::isnan(state.line[at]) ? " is not a number" : " is infinite");
    leave_out(group);
  }
}

void RunSink::leave_out(const Group& group) {
  if (!parts_.files) return;
  std::vector<std::size_t> elements;
  for (std::size_t at = group.begin; at < group.end; ++at)
    if (place_in_file_[at] != nowhere) elements.push_back(place_in_file_[at]);
  parts_.files->leave_out(elements);
}

std::span<const double> RunSink::written_part(ChainState& state) const {
  if (not_written_.empty()) return state.line;
  const std::size_t first = statistics_.size();
  state.written_line.assign(state.line.begin(), state.line.begin() + static_cast<std::ptrdiff_t>(first));
  for (const std::size_t k : written_) state.written_line.push_back(state.line[first + k]);
  return state.written_line;
}

void RunSink::spool(std::size_t chain, std::span<const double> written, double weight) {
  auto& record = chains_[chain].record;
  record.assign(1, weight);
  record.insert(record.end(), written.begin(), written.end());
  spool_.write(chain, record);
}

void RunSink::summarise(std::size_t chain, double weight) {
  if (not_written_.empty()) return;
  ChainState& state = chains_[chain];
  const std::span<const double> all = std::span<const double>(state.line).subspan(statistics_.size());
  state.summarised_line.clear();
  for (const std::size_t k : not_written_)  // non-finite variables are left out by collect()
    state.summarised_line.push_back(std::isfinite(all[k]) ? all[k] : 0.0);
  summaries_.add(chain, state.summarised_line, weight);
  if (!all_parameters_written_) complete_.write(chain, all.first(parameters_), weight);
}

void RunSink::collect() {
  const auto left = left_out();
  const auto stays = [&](const std::string& name) {
    return std::none_of(left.begin(), left.end(), [&](const LeftOut& one) {
      return one.name == name || one.name == parse_element_name(name).variable;
    });
  };
  const auto draw_stays = [&](std::size_t k) { return k < parameters_ || left.empty() || stays(draw_names_[k]); };
  if (!left.empty()) {
    std::vector<std::size_t> places = {0};  // the weight
    std::vector<std::string> sampler, written;
    for (std::size_t k = 0; k < sampler_names_.size(); ++k)
      if (stays(sampler_names_[k])) {
        sampler.push_back(sampler_names_[k]);
        places.push_back(1 + k);
      }
    for (std::size_t k = 0; k < written_.size(); ++k)
      if (draw_stays(written_[k])) {
        written.push_back(written_names_[k]);
        places.push_back(1 + sampler_names_.size() + k);
      }
    sampler_names_ = std::move(sampler);
    written_names_ = std::move(written);
    spool_.keep(places);
  }
  sampler_ = spool_.view(sampler_names_, 1);
  draws_ = spool_.view(written_names_, 1 + sampler_names_.size());
  if (!all_parameters_written_) complete_draws_ = complete_.view();
  names_.clear();
  for (std::size_t k = 0; k < draw_names_.size(); ++k)
    if (draw_stays(k)) names_.push_back(draw_names_[k]);
  summarised_.clear();
  if (not_written_.empty()) return;
  const auto summaries = summaries_.summaries();
  for (std::size_t k = 0; k < not_written_.size(); ++k)
    if (draw_stays(not_written_[k])) summarised_.push_back({draw_names_[not_written_[k]], summaries[k]});
}

void RunSink::save_state(std::size_t chain, StateVisitor& visitor) {
  visitor.visit("draws_written", chains_[chain].written);
  visit_failures(chains_[chain], visitor);
  parts_.files->save_state(chain, visitor);
  if (!not_written_.empty()) summaries_.visit_state(chain, visitor);
  if (!all_parameters_written_) complete_.save_state(chain, visitor);
}

void RunSink::restore_state(std::size_t chain, StateVisitor& visitor) {
  ChainState& state = chains_[chain];
  visitor.visit("draws_written", state.written);
  visit_failures(state, visitor);
  parts_.files->restore_state(chain, visitor);
  if (!not_written_.empty()) summaries_.visit_state(chain, visitor);
  if (!all_parameters_written_) complete_.restore_state(chain, visitor);
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (state.failures[g].draws > 0) leave_out(groups_[g]);
  parts_.files->replay(chain, [&](std::span<const double> written, double weight) {
    for (std::size_t at = 0; at < state.line.size(); ++at)
      if (place_in_file_[at] != nowhere) state.line[at] = written[place_in_file_[at]];
    state.line_known = not_written_.empty();
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (std::size_t at = groups_[g].begin; at < groups_[g].end; ++at)
        if (place_in_file_[at] != nowhere && std::isnan(state.line[at])) state.failures[g].absent = true;
    spool(chain, written, weight);
  });
}

void RunSink::visit_failures(ChainState& state, StateVisitor& visitor) {
  for (Failure& failure : state.failures) {
    visitor.visit("failed_draws", failure.draws);
    if (failure.draws == 0) continue;
    visitor.visit("failed_first", failure.first_draw);
    std::vector<double> letters(failure.reason.begin(), failure.reason.end());
    visitor.visit("failed_reason", letters);
    failure.reason.clear();
    for (const double letter : letters) failure.reason += static_cast<char>(letter);
  }
}

void RunSink::note_log_density(const Progress& progress) {
  if (!parts_.note) return;
  ChainState& state = chains_[progress.chain];
  if (state.written == 0 || (!state.density && !own_statistics_)) return;
  if (parts_.log_density || own_statistics_) {  // in both cases lp__ is the first number of the line
    parts_.note(progress.chain, state.line[0]);
    return;
  }
  if (!state.line_known || progress.seconds < state.noted_at + std::max(2.0, 100 * state.density_seconds)) return;
  state.noted_at = progress.seconds;
  parts_.note(progress.chain, density_of(state));
}

std::vector<LeftOut> RunSink::left_out() const {
  std::vector<LeftOut> all;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    LeftOut one;
    for (std::size_t chain = 0; chain < chains_.size(); ++chain) {
      const Failure& failure = chains_[chain].failures[g];
      if (failure.draws > 0 && one.draws == 0) one = {groups_[g].name, chain, failure.first_draw, 0, failure.reason};
      one.draws += failure.draws;
      if (failure.absent && one.name.empty())
        one = {groups_[g].name, 0, 0, 0,
               "it was left out before the run was resumed, for a draw that was not yet made again"};
    }
    if (!one.name.empty()) all.push_back(std::move(one));
  }
  return all;
}

bool RunSink::any_draw() const {
  return std::any_of(chains_.begin(), chains_.end(), [](const ChainState& state) { return state.written > 0; });
}

}  // namespace sgmcmc
