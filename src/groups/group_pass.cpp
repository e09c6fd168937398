// Distributes blocks of groups to threads, and adds their sums in order.
#include "groups/group_pass.hpp"

#include "minibatch/minibatcher.hpp"

#include <algorithm>
#include <numeric>

namespace sgmcmc {
namespace {
constexpr std::uint32_t block_rows = 2048;
constexpr std::size_t blocks_ahead = 16;  // are requested from the disk
}  // namespace

GroupPass::GroupPass(const MarginalPosterior& posterior, ThreadPool* pool) : posterior_(posterior), pool_(pool) {
  groups_.resize(posterior.group_count());
  std::iota(groups_.begin(), groups_.end(), 0U);
  posterior.sort_by_rows(groups_);
  cut();
}

GroupPass::GroupPass(const MarginalPosterior& posterior, ThreadPool* pool, std::int64_t rows, std::uint64_t seed)
    : posterior_(posterior), pool_(pool) {
  const double share =
      static_cast<double>(rows) / static_cast<double>(std::max<std::int64_t>(1, posterior.model().rows()));
  MinibatchOptions some;
  some.batch_size =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(share * posterior.group_count()),
                               std::min<std::int64_t>(50, posterior.group_count()), posterior.group_count());
  Minibatcher batches(posterior.group_count(), some, seed, 0);
  const RowBatch& batch = batches.batch(0);
  for (std::uint32_t k = 0; k < batch.count; ++k) groups_.push_back(batch.row(k));
  std::sort(groups_.begin(), groups_.end());
  posterior.sort_by_rows(groups_);
  weight_ = static_cast<double>(posterior.group_count()) / static_cast<double>(groups_.size());
  cut();
}

void GroupPass::cut() {
  blocks_.push_back(0);
  std::uint32_t rows = 0;
  for (std::uint32_t k = 0; k < groups_.size(); ++k) {
    const std::uint32_t own = std::max(1U, posterior_.rows_visited(groups_[k]));
    if (rows > 0 && rows + own > block_rows) {
      blocks_.push_back(k);
      rows = 0;
    }
    rows += own;
  }
  blocks_.push_back(static_cast<std::uint32_t>(groups_.size()));
  const std::size_t threads = pool_ ? static_cast<std::size_t>(pool_->threads()) : 1;
  evaluators_.resize(std::min(threads, std::max<std::size_t>(1, blocks_.size() - 1)));
  for (auto& evaluator : evaluators_) evaluator = std::make_unique<GroupEvaluator>(posterior_);
}

template <class Body>
void GroupPass::for_blocks(std::span<const double> phi, Body&& body) {
  for (auto& evaluator : evaluators_) evaluator->set_phi(phi);
  const std::size_t blocks = blocks_.size() - 1;
  const auto groups_of = [&](std::size_t from, std::size_t to) {
    return std::span<const std::uint32_t>(groups_).subspan(blocks_[from], blocks_[to] - blocks_[from]);
  };
  posterior_.want(groups_of(0, std::min(blocks_ahead, blocks)));
  const auto run = [&](std::size_t block, int worker) {
    const std::size_t wanted = block + blocks_ahead;
    if (wanted < blocks) posterior_.want(groups_of(wanted, wanted + 1));
    body(block, groups_of(block, block + 1), *evaluators_[static_cast<std::size_t>(worker)]);
  };
  if (pool_ && evaluators_.size() == static_cast<std::size_t>(pool_->threads()))
    pool_->for_each(blocks, run);
  else
    for (std::size_t block = 0; block < blocks; ++block) run(block, 0);
}

double GroupPass::groups_only(std::span<const double> phi, std::span<double> gradient) {
  const std::size_t dimension = posterior_.dimension(), stride = dimension + 1;
  sums_.assign((blocks_.size() - 1) * stride, 0.0);
  const bool wanted = !gradient.empty();
  for_blocks(phi, [&](std::size_t block, std::span<const std::uint32_t> groups, GroupEvaluator& evaluator) {
    double* own = sums_.data() + block * stride;
    *own = evaluator.integrate(groups, nullptr, wanted ? std::span<double>(own + 1, dimension) : std::span<double>());
  });
  double total = 0;
  if (wanted) std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::size_t block = 0; block + 1 < blocks_.size(); ++block) {
    total += weight_ * sums_[block * stride];
    for (std::size_t c = 0; wanted && c < dimension; ++c) gradient[c] += weight_ * sums_[block * stride + 1 + c];
  }
  return total;
}

double GroupPass::log_density(std::span<const double> phi, std::span<double> gradient) {
  const double of_groups = groups_only(phi, gradient);
  return of_groups + evaluators_[0]->global_term(gradient);
}

void GroupPass::each_gradient(
    std::span<const double> phi,
    const std::function<void(std::span<const std::uint32_t>, std::span<const double>)>& take) {
  const std::size_t dimension = posterior_.dimension();
  for_blocks(phi, [&](std::size_t, std::span<const std::uint32_t> groups, GroupEvaluator& evaluator) {
    std::vector<double> each(groups.size() * dimension);
    evaluator.gradients(groups, each);
    take(groups, each);
  });
}

void GroupPass::modes(std::span<const double> phi, std::span<double> locals) {
  const std::size_t width = posterior_.width();
  for_blocks(phi, [&](std::size_t, std::span<const std::uint32_t> groups, GroupEvaluator& evaluator) {
    std::vector<double> own(groups.size() * width);
    evaluator.modes(groups, own);
    for (std::size_t s = 0; s < groups.size(); ++s) std::copy_n(&own[s * width], width, &locals[groups[s] * width]);
  });
}

}  // namespace sgmcmc
