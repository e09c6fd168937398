// One iteration, with N documents, n of them in the batch S, m_j = (N / n) times those of S in cluster j:
//
//   1. slices        u_i ~ U(0, w_{z_i}), i in S
//   2. extension v_j ~ Beta(1, alpha) and phi_j ~ Dirichlet(beta) until the remaining weight is below min u
//   3. assignments P(z_i = j) ~ 1(w_j > u_i) prod_w phi_jw^x_iw, i in S; then clusters beyond max z are dropped
//   4. labels neighbours swap places including v, j = J..1, by Metropolis; clusters beyond max z are dropped again
//   5. sticks        v_j by one step of the kernel under Beta(1 + m_j, alpha + sum over l > j of m_l)
//   6. clusters      phi_j by one step of the kernel under Dirichlet(beta + (N / n) counts of words in S)
//   7. concentration alpha ~ Gamma(shape + J, rate - sum over j <= J of log(1 - v_j)), J = max z
//
// Baker's thesis 2019, appendix B.4, after Walker 2007, Papaspiliopoulos 2008 and Kalli, Griffin and Walker 2011.
// Differences: the batch is assigned before its counts are used, where the thesis uses those of its last visit. Step 7
// has the same J in both places, where the thesis sums to the last known cluster: clusters beyond max z are dropped and
// no longer part of the state. Documents visited for the first time are assigned among all known clusters, by w_j times
// the probability of their words. scir redraws the sums of theta before its steps (topics/lda_chain.cpp explains why).
// Step 4 is the second label move of Papaspiliopoulos and Roberts 2008, using the last assignments of all documents:
// without it, large clusters stay behind small or empty ones, which keeps alpha too large for a long time. The last
// pair is the last cluster and one from the prior. With scir and all documents in S, the posterior is exactly
// invariant.
#include "mixtures/dpmix_chain.hpp"

#include "base/state_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double no_slice = -infinity;  // of an unassigned document
constexpr std::size_t piece = 64;       // documents per unit of work of a thread

}  // namespace

DpmixChain::DpmixChain(const DocumentStore& store, std::uint32_t words, const DpmixOptions& options,
                       std::uint32_t held_out, ThreadPool& pool)
    : options_(options),
      store_(store),
      pool_(pool),
      choice_(static_cast<std::uint32_t>(store.documents()), held_out, options.batch_size, options.seed, options.chain),
      sticks_(options.method),
      table_(options.method, words, options.beta),
      concentration_(options.concentration > 0 ? options.concentration
                                               : options.concentration_shape / options.concentration_rate),
      assignments_(store.documents(), no_cluster),
      scores_(static_cast<std::size_t>(pool.threads())) {
  // Starts with different, nearly uniform clusters: in a draw from a prior with small beta, most words would be
  // impossible.
  const std::uint32_t count = std::min(options_.initial_clusters, options_.most_clusters);
  const std::vector<double> ones(words, 1.0);
  std::vector<double> log_theta(words);
  for (std::uint32_t j = 0; j < count; ++j) {
    fill_log_gamma({options_.seed, options_.chain, 1, Purpose::initial}, ones, log_theta, std::uint64_t{j} * words);
    for (double& x : log_theta) x += std::log(options_.beta);
    table_.add(log_theta);
    sticks_.add(0.0, std::log(static_cast<double>(count - j)));  // all weights 1 / (count + 1)
    add_name();
  }
}

StreamKey DpmixChain::key(std::uint64_t iteration, Part part) const {
  return {options_.seed, options_.chain, iteration * parts + part, Purpose::latent};
}

double DpmixChain::scale() const {
  return static_cast<double>(choice_.visited()) / static_cast<double>(choice_.batch_size());
}

std::uint32_t DpmixChain::occupied() const {
  return static_cast<std::uint32_t>(std::count_if(sizes_.begin(), sizes_.end(), [](auto n) { return n > 0; }));
}

void DpmixChain::choose_batch(std::uint64_t iteration) {
  choice_.batch(iteration, batch_);
  buffers_.resize(batch_.size());
  documents_.resize(batch_.size());
  pool_.for_each((batch_.size() + piece - 1) / piece, [&](std::size_t p, int) {
    for (std::size_t s = p * piece; s < std::min(batch_.size(), (p + 1) * piece); ++s)
      documents_[s] = store_.read(batch_[s], buffers_[s]);
  });
  uniforms_.resize(2 * batch_.size());
  fill_uniform(key(iteration, uniforms), uniforms_);
}

void DpmixChain::draw_slices(std::uint64_t) {
  log_slices_.resize(batch_.size());
  for (std::size_t s = 0; s < batch_.size(); ++s) {
    const std::uint32_t z = assignment(batch_[s]);
    log_slices_[s] = z == no_cluster ? no_slice : sticks_.log_weights()[z] + std::log(uniforms_[2 * s]);
  }
}

void DpmixChain::extend(std::uint64_t iteration) {
  double lowest = infinity;
  for (const double u : log_slices_)
    if (u != no_slice) lowest = std::min(lowest, u);
  if (lowest == infinity) return;
  std::uint64_t added = 0;
  for (; sticks_.log_rest() >= lowest && sticks_.size() < options_.most_clusters; ++added)
    add_from_prior(iteration, tail_sticks, tail_clusters, added);
  if (sticks_.log_rest() >= lowest) ++truncated_;
}

void DpmixChain::add_from_prior(std::uint64_t iteration, Part sticks, Part clusters, std::uint64_t which) {
  sticks_.add_from_prior(concentration_, key(iteration, sticks), which);
  table_.add_from_prior(key(iteration, clusters), which);
  add_name();
}

void DpmixChain::add_name() {
  const auto place = static_cast<std::uint32_t>(sizes_.size());
  sizes_.push_back(0);
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(place_of_.size()));
    place_of_.push_back(0);
  }
  name_at_.push_back(unused_.back());
  unused_.pop_back();
  place_of_[name_at_.back()] = place;
}

void DpmixChain::assign(std::uint64_t) {
  const std::size_t clusters = table_.size();
  const auto log_weights = sticks_.log_weights();
  chosen_.resize(batch_.size());
  pool_.for_each((batch_.size() + piece - 1) / piece, [&](std::size_t p, int worker) {
    auto& scores = scores_[static_cast<std::size_t>(worker)];
    scores.resize(clusters);
    for (std::size_t s = p * piece; s < std::min(batch_.size(), (p + 1) * piece); ++s) {
      table_.score(documents_[s], scores);
      const double slice = log_slices_[s];
      double high = -infinity;
      for (std::size_t j = 0; j < clusters; ++j) {
        if (slice == no_slice)
          scores[j] += log_weights[j];
        else if (log_weights[j] < slice)  // strict: rounding must not exclude the current cluster
          scores[j] = -infinity;
        high = std::max(high, scores[j]);
      }
      double total = 0;
      for (double& score : scores) total += score = std::exp(score - high);
      double rest = uniforms_[2 * s + 1] * total;
      std::size_t choice = 0;
      for (std::size_t j = 0; j < clusters; ++j) {
        if (scores[j] <= 0.0) continue;
        choice = j;  // the last possible cluster, in case rounding leaves a remainder
        if ((rest -= scores[j]) < 0) break;
      }
      chosen_[s] = static_cast<std::uint32_t>(choice);
    }
  });
  for (std::size_t s = 0; s < batch_.size(); ++s) {
    const std::uint32_t before = assignment(batch_[s]);
    if (before != no_cluster) --sizes_[before];
    ++sizes_[chosen_[s]];
    assignments_[batch_[s]] = name_at_[chosen_[s]];
  }
  forget_tail();
}

void DpmixChain::forget_tail() {
  while (!sizes_.empty() && sizes_.back() == 0) {
    sizes_.pop_back();
    unused_.push_back(name_at_.back());
    name_at_.pop_back();
  }
  sticks_.shorten(sizes_.size());
  table_.shorten(sizes_.size());
}

void DpmixChain::swap(std::size_t j) {
  sticks_.swap(j);
  table_.swap(j);
  std::swap(sizes_[j], sizes_[j + 1]);
  std::swap(name_at_[j], name_at_[j + 1]);
  std::swap(place_of_[name_at_[j]], place_of_[name_at_[j + 1]]);
}

void DpmixChain::relabel(std::uint64_t iteration) {
  const std::size_t last = sticks_.size();
  if (last < options_.most_clusters) add_from_prior(iteration, swap_sticks, swap_clusters, 0);
  swap_uniforms_.resize(last);
  fill_uniform(key(iteration, swaps), swap_uniforms_);
  for (std::size_t j = sticks_.size() - 1; j-- > 0;) {
    const double here = sizes_[j], next = sizes_[j + 1];
    if (here == 0 && next == 0) continue;
    const double log_ratio = here * sticks_.log_complement(j + 1) - next * sticks_.log_complement(j);
    if (std::log(swap_uniforms_[j]) < log_ratio) swap(j);
  }
  forget_tail();
}

bool DpmixChain::move_sticks(std::uint64_t iteration) {
  counts_.assign(sticks_.size(), 0.0);
  for (const std::uint32_t document : batch_) counts_[assignment(document)] += scale();
  return sticks_.step(counts_, concentration_, options_.stick_step_size * options_.schedule.multiplier(iteration),
                      key(iteration, stick_totals), key(iteration, stick_noise), pool_);
}

bool DpmixChain::move_clusters(std::uint64_t iteration) {
  table_.clear_counts();
  for (std::size_t s = 0; s < batch_.size(); ++s) table_.count(documents_[s], assignment(batch_[s]), scale());
  return table_.step(options_.step_size * options_.schedule.multiplier(iteration), key(iteration, totals),
                     key(iteration, noise), pool_);
}

void DpmixChain::draw_concentration(std::uint64_t iteration) {
  if (options_.concentration > 0) return;
  double rate = options_.concentration_rate;
  for (std::size_t j = 0; j < sticks_.size(); ++j) rate -= sticks_.log_complement(j);
  const double shape = options_.concentration_shape + static_cast<double>(sticks_.size());
  double drawn = 0;
  fill_log_gamma(key(iteration, concentrations), {&shape, 1}, {&drawn, 1});
  concentration_ = std::exp(std::clamp(drawn - std::log(rate), -200.0, 200.0));
}

bool DpmixChain::iterate(std::uint64_t iteration) {
  choose_batch(iteration);
  draw_slices(iteration);
  extend(iteration);
  assign(iteration);
  relabel(iteration);
  const bool sticks_moved = move_sticks(iteration), clusters_moved = move_clusters(iteration);
  draw_concentration(iteration);
  return sticks_moved && clusters_moved;
}

void DpmixChain::visit_state(StateVisitor& visitor) {
  const std::size_t documents = assignments_.size();
  sticks_.visit_state(visitor);
  table_.visit_state(visitor);
  visitor.visit("concentration", concentration_);
  visitor.visit("truncated", truncated_);
  visit_packed(visitor, "assignments", assignments_);
  visit_packed(visitor, "place_of", place_of_);
  visit_packed(visitor, "name_at", name_at_);
  visit_packed(visitor, "unused", unused_);
  visit_packed(visitor, "sizes", sizes_);
  if (assignments_.size() != documents) refuse_state("assignments");
}

DpmixChain::State DpmixChain::state() const {
  State state{concentration_, {}, {}, {}};
  for (std::uint32_t d = 0; d < assignments_.size(); ++d) state.assignments.push_back(assignment(d));
  for (std::size_t j = 0; j < sticks_.size(); ++j) {
    state.log_sticks.insert(state.log_sticks.end(), {sticks_.log_taken(j), sticks_.log_left(j)});
    for (std::size_t w = 0; w < table_.words(); ++w) state.log_theta.push_back(table_.log_theta(j, w));
  }
  return state;
}

void DpmixChain::set_state(const State& state) {
  sizes_.clear();
  name_at_.clear();
  place_of_.clear();
  unused_.clear();
  sticks_.shorten(0);
  table_.shorten(0);
  concentration_ = state.concentration;
  assignments_ = state.assignments;
  const std::size_t clusters = state.log_sticks.size() / 2;
  for (std::size_t j = 0; j < clusters; ++j) {
    sticks_.add(state.log_sticks[2 * j], state.log_sticks[2 * j + 1]);
    table_.add(std::span(state.log_theta).subspan(j * table_.words(), table_.words()));
    add_name();  // the new cluster
  }
  for (const std::uint32_t z : assignments_)
    if (z != no_cluster) ++sizes_[z];
  forget_tail();
}

}  // namespace sgmcmc
