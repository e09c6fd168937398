// Two groups of slices change hands under a mutex; within a group a step takes its slice without any synchronisation.
#include "minibatch/slice_reader.hpp"

#include "base/memory.hpp"

#include <sgmcmc/random.hpp>

#include <algorithm>
#include <span>
#include <system_error>

namespace sgmcmc {
namespace {

/// Bytes of a column's slice in a group: kernels may read 64 bytes beyond the last row.
std::size_t padded_bytes(std::size_t bytes) {
  return (bytes + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes + cache_line_bytes;
}

std::size_t bytes_of_slice(const RowPages& pages, std::uint32_t count) {
  std::size_t bytes = 0;
  for (const RowPages::Column& column : pages.columns()) bytes += padded_bytes(count * column.stride);
  return bytes;
}

}  // namespace

std::uint32_t SliceStream::first_row(std::uint64_t evaluation) const {
  std::uint32_t first = 0;
  fill_below({seed, chain, evaluation, Purpose::minibatch}, rows, std::span(&first, 1));
  return first;
}

std::unique_ptr<SliceReader> SliceReader::make(RowPages* pages, const SliceStream& stream) {
  if (!pages || pages->columns().empty() || pages->keeps_some() ||
      bytes_of_slice(*pages, stream.count) > 2 * group_bytes)
    return nullptr;
  return std::make_unique<SliceReader>(*pages, stream);
}

SliceReader::SliceReader(RowPages& pages, const SliceStream& stream)
    : pages_(pages), stream_(stream), slice_bytes_(bytes_of_slice(pages, stream.count)) {
  slices_ = std::clamp<std::uint64_t>(group_bytes / slice_bytes_, 1, 64);
  for (Group& group : groups_) {
    group.memory = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(slices_) * slice_bytes_);
    group.slices.resize(static_cast<std::size_t>(slices_));
    for (ReadRows& slice : group.slices) {
      slice.pages = &pages_;
      slice.columns.resize(pages_.columns().size());
    }
    group.is_read.resize(static_cast<std::size_t>(slices_));
  }
}

SliceReader::~SliceReader() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
    generation_.fetch_add(1);
  }
  changed_.notify_all();
  thread_.join();
}

const ReadRows* SliceReader::find(std::uint64_t evaluation) {
  if (!is_first_ && evaluation == last_) return last_found_;
  const bool follows = !is_first_ && evaluation == last_ + 1;
  is_first_ = false;
  last_ = evaluation;
  consecutive_ = follows ? consecutive_ + 1 : 0;
  if (!follows) end();
  last_found_ = look_up(evaluation);
  found_ += last_found_ != nullptr;
  return last_found_;
}

const ReadRows* SliceReader::look_up(std::uint64_t evaluation) {
  if (!is_reading_ahead_) {
    if (consecutive_ > 0 && consecutive_ % slices_ == 0) begin(evaluation + slices_);
    return nullptr;
  }
  if (evaluation == next_first_) take_group(evaluation);
  if (!current_) return nullptr;  // the first group is being read
  const auto place = static_cast<std::size_t>(evaluation - current_->first);
  return current_->is_read[place] ? &current_->slices[place] : nullptr;
}

/// Begins to read ahead with the slice of this evaluation. The first call starts the thread: short trial runs end
/// before.
void SliceReader::begin(std::uint64_t evaluation) {
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error&) {  // no more threads: steps read their slices themselves
      return;
    }
  }
  is_reading_ahead_ = true;
  next_first_ = evaluation;
  next_group_ = 0;
  {
    const std::lock_guard lock(mutex_);
    has_work_ = true;
    to_read_ = evaluation;
    group_to_read_ = 0;
  }
  changed_.notify_all();
}

void SliceReader::end() {
  if (!is_reading_ahead_) return;
  is_reading_ahead_ = false;
  current_ = nullptr;
  const std::lock_guard lock(mutex_);
  has_work_ = false;
  generation_.fetch_add(1);
  for (Group& group : groups_)
    if (group.state == GroupState::ready) group.state = GroupState::empty;
}

void SliceReader::take_group(std::uint64_t evaluation) {
  Group& next = groups_[next_group_];
  {
    std::unique_lock lock(mutex_);
    if (current_) {
      current_->state = GroupState::empty;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return next.state == GroupState::ready; });
  }
  current_ = &next;
  next_group_ = 1 - next_group_;
  next_first_ = evaluation + slices_;
}

void SliceReader::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stops_ || (has_work_ && groups_[group_to_read_].state == GroupState::empty); });
    if (stops_) return;
    Group& group = groups_[group_to_read_];
    group.state = GroupState::reading;
    group.first = to_read_;
    const std::uint64_t generation = generation_.load();
    lock.unlock();
    read(group, generation);
    lock.lock();
    if (generation == generation_.load()) {
      group.state = GroupState::ready;
      to_read_ += slices_;
      group_to_read_ = 1 - group_to_read_;
    } else {
      group.state = GroupState::empty;
    }
    changed_.notify_all();
  }
}

/// Requests all slices before it reads the first, so that a disk can work on several of them.
void SliceReader::read(Group& group, std::uint64_t generation) {
  for (std::uint64_t k = 0; k < slices_; ++k) {
    const std::uint32_t first = stream_.first_row(group.first + k);
    group.is_read[static_cast<std::size_t>(k)] = stream_.is_stretch(first);
    if (stream_.is_stretch(first)) pages_.want(first, stream_.count);
  }
  std::byte* to = group.memory.get();
  for (std::size_t k = 0; k < group.slices.size(); ++k, to = group.memory.get() + k * slice_bytes_) {
    if (!group.is_read[k]) continue;
    if (generation != generation_.load(std::memory_order_relaxed)) return;
    const std::uint32_t first = stream_.first_row(group.first + k);
    const std::span<const RowPages::Column> columns = pages_.columns();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      pages_.read(columns[c], first, stream_.count, to);
      group.slices[k].place(c, to, first, columns[c].stride);
      to += padded_bytes(stream_.count * columns[c].stride);
    }
  }
}

}  // namespace sgmcmc
