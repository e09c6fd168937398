// Writes records to unnamed files and maps those files into memory.
#include "draws/spooled_draws.hpp"

#include <sgmcmc/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace sgmcmc {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18;

/// A mapped file, unmapped when its last view is destroyed.
struct Mapping {
  void* start = MAP_FAILED;
  std::size_t bytes = 0;
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (start != MAP_FAILED) ::munmap(start, bytes);
  }
};

}  // namespace

struct SpooledDraws::Spool {
  std::filesystem::path folder;
  int descriptor = -1;
  std::vector<double> pending;
  std::size_t records = 0, in_file = 0;
  std::weak_ptr<const Mapping> mapped;  // the latest mapping, shared by views of the same records

  Spool() = default;
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  ~Spool() {
    if (descriptor >= 0) ::close(descriptor);
  }

  [[noreturn]] void fail(int code) const {
    throw FileError("draws cannot be kept in a temporary file in '" + folder.string() +
                    "': " + std::generic_category().message(code) +
                    (code == ENOSPC || code == EFBIG ? "; free some space" : "; name another folder for it in TMPDIR"));
  }
  void open() {
#ifdef O_TMPFILE
    descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0) return;
#endif
    std::string name = (folder / ".sgmcmc-draws-XXXXXX").string();
    descriptor = ::mkstemp(name.data());
    if (descriptor < 0) fail(errno);
    ::unlink(name.c_str());
  }
  /// Reads numbers.size() numbers of the file, starting at number `first`.
  void read(std::size_t first, std::span<double> numbers) const {
    char* to = reinterpret_cast<char*>(numbers.data());
    std::size_t left = numbers.size() * sizeof(double);
    auto from = static_cast<off_t>(first * sizeof(double));
    while (left > 0) {
      const auto now = ::pread(descriptor, to, left, from);
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) fail(now < 0 ? errno : EIO);
      to += now;
      from += now;
      left -= static_cast<std::size_t>(now);
    }
  }
  /// The first number of every record. Read in blocks, because a mapping would count the whole file as this process's
  /// memory.
  std::vector<double> firsts(std::size_t numbers) const {
    std::vector<double> found;
    found.reserve(records);
    const std::size_t together = std::max<std::size_t>(1, block_bytes / sizeof(double) / numbers);
    std::vector<double> block(together * numbers);
    while (found.size() < records) {
      const std::size_t count = std::min(together, records - found.size());
      read(found.size() * numbers, std::span(block).first(count * numbers));
      for (std::size_t k = 0; k < count; ++k) found.push_back(block[k * numbers]);
    }
    return found;
  }
  void flush() {
    if (pending.empty()) return;
    if (descriptor < 0) open();
    const char* from = reinterpret_cast<const char*>(pending.data());
    std::size_t left = pending.size() * sizeof(double);
    while (left > 0) {
      const auto now = ::write(descriptor, from, left);
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) fail(now < 0 ? errno : ENOSPC);
      from += now;
      left -= static_cast<std::size_t>(now);
    }
    in_file += pending.size();
    pending.clear();
  }
};

SpooledDraws::SpooledDraws(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code ignored;
  if (folder_.empty()) folder_ = std::filesystem::temp_directory_path(ignored);
  if (folder_.empty()) folder_ = "/tmp";
}
SpooledDraws::~SpooledDraws() = default;
SpooledDraws::SpooledDraws(SpooledDraws&&) noexcept = default;
SpooledDraws& SpooledDraws::operator=(SpooledDraws&&) noexcept = default;

void SpooledDraws::begin(std::size_t numbers_per_record, std::size_t chains) {
  numbers_ = numbers_per_record;
  spools_.clear();
  for (std::size_t chain = 0; chain < chains; ++chain) {
    spools_.push_back(std::make_unique<Spool>());
    spools_.back()->folder = folder_;
  }
}

void SpooledDraws::write(std::size_t chain, std::span<const double> record) {
  Spool& spool = *spools_[chain];
  spool.pending.insert(spool.pending.end(), record.begin(), record.end());
  ++spool.records;
  if (spool.pending.size() * sizeof(double) >= block_bytes) spool.flush();
}

std::size_t SpooledDraws::records(std::size_t chain) const { return spools_[chain]->records; }

void SpooledDraws::keep(const std::vector<std::size_t>& places) {
  SpooledDraws chosen(folder_);
  chosen.begin(places.size(), spools_.size());
  const MemoryDraws all = view(std::vector<std::string>(numbers_ - 1), 1);  // the weight comes first
  std::vector<double> record;
  for (std::size_t chain = 0; chain < all.chains(); ++chain)
    for (std::size_t k = 0; k < all.draws(chain); ++k) {
      record.assign(1, all.weights(chain)[k]);
      for (const std::size_t place : std::span(places).subspan(1)) record.push_back(all(chain, k, place - 1));
      chosen.write(chain, record);
    }
  *this = std::move(chosen);
}

void SpooledDraws::drop_every_second(std::size_t chain) {
  spools_[chain]->flush();
  const auto before = std::exchange(spools_[chain], std::make_unique<Spool>());
  spools_[chain]->folder = folder_;
  std::vector<double> record(numbers_);
  for (std::size_t k = 0; k < before->records; k += 2) {
    before->read(k * numbers_, record);
    write(chain, record);
  }
}

std::vector<double> SpooledDraws::numbers(std::size_t chain) const {
  const Spool& spool = *spools_[chain];
  std::vector<double> all(spool.in_file + spool.pending.size());
  spool.read(0, std::span(all).first(spool.in_file));
  std::copy(spool.pending.begin(), spool.pending.end(), all.begin() + static_cast<std::ptrdiff_t>(spool.in_file));
  return all;
}

MemoryDraws SpooledDraws::view(std::vector<std::string> names, std::size_t first) {
  auto keepers = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  std::vector<MemoryDraws::Elsewhere> chains;
  for (auto& spool : spools_) {
    const double* start = nullptr;
    if (spool->in_file == 0) {
      auto copy = std::make_shared<std::vector<double>>(spool->pending);
      start = copy->data();
      keepers->push_back(copy);
    } else {
      spool->flush();
      auto mapping = spool->mapped.lock();
      if (!mapping || mapping->bytes != spool->in_file * sizeof(double)) {
        auto made = std::make_shared<Mapping>();
        made->bytes = spool->in_file * sizeof(double);
        made->start = ::mmap(nullptr, made->bytes, PROT_READ, MAP_SHARED, spool->descriptor, 0);
        if (made->start == MAP_FAILED) spool->fail(errno);
        spool->mapped = mapping = std::move(made);
      }
      start = static_cast<const double*>(mapping->start);
      keepers->push_back(mapping);
    }
    MemoryDraws::Elsewhere chain{spool->records > 0 ? start + first : nullptr, spool->records, {}};
    if (spool->in_file > 0) {
      chain.weights = spool->firsts(numbers_);
    } else {
      for (std::size_t k = 0; k < spool->records; ++k) chain.weights.push_back(start[k * numbers_]);
    }
    chains.push_back(std::move(chain));
  }
  return MemoryDraws::over(std::move(names), numbers_, std::move(chains), keepers);
}

}  // namespace sgmcmc
