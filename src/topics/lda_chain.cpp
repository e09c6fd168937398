// One iteration, for topics phi_k ~ Dirichlet(beta) and documents with proportions ~ Dirichlet(alpha):
//
//   1. a batch of documents; assignments z of their words by Gibbs sampling given phi (gibbs.hpp)
//   2. counts c_kw = (documents / batch) times those of word w in topic k, averaged over sweeps
//   3. scir only: sum(theta_k) ~ Gamma(words beta + sum_w c_kw), phi_k unchanged
//   4. theta_k by one step of the kernel under pseudo-counts beta + c_kw; phi_k = theta_k / sum(theta_k)
//
// Patterson and Teh 2013 section 4, Baker's thesis 2019 section 5.5.1. Step 3 is ours. scir has Gamma(beta + c_kw) as
// its target, so that sum(theta_k) depends on the assignments, while these are drawn given phi alone; with the sum from
// earlier assignments, the chain would not leave the posterior invariant even with all documents in the batch.
#include "topics/lda_chain.hpp"

#include "base/state_bytes.hpp"
#include "dynamics/kernel.hpp"

#include <algorithm>
#include <cmath>

namespace sgmcmc {

namespace {

// Random streams of the search for a centre: iterations beyond those of any chain.
constexpr std::uint64_t centre_iterations = std::uint64_t{1} << 46;

}  // namespace

LdaChain::LdaChain(const DocumentStore& store, std::uint32_t words, const LdaOptions& options, std::uint32_t held_out,
                   ThreadPool& pool, Communicator* ranks)
    : options_(options),
      pool_(pool),
      shape_{words, options.topics},
      choice_(static_cast<std::uint32_t>(store.documents()), held_out, options.batch_size, options.seed, options.chain),
      gibbs_(store, options.topics, options.alpha, pool),
      kernel_(options.method, shape_),
      table_(words, options.topics),
      log_theta_(shape_.size()),
      pseudo_counts_(shape_.size()),
      centre_counts_(options.control_variate ? shape_.size() : 0),
      counts_(shape_.size()),
      other_counts_(options.control_variate ? shape_.size() : 0),
      log_totals_(options.topics) {
  if (options_.keep_assignments) gibbs_.keep_assignments();
  if (ranks && ranks->size() > 1) gibbs_.share_with(*ranks, options_.alpha);
  // Starts with different, nearly uniform topics: in a draw from a prior with small beta, most words would be
  // impossible.
  std::fill(pseudo_counts_.begin(), pseudo_counts_.end(), 1.0);
  fill_log_gamma({options_.seed, options_.chain, 0, Purpose::initial}, pseudo_counts_.span(), log_theta_.span());
  const double shift = std::log(options_.beta);
  for (double& x : log_theta_) x += shift;
  update_table();
}

std::uint64_t LdaChain::bytes(std::uint64_t words, const LdaOptions& options) {
  const std::uint64_t cells = words * options.topics;
  const std::uint64_t tables = options.control_variate ? 2 : 1;
  // For a checkpoint: log theta and the average over draws.
  const std::uint64_t saved = options.checkpoint.folder.empty() ? 0 : 2 * sizeof(double);
  // log theta, proposal, pseudo-counts and the average over draws; counts.
  return cells * (saved + 4 * sizeof(double) + tables * sizeof(std::uint32_t) + (tables - 1) * sizeof(double)) +
         tables * TopicTable::bytes(words, options.topics);
}

void LdaChain::set_log_theta(std::span<const double> log_theta) {
  std::copy(log_theta.begin(), log_theta.end(), log_theta_.begin());
  update_table();
}

void LdaChain::update_table() {
  kernel_.log_totals(log_theta_.span(), log_totals_, pool_);
  table_.set(log_theta_.span(), log_totals_, pool_);
}

double LdaChain::scale() const {
  return static_cast<double>(choice_.visited()) / static_cast<double>(choice_.batch_size()) /
         static_cast<double>(options_.sweeps);
}

void LdaChain::count(std::uint64_t iteration, Purpose purpose) {
  choice_.batch(iteration, documents_);
  restored_shares_.clear();
  std::fill(counts_.begin(), counts_.end(), 0U);
  std::fill(other_counts_.begin(), other_counts_.end(), 0U);
  const bool is_centred = !centre_table_.empty();
  gibbs_.run(documents_, {options_.keep_assignments ? 0 : options_.burn_in, options_.sweeps}, table_, counts_.span(),
             {options_.seed, options_.chain, iteration, purpose}, is_centred ? &centre_table_[0] : nullptr,
             other_counts_.span());
  const double factor = scale();
  if (is_centred) {
    for (std::size_t i = 0; i < shape_.size(); ++i)
      pseudo_counts_[i] = options_.beta + centre_counts_[i] +
                          factor * (static_cast<double>(counts_[i]) - static_cast<double>(other_counts_[i]));
  } else {
    for (std::size_t i = 0; i < shape_.size(); ++i)
      pseudo_counts_[i] = options_.beta + factor * static_cast<double>(counts_[i]);
  }
}

void LdaChain::refresh_totals(std::uint64_t iteration) {
  std::vector<double> shape(shape_.blocks, 0.0), drawn(shape_.blocks);
  for (std::size_t i = 0; i < shape_.size(); i += shape_.blocks)
    for (std::size_t k = 0; k < shape_.blocks; ++k) shape[k] += pseudo_counts_[i + k];
  fill_log_gamma({options_.seed, options_.chain, iteration, Purpose::momentum}, shape, drawn);
  for (std::size_t k = 0; k < shape_.blocks; ++k) drawn[k] -= log_totals_[k];
  for (std::size_t i = 0; i < shape_.size(); i += shape_.blocks)
    for (std::size_t k = 0; k < shape_.blocks; ++k) log_theta_[i + k] += drawn[k];
}

bool LdaChain::iterate(std::uint64_t iteration) {
  count(iteration, Purpose::latent);
  if (options_.method == SimplexMethod::scir) refresh_totals(iteration);
  const double step = options_.step_size * options_.schedule.multiplier(iteration);
  const bool moved =
      kernel_.step({log_theta_.span(), pseudo_counts_.span(), options_.beta * static_cast<double>(shape_.components),
                    step, StreamKey{options_.seed, options_.chain, iteration, Purpose::noise}},
                   pool_);
  update_table();
  return moved;
}

LdaChain::Findings LdaChain::find_centre() {
  // Stochastic approximation of the expected counts, and the topics they imply.
  const std::uint64_t pass = (choice_.visited() + choice_.batch_size() - 1) / choice_.batch_size();
  const std::uint64_t iterations =
      options_.mode_iterations != 0 ? options_.mode_iterations : std::clamp<std::uint64_t>(2 * pass, 50, 2000);
  const double words = static_cast<double>(shape_.components);
  const auto interrupted = [&] { return options_.interrupt != nullptr && options_.interrupt->load(); };
  AlignedBuffer<double> average(shape_.size());
  const auto set_topics = [&] {
    std::vector<double> totals(shape_.blocks, words * options_.beta);
    for (std::size_t i = 0; i < shape_.size(); ++i) totals[i % shape_.blocks] += average[i];
    for (std::size_t i = 0; i < shape_.size(); ++i)
      log_theta_[i] = std::log((options_.beta + average[i]) / totals[i % shape_.blocks] * (words * options_.beta));
    update_table();
  };
  for (std::uint64_t t = 0; t < iterations && !interrupted(); ++t) {
    count(centre_iterations + t, Purpose::adaptation);
    const double rate = std::pow(1.0 + static_cast<double>(t), -0.6);
    for (std::size_t i = 0; i < shape_.size(); ++i)
      average[i] += rate * (pseudo_counts_[i] - options_.beta - average[i]);
    set_topics();
  }
  // Counts of all documents at the centre, batch by batch, to limit memory.
  std::fill(counts_.begin(), counts_.end(), 0U);
  const std::uint32_t visited = choice_.visited(), size = choice_.batch_size();
  for (std::uint32_t first = 0; first < visited && !interrupted(); first += std::min(size, visited - first)) {
    documents_.resize(std::min(size, visited - first));
    for (std::uint32_t i = 0; i < documents_.size(); ++i) documents_[i] = choice_.visited_document(first + i);
    gibbs_.run(documents_, {options_.burn_in, options_.sweeps}, table_, counts_.span(),
               {options_.seed, options_.chain, centre_iterations + iterations + first, Purpose::adaptation});
  }
  for (std::size_t i = 0; i < shape_.size(); ++i)
    centre_counts_[i] = static_cast<double>(counts_[i]) / static_cast<double>(options_.sweeps);
  centre_table_.push_back(table_.copy());
  return {{"log_theta", {log_theta_.begin(), log_theta_.end()}},
          {"counts", {centre_counts_.begin(), centre_counts_.end()}},
          {"work", {static_cast<double>(gibbs_.token_updates()), gibbs_.seconds()}}};
}

void LdaChain::set_centre(const Findings& found) {
  const auto numbers = [&](const char* name, std::size_t size) -> const std::vector<double>& {
    const auto entry = found.find(name);
    if (entry == found.end() || entry->second.size() != size) refuse_state(name);
    return entry->second;
  };
  set_log_theta(numbers("log_theta", shape_.size()));
  centre_table_.push_back(table_.copy());
  const auto& counts = numbers("counts", shape_.size());
  std::copy(counts.begin(), counts.end(), centre_counts_.begin());
  const auto& work = numbers("work", 2);
  gibbs_.set_work(static_cast<std::uint64_t>(work[0]), work[1]);
}

void LdaChain::visit_state(StateVisitor& visitor) {
  visitor.visit_numbers("log_theta", log_theta_.span());
  std::vector<double> shares = this->shares();
  visitor.visit_numbers("shares", shares);
  gibbs_.visit_state(visitor);
  // Recomputes the tables from the topics; no change when saving.
  restored_shares_ = std::move(shares);
  update_table();
}

std::vector<double> LdaChain::shares() const {
  if (!restored_shares_.empty()) return restored_shares_;
  std::vector<double> shares(shape_.blocks, 0.0);
  double total = 0;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    shares[i % shape_.blocks] += static_cast<double>(counts_[i]);
    total += static_cast<double>(counts_[i]);
  }
  for (double& share : shares) share /= std::max(1.0, total);
  return shares;
}

}  // namespace sgmcmc
