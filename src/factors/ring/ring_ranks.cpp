// What ranks exchange in an iteration over the ring of blocks, and for checkpoints.
#include "factors/ring/ring_factors.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace sgmcmc {

void RingFactors::share_rows() {
  if (shared_) return;
  const FactorRanks::Part parts[] = {FactorRanks::part(users_.rows.data(), stride_, users_.starts),
                                     FactorRanks::part(items_.rows.data(), stride_, items_.starts)};
  ranks_.share(parts);
  shared_ = true;
}

void RingFactors::pass_items(std::uint32_t part, AlignedBuffer<float>& rows, bool back) {
  if (ranks_.size() == 1) return;
  const std::uint32_t groups = blocks_.groups();
  const auto numbers = [&](std::uint32_t group) {
    const std::size_t first = items_.starts[group] * stride_;
    return std::span<float>(rows.data() + first, items_.starts[group + 1] * stride_ - first);
  };
  // One message to each rank, with all that it needs in the order of groups of users.
  std::vector<std::string> to(static_cast<std::size_t>(ranks_.size()));
  std::vector<bool> sends(to.size());  // empty groups are messages, too: the receiver expects one
  std::vector<int> from;
  const auto each_passed = [&](const auto& pass) {
    for (std::uint32_t group = 0; group < groups; ++group) {
      const std::uint32_t of_items = (group + part) % groups;
      const int home = ranks_.owner(of_items, groups), visitor = ranks_.owner(group, groups);
      if (home != visitor) pass(back ? visitor : home, back ? home : visitor, numbers(of_items));
    }
  };
  each_passed([&](int sender, int receiver, std::span<float> passed) {
    if (sender == ranks_.rank()) {
      to[static_cast<std::size_t>(receiver)].append(reinterpret_cast<const char*>(passed.data()), passed.size_bytes());
      sends[static_cast<std::size_t>(receiver)] = true;
    }
    if (receiver == ranks_.rank() && std::find(from.begin(), from.end(), sender) == from.end()) from.push_back(sender);
  });
  std::vector<Posting> messages;
  for (int rank = 0; rank < ranks_.size(); ++rank)
    if (sends[static_cast<std::size_t>(rank)]) messages.push_back({rank, to[static_cast<std::size_t>(rank)]});
  const auto received = ranks_.communicator().exchange(channel::factors, messages, from);
  std::vector<std::size_t> at(received.size());
  each_passed([&](int sender, int receiver, std::span<float> passed) {
    if (receiver != ranks_.rank() || passed.empty()) return;
    const auto which = static_cast<std::size_t>(std::find(from.begin(), from.end(), sender) - from.begin());
    std::memcpy(passed.data(), received[which].data() + at[which], passed.size_bytes());
    at[which] += passed.size_bytes();
  });
}

bool RingFactors::any(bool here, std::uint64_t& count) {
  std::vector<double> marks(std::size_t{2} * blocks_.groups());
  if (own_groups_.begin < own_groups_.end) {  // a rank without groups has no rows
    marks[2 * own_groups_.begin] = here ? 1.0 : 0.0;
    marks[2 * own_groups_.begin + 1] = static_cast<double>(count);
  }
  const auto sums = summed(std::move(marks), 2);
  count = static_cast<std::uint64_t>(sums[1]);
  return sums[0] > 0;
}

std::vector<double> RingFactors::summed(std::vector<double> by_group, std::size_t each) {
  const FactorRanks::Part parts[] = {FactorRanks::part(by_group.data(), each, each_group_)};
  ranks_.share(parts);
  std::vector<double> sums(each);
  for (std::size_t i = 0; i < by_group.size(); ++i) sums[i % each] += by_group[i];
  return sums;
}

void RingFactors::collect_state() {
  share_rows();
  std::vector<FactorRanks::Part> parts;
  for (Side* side : {&users_, &items_}) {
    for (auto* each : {&side->momentum, &side->kept_sum, &side->earlier, &side->before, &side->change, &side->response,
                       &side->scales})
      if (!each->empty()) parts.push_back(FactorRanks::part(each->data(), stride_, side->starts));
    for (auto& each : side->kept) parts.push_back(FactorRanks::part(each.data(), stride_, side->starts));
    if (!side->roots.empty()) parts.push_back(FactorRanks::part(side->roots.data(), size_ * stride_, side->starts));
  }
  ranks_.collect(parts);
}

}  // namespace sgmcmc
