// Sums over rows as a tree over shards, some of which other ranks may own.
#include "plan/sharded_executor.hpp"

#include "data/store.hpp"
#include "plan/shard_parts.hpp"
#include "plan/shard_ranks.hpp"
#include "ranks/shard_tree.hpp"

#include <algorithm>
#include <vector>

namespace sgmcmc {
namespace {

class ShardedExecutor final : public Executor {
 public:
  ShardedExecutor(std::shared_ptr<const Program> program, const Dataset& data, std::int64_t dimension,
                  const ExecutorOptions& options)
      : whole_(make_whole_executor(program, data, dimension, options)),
        others_(data.store().shards()->others),
        parts_(*data.store().shards()),
        tree_(data.store().shards()->shards, static_cast<std::size_t>(whole_->sums_size())),
        sums_(tree_.length()) {
    if (!others_) return;
    number_ = others_->open(*program, dimension, options);
    const auto ranks = static_cast<std::size_t>(others_->size());
    answers_.resize(ranks);
    taken_.resize(ranks);
    for (int rank = 0; rank <= others_->size(); ++rank) first_shards_.push_back(others_->first_shard(rank));
  }
  ~ShardedExecutor() override {
    try {
      if (others_) others_->close(number_);
    } catch (const Error&) {  // that rank is gone, and the run with it
    }
  }

  void set_point(Point point, std::span<const double> values) override {
    whole_->set_point(point, values);
    if (others_) others_->set_point(number_, point, values);
  }

  void run(const RowBatch& batch, std::span<double> outputs) override {
    parts_.divide(batch);
    if (others_) others_->ask(number_, parts_);
    whole_->begin_sums();
    std::fill(taken_.begin(), taken_.end(), 0);
    for (auto& answer : answers_) answer.clear();
    const bool any = tree_.sum(sums_.data(), [&](int begin, int end, double* out) { return part(begin, end, out); });
    if (!any) std::fill(sums_.begin(), sums_.end(), 0.0);
    whole_->finish_sums(sums_, outputs);
  }

  // Rank 0 alone asks for single rows, and can read them all.
  void run_rows(const RowBatch& batch, RowConsumer& consumer) override { whole_->run_rows(batch, consumer); }

  std::int64_t output_size() const override { return whole_->output_size(); }
  int tile_rows() const override { return whole_->tile_rows(); }

 private:
  TreePart part(int begin, int end, double* out) {
    if (parts_.count(begin, end) == 0) return TreePart::absent;
    int rank = 0;
    if (others_) {
      while (first_shards_[static_cast<std::size_t>(rank) + 1] <= begin) ++rank;
      if (end > first_shards_[static_cast<std::size_t>(rank) + 1]) return TreePart::divided;  // of several ranks
    }
    if (rank > 0) {
      auto& answer = answers_[static_cast<std::size_t>(rank)];
      auto& taken = taken_[static_cast<std::size_t>(rank)];
      if (answer.empty()) answer = others_->answer(number_, rank);
      if (taken + sums_.size() > answer.size())
        throw RankError("rank " + std::to_string(rank) + " has sent too few sums");
      std::copy_n(answer.begin() + static_cast<std::ptrdiff_t>(taken), sums_.size(), out);
      taken += sums_.size();
      return TreePart::written;
    }
    if (end - begin > 1) return TreePart::divided;
    whole_->sum_rows(parts_.part(begin), {out, sums_.size()});
    return TreePart::written;
  }

  std::unique_ptr<SummingExecutor> whole_;
  std::shared_ptr<ShardRanks> others_;
  ShardParts parts_;
  ShardTree tree_;
  std::vector<double> sums_;
  // With other ranks:
  std::uint32_t number_ = 0;
  std::vector<int> first_shards_;
  std::vector<std::vector<double>> answers_;  // of each rank
  std::vector<std::size_t> taken_;
};

}  // namespace

std::unique_ptr<Executor> make_executor(std::shared_ptr<const Program> program, Dataset data, std::int64_t dimension,
                                        const ExecutorOptions& options) {
  if (program->accumulators_size > 0 && data.store().shards())
    return std::make_unique<ShardedExecutor>(std::move(program), data, dimension, options);
  return make_whole_executor(std::move(program), std::move(data), dimension, options);
}

}  // namespace sgmcmc
