// Distributes documents to threads; counts are integers, so the order of additions does not matter.
#include "topics/batch_counts.hpp"

#include "base/state_bytes.hpp"

#include <algorithm>
#include <chrono>

namespace sgmcmc {

BatchGibbs::BatchGibbs(const DocumentStore& store, std::size_t topics, double alpha, ThreadPool& pool)
    : store_(store), topics_(topics), pool_(pool) {
  for (int t = 0; t < pool.threads(); ++t) workers_.push_back({DocumentGibbs(topics, alpha), {}});
}

void BatchGibbs::keep_assignments() {
  kept_begin_.assign(1, 0);
  std::vector<WordCount> buffer;
  for (std::uint64_t d = 0; d < store_.documents(); ++d) {
    std::uint64_t tokens = 0;
    for (const WordCount& entry : store_.read(d, buffer)) tokens += entry.count;
    kept_begin_.push_back(kept_begin_.back() + tokens);
  }
  kept_.assign(kept_begin_.back(), no_topic);
}

void BatchGibbs::visit_state(StateVisitor& visitor) {
  visitor.visit("token_updates", token_updates_);
  visitor.visit("gibbs_seconds", seconds_);
  const std::size_t tokens = kept_.size();
  visit_packed(visitor, "assignments", kept_);
  if (kept_.size() != tokens) refuse_state("assignments");
}

std::span<Assignment> BatchGibbs::kept(std::uint32_t document) {
  return std::span(kept_).subspan(kept_begin_[document], kept_begin_[document + 1] - kept_begin_[document]);
}

void BatchGibbs::read(std::span<const std::uint32_t> documents) {
  if (buffers_.size() < documents.size()) buffers_.resize(documents.size());
  documents_.resize(documents.size());
  first_token_.resize(documents.size() + 1);
  first_token_[0] = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents_[i] = store_.read(documents[i], buffers_[i]);
    std::uint64_t tokens = 0;
    for (const WordCount& entry : documents_[i]) tokens += entry.count;
    first_token_[i + 1] = first_token_[i] + tokens;
  }
  batch_tokens_ = first_token_.back();
}

void BatchGibbs::run_document(Worker& worker, std::size_t slot, std::uint32_t document, const SweepPlan& plan,
                              const TopicTable& table, std::span<std::uint32_t> counts, const StreamKey& key) {
  DocumentGibbs& gibbs = worker.gibbs;
  gibbs.load(documents_[slot]);
  worker.uniforms.resize(gibbs.tokens());
  std::uint64_t position = first_token_[slot] * (1 + plan.burn_in + plan.sweeps);
  const auto next_uniforms = [&]() -> std::span<const double> {
    fill_uniform(key, worker.uniforms, position);
    position += worker.uniforms.size();
    return worker.uniforms;
  };
  const bool has_kept = !kept_.empty() && kept(document)[0] != no_topic;
  std::uint32_t burn_in = plan.burn_in;
  if (has_kept) {
    gibbs.assign(kept(document));
    burn_in = 0;
  } else {
    gibbs.assign(table, next_uniforms());
  }
  for (std::uint32_t s = 0; s < burn_in; ++s) gibbs.sweep(table, next_uniforms());
  const bool is_alone = pool_.threads() == 1;
  for (std::uint32_t s = 0; s < plan.sweeps; ++s) {
    gibbs.sweep(table, next_uniforms());
    const auto words = gibbs.words();
    const auto assignments = gibbs.assignments();
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::uint32_t& count = counts[std::size_t{words[i]} * topics_ + assignments[i]];
      if (is_alone) {
        ++count;
      } else {
        __atomic_fetch_add(&count, 1U, __ATOMIC_RELAXED);
      }
    }
  }
  if (!kept_.empty()) std::copy(gibbs.assignments().begin(), gibbs.assignments().end(), kept(document).begin());
}

void BatchGibbs::run_slots(std::size_t begin, std::size_t end, const Job& job) {
  pool_.for_each(end - begin, [&](std::size_t task, int w) {
    const std::size_t slot = begin + task;
    Worker& worker = workers_[static_cast<std::size_t>(w)];
    run_document(worker, slot, job.documents[slot], job.plan, *job.table, job.counts, job.key);
    if (job.other_table != nullptr)
      run_document(worker, slot, job.documents[slot], job.plan, *job.other_table, job.other_counts, job.key);
  });
}

void BatchGibbs::run(std::span<const std::uint32_t> documents, const SweepPlan& plan, const TopicTable& table,
                     std::span<std::uint32_t> counts, const StreamKey& key, const TopicTable* other_table,
                     std::span<std::uint32_t> other_counts) {
  read(documents);
  const auto start = std::chrono::steady_clock::now();
  const Job job{documents, plan, key, &table, counts, other_table, other_counts};
  const int ranks = ranks_ ? ranks_->size() : 1;
  std::vector<std::vector<std::uint32_t>> words(static_cast<std::size_t>(ranks));
  for (int rank = 1; rank < ranks; ++rank) words[static_cast<std::size_t>(rank)] = send_documents(rank, job);
  run_slots(0, first_slot_of(1), job);
  for (int rank = 1; rank < ranks; ++rank) receive_counts(rank, job, words[static_cast<std::size_t>(rank)]);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::uint64_t each = (kept_.empty() ? 1 + plan.burn_in : 0) + plan.sweeps;
  token_updates_ += batch_tokens_ * each * (other_table != nullptr ? 2 : 1);
}

}  // namespace sgmcmc
