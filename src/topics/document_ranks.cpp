// Messages with documents, topics and counts.
#include "topics/document_ranks.hpp"

#include "base/levels.hpp"
#include "ranks/message.hpp"
#include "topics/batch_counts.hpp"

#include <algorithm>

namespace sgmcmc {

namespace {

enum class DocumentOrder : char { batch, end };

class NoDocuments final : public DocumentStore {
 public:
  std::uint64_t documents() const override { return 0; }
  std::uint64_t tokens() const override { return 0; }
  bool in_memory() const override { return true; }
  std::span<const WordCount> read(std::uint64_t, std::vector<WordCount>&) const override { return {}; }
};

void put_rows(MessageWriter& message, const TopicTable& table, const std::vector<std::uint32_t>& words) {
  for (const std::uint32_t word : words)
    message.put_bytes({reinterpret_cast<const char*>(table.row(word)), table.stride() * sizeof(float)});
}

TopicTable take_table(MessageReader& message, std::size_t words, std::size_t topics) {
  TopicTable table(words, topics);
  for (std::size_t word = 0; word < words; ++word)
    table.set_row(word, message.take_bytes(table.stride() * sizeof(float)));
  return table;
}

}  // namespace

void BatchGibbs::share_with(Communicator& ranks, double alpha) {
  MessageWriter message;
  message.put(processor_level()).put<std::uint64_t>(topics_).put(alpha).put(pool_.threads());
  for (int rank = 1; rank < ranks.size(); ++rank) ranks.send(rank, channel::documents, message.bytes());
  ranks_ = &ranks;
}

BatchGibbs::~BatchGibbs() {
  if (!ranks_) return;
  try {
    for (int rank = 1; rank < ranks_->size(); ++rank)
      ranks_->send(rank, channel::documents, MessageWriter().put(DocumentOrder::end).bytes());
  } catch (const Error&) {  // a rank that cannot be reached has ended, or will be missed elsewhere
  }
}

std::size_t BatchGibbs::first_slot_of(int rank) const {
  // Slots begin where the share of the tokens is reached: each rank has about as many.
  if (!ranks_) return rank == 0 ? 0 : documents_.size();
  const auto size = static_cast<std::uint64_t>(ranks_->size());
  const std::uint64_t wanted = batch_tokens_ * static_cast<std::uint64_t>(rank) / size;
  return static_cast<std::size_t>(std::lower_bound(first_token_.begin(), first_token_.end() - 1, wanted) -
                                  first_token_.begin());
}

std::vector<std::uint32_t> BatchGibbs::send_documents(int rank, const Job& job) {
  const std::size_t begin = first_slot_of(rank), end = std::max(begin, first_slot_of(rank + 1));
  std::vector<std::uint32_t> words;
  for (std::size_t slot = begin; slot < end; ++slot)
    for (const WordCount& entry : documents_[slot]) words.push_back(entry.word);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  MessageWriter message;
  message.put(DocumentOrder::batch).put(job.plan).put(job.key);
  message.put(!kept_.empty()).put(job.other_table != nullptr).put<std::uint64_t>(words.size());
  put_rows(message, *job.table, words);
  if (job.other_table) put_rows(message, *job.other_table, words);
  message.put<std::uint64_t>(end - begin);
  std::vector<WordCount> entries;
  for (std::size_t slot = begin; slot < end; ++slot) {
    entries.assign(documents_[slot].begin(), documents_[slot].end());
    for (WordCount& entry : entries)
      entry.word = static_cast<std::uint32_t>(std::lower_bound(words.begin(), words.end(), entry.word) - words.begin());
    message.put(first_token_[slot]).put_all(std::span<const WordCount>(entries));
    if (!kept_.empty()) message.put_all(std::span<const Assignment>(kept(job.documents[slot])));
  }
  ranks_->send(rank, channel::documents, message.bytes());
  return words;
}

void BatchGibbs::receive_counts(int rank, const Job& job, const std::vector<std::uint32_t>& words) {
  const std::string bytes = ranks_->receive(rank, channel::documents);
  MessageReader message(bytes);
  const auto add = [&](std::span<std::uint32_t> counts) {
    const auto found = message.take_all<std::uint32_t>();
    if (found.size() != words.size() * topics_) throw RankError(ranks_->name_of(rank) + " has counted other words");
    for (std::size_t i = 0; i < found.size(); ++i)
      counts[std::size_t{words[i / topics_]} * topics_ + i % topics_] += found[i];
  };
  add(job.counts);
  if (job.other_table) add(job.other_counts);
  if (kept_.empty()) return;
  for (std::size_t slot = first_slot_of(rank); slot < first_slot_of(rank + 1); ++slot) {
    const auto assignments = message.take_all<Assignment>();
    const auto to = kept(job.documents[slot]);
    if (assignments.size() != to.size()) throw RankError(ranks_->name_of(rank) + " has sampled other documents");
    std::copy(assignments.begin(), assignments.end(), to.begin());
  }
}

std::string BatchGibbs::count_for_rank_zero(std::string_view bytes) {
  MessageReader message(bytes);
  Job job;
  job.plan = message.take<SweepPlan>();
  job.key = message.take<StreamKey>();
  const bool keeps = message.take<bool>(), has_other = message.take<bool>();
  const auto words = message.take<std::uint64_t>();
  const TopicTable table = take_table(message, words, topics_);
  const TopicTable other = take_table(message, has_other ? words : 0, topics_);
  const auto documents = message.take<std::uint64_t>();
  buffers_.resize(documents);
  documents_.resize(documents);
  first_token_.resize(documents);
  kept_.clear();
  kept_begin_.assign(1, 0);
  std::vector<std::uint32_t> numbers(documents);
  for (std::size_t slot = 0; slot < documents; ++slot) {
    first_token_[slot] = message.take<std::uint64_t>();
    buffers_[slot] = message.take_all<WordCount>();
    documents_[slot] = buffers_[slot];
    numbers[slot] = static_cast<std::uint32_t>(slot);
    if (!keeps) continue;
    const auto assignments = message.take_all<Assignment>();
    kept_.insert(kept_.end(), assignments.begin(), assignments.end());
    kept_begin_.push_back(kept_.size());
  }
  std::vector<std::uint32_t> counts(words * topics_), other_counts(has_other ? counts.size() : 0);
  job.documents = numbers;
  job.table = &table;
  job.counts = counts;
  job.other_table = has_other ? &other : nullptr;
  job.other_counts = other_counts;
  run_slots(0, documents, job);
  MessageWriter reply;
  reply.put_all(std::span<const std::uint32_t>(counts));
  if (has_other) reply.put_all(std::span<const std::uint32_t>(other_counts));
  if (keeps)
    for (const std::uint32_t slot : numbers) reply.put_all(std::span<const Assignment>(kept(slot)));
  return reply.bytes();
}

void serve_documents(Communicator& ranks) {
  const std::string first = ranks.receive(0, channel::documents);
  MessageReader setup(first);
  if (const auto level = setup.take<Level>(); level != processor_level())
    throw RankError("its processor would compute other draws than that of rank 0, with instructions of level " +
                    std::string(level_name(processor_level())) + " in place of " + level_name(level) +
                    "; set the environment variable SGMCMC_LEVEL to what all processors have");
  const auto topics = setup.take<std::uint64_t>();
  const auto alpha = setup.take<double>();
  ThreadPool pool(setup.take<int>());
  const NoDocuments none;
  BatchGibbs gibbs(none, topics, alpha, pool);
  for (;;) {
    const std::string bytes = ranks.receive(0, channel::documents);
    MessageReader order(bytes);
    if (order.take<DocumentOrder>() == DocumentOrder::end) return;
    ranks.send(0, channel::documents, gibbs.count_for_rank_zero(order.rest()));
  }
}

}  // namespace sgmcmc
