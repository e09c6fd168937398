// Groups are in the order of random numbers, one for each label. The groups whose numbers lie in a range are counted in
// a table, put in order and given their places; then those of the next range.
#include "data/row_files/group_places.hpp"

#include "base/interrupt.hpp"
#include "base/permutation.hpp"

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::size_t labels_at_once = std::size_t{1} << 16;
constexpr std::uint64_t end_of_numbers = std::numeric_limits<std::uint64_t>::max();

/// The random number of a group. No two labels share one: ties would leave their order open.
std::uint64_t number_of_group(std::uint32_t label, std::uint64_t key) {
  std::uint32_t high = 0;
  fill_below({key, 2, label, Purpose::data}, std::numeric_limits<std::uint32_t>::max(), std::span(&high, 1));
  return std::uint64_t{high} << 32 | label;
}

/// Rows of groups by label, with open addressing.
class GroupTable {
 public:
  struct Group {
    std::uint32_t label = 0;
    std::uint32_t rows = 0;    ///< 0: a free slot
    std::uint32_t first = 0;   ///< the first place of the group
    std::uint32_t placed = 0;  ///< rows that have their place
  };

  void clear() {
    groups_.assign(1024, {});
    count_ = 0;
  }
  std::size_t count() const { return count_; }

  Group* find(std::uint32_t label) {
    Group& slot = groups_[slot_of(label)];
    return slot.rows > 0 ? &slot : nullptr;
  }
  void add_row(std::uint32_t label) {
    Group* slot = &groups_[slot_of(label)];
    if (slot->rows == 0) {
      if (2 * (count_ + 1) > groups_.size()) {
        resize(2 * groups_.size());
        slot = &groups_[slot_of(label)];
      }
      slot->label = label;
      ++count_;
    }
    ++slot->rows;
  }
  /// Removes the groups that do not meet the condition.
  template <class Condition>
  void keep_if(Condition&& condition) {
    for (Group& group : groups_)
      if (group.rows > 0 && !condition(group)) group.rows = 0;
    resize(groups_.size());
  }
  template <class Visitor>
  void for_each(Visitor&& visit) {
    for (Group& group : groups_)
      if (group.rows > 0) visit(group);
  }

 private:
  std::size_t slot_of(std::uint32_t label) const {
    std::uint64_t mixed = label * std::uint64_t{0x9E3779B97F4A7C15};
    mixed ^= mixed >> 32;
    std::size_t slot = static_cast<std::size_t>(mixed) & (groups_.size() - 1);
    while (groups_[slot].rows > 0 && groups_[slot].label != label) slot = (slot + 1) & (groups_.size() - 1);
    return slot;
  }
  void resize(std::size_t size) {
    std::vector<Group> before(size);
    before.swap(groups_);
    count_ = 0;
    for (const Group& group : before)
      if (group.rows > 0) {
        groups_[slot_of(group.label)] = group;
        ++count_;
      }
  }

  std::vector<Group> groups_;  // their number is a power of two
  std::size_t count_ = 0;
};

class PlaceFinder {
 public:
  PlaceFinder(const NumbersOnDisk& labels, std::uint64_t rows, std::uint64_t key, const NumbersOnDisk& places,
              std::size_t at_once, const PlaceWatch& watch)
      : watch_(watch),
        labels_file_(labels),
        places_file_(places),
        rows_(rows),
        key_(key),
        at_once_(std::max<std::size_t>(2, at_once)) {}

  void find() {
    for (std::uint64_t from = 0; placed_ < rows_;) {
      const std::uint64_t end = count_groups(from);
      being_placed_ = give_places(static_cast<std::uint32_t>(placed_));
      write_places();
      placed_ += std::exchange(being_placed_, 0);
      from = end;
    }
  }

 private:
  template <class Visitor>
  void for_labels(Visitor&& visit) {
    for (std::uint64_t first = 0; first < rows_; first += labels_at_once) {
      labels_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(labels_at_once, rows_ - first)));
      labels_file_.read(first, labels_);
      visit(first);
      tell(first + labels_.size());
      throw_if_interrupted(watch_.interrupt);
    }
  }
  void tell(std::uint64_t read) const {
    const auto all = static_cast<double>(rows_);
    const double of_range = static_cast<double>(being_placed_) * static_cast<double>(read) / all;
    if (watch_.progress) watch_.progress((static_cast<double>(placed_) + of_range) / all);
  }

  /// Counts the rows of as many groups as fit into the table, of those whose numbers are at least `from`. Returns where
  /// the next range begins.
  std::uint64_t count_groups(std::uint64_t from) {
    table_.clear();
    std::uint64_t end = end_of_numbers;
    for_labels([&](std::uint64_t) {
      for (const std::uint32_t label : labels_) {
        if (from > 0 || end < end_of_numbers) {
          const std::uint64_t number = number_of_group(label, key_);
          if (number < from || number >= end) continue;
        }
        table_.add_row(label);
        while (table_.count() > at_once_) {  // half of the range has half of the groups
          end = from + (end - from) / 2;
          table_.keep_if([&](const GroupTable::Group& group) { return number_of_group(group.label, key_) < end; });
        }
      }
    });
    return end;
  }

  std::uint64_t give_places(std::uint32_t first) {
    std::vector<std::pair<std::uint64_t, GroupTable::Group*>> in_order;
    in_order.reserve(table_.count());
    table_.for_each(
        [&](GroupTable::Group& group) { in_order.emplace_back(number_of_group(group.label, key_), &group); });
    std::sort(in_order.begin(), in_order.end());
    const std::uint32_t begin = first;
    for (auto& [number, group] : in_order) {
      group->first = first;
      first += group->rows;
    }
    return first - begin;
  }

  void write_places() {
    for_labels([&](std::uint64_t first) {
      places_.resize(labels_.size());
      places_file_.read(first, places_);
      for (std::size_t i = 0; i < labels_.size(); ++i) {
        GroupTable::Group* const group = table_.find(labels_[i]);
        if (!group) continue;
        std::uint32_t within = 0;
        if (group->rows > 1)
          Permutation(group->rows, {key_, 3, group->label, Purpose::data}).fill(group->placed, std::span(&within, 1));
        ++group->placed;
        places_[i] = group->first + within;
      }
      places_file_.write(first, places_);
    });
  }

  const PlaceWatch& watch_;
  const NumbersOnDisk& labels_file_;
  const NumbersOnDisk& places_file_;
  std::uint64_t rows_, key_;
  std::size_t at_once_;
  std::uint64_t placed_ = 0, being_placed_ = 0;  ///< rows of earlier ranges, and of this one
  GroupTable table_;
  std::vector<std::uint32_t> labels_;
  std::vector<std::uint32_t> places_;
};

}  // namespace

void find_places_by_group(const NumbersOnDisk& labels, std::uint64_t rows, std::uint64_t key,
                          const NumbersOnDisk& places, std::size_t at_once, const PlaceWatch& watch) {
  PlaceFinder(labels, rows, key, places, at_once, watch).find();
}

}  // namespace sgmcmc
