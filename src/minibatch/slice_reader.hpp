// Reads the slices of coming evaluations from a file, on a thread of its own, while a chain computes its steps.
#pragma once

#include "data/row_pages.hpp"
#include "minibatch/row_batch.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace sgmcmc {

/// The slices of a chain: of evaluation t, `count` consecutive rows from a random one on, which depends on (seed,
/// chain, t) alone.
struct SliceStream {
  std::uint32_t rows = 0;  ///< of the data
  std::uint32_t count = 0;
  std::uint64_t seed = 0;
  std::uint32_t chain = 0;

  std::uint32_t first_row(std::uint64_t evaluation) const;
  /// Whether a slice that begins with this row ends before the last row, and does not continue with row 0.
  bool is_stretch(std::uint32_t first) const { return first <= rows - count; }
};

/// Slices are read and handed over in groups of about group_bytes: two groups, one in use and one to be read, stay in
/// the second-level cache, which is faster even if the thread runs on the core of the chain. Reading ahead begins once
/// a chain has asked for a group of consecutive evaluations, and ends when it asks for another one.
class SliceReader {
 public:
  static constexpr std::size_t group_bytes = std::size_t{512} << 10;

  /// Null if no rows are on disk, or slices are too large. `pages` must outlive the reader.
  static std::unique_ptr<SliceReader> make(RowPages* pages, const SliceStream& stream);
  SliceReader(RowPages& pages, const SliceStream& stream);
  SliceReader(const SliceReader&) = delete;
  SliceReader& operator=(const SliceReader&) = delete;
  ~SliceReader();

  /// The slice of an evaluation, until the next call; null if it was not read ahead. Waits for the thread if it is
  /// reading this slice. For one thread only.
  const ReadRows* find(std::uint64_t evaluation);

  std::uint64_t slices_of_group() const { return slices_; }
  std::uint64_t found() const { return found_; }  ///< how often a slice was there

 private:
  enum class GroupState : std::uint8_t { empty, reading, ready };
  struct Group {
    std::uint64_t first = 0;  ///< evaluation
    GroupState state = GroupState::empty;
    std::unique_ptr<std::byte[]> memory;  ///< takes no memory before the first slice is read
    std::vector<ReadRows> slices;
    std::vector<bool> is_read;  ///< not: slices that continue with row 0
  };

  const ReadRows* look_up(std::uint64_t evaluation);
  void begin(std::uint64_t evaluation);
  void end();
  void take_group(std::uint64_t evaluation);
  void serve();
  void read(Group& group, std::uint64_t generation);

  RowPages& pages_;
  SliceStream stream_;
  std::size_t slice_bytes_ = 0;
  std::uint64_t slices_ = 1;  ///< of a group
  std::array<Group, 2> groups_;

  // Of the chain:
  bool is_first_ = true;
  std::uint64_t last_ = 0, consecutive_ = 0;
  const ReadRows* last_found_ = nullptr;
  std::uint64_t found_ = 0;
  bool is_reading_ahead_ = false;
  Group* current_ = nullptr;
  std::uint64_t next_first_ = 0;  ///< first evaluation of the next group
  std::size_t next_group_ = 0;

  // Shared with the thread, under the mutex:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stops_ = false, has_work_ = false;
  std::uint64_t to_read_ = 0;  ///< evaluation with which the next group to read begins
  std::size_t group_to_read_ = 0;
  std::atomic<std::uint64_t> generation_{0};  ///< changes when what was asked for is no longer needed

  std::thread thread_;  // declared last: it uses the other members
};

}  // namespace sgmcmc
