// Progress of passes over rows, or over the bytes of a file, which another thread can show while they last.
#pragma once

#include <atomic>
#include <cstdint>

namespace sgmcmc {

struct PassProgress {
  const char* name = nullptr;  ///< null: there is no current pass
  std::uint64_t units = 0, done = 0;
  double bytes = 0;  ///< of all units
  double seconds = 0;
};

/// Counts units: rows, or bytes. Thread-safe; passes follow one another.
class PassMeter {
 public:
  explicit PassMeter(const char* name) : name_(name) {}

  /// Starts a pass over this many units.
  void begin(std::uint64_t units, double bytes_of_unit = 1);
  void add(std::uint64_t units) { counted_.fetch_add(units, std::memory_order_relaxed); }
  PassProgress now() const;
  std::uint64_t counted() const { return counted_.load(std::memory_order_relaxed); }  ///< within passes and between
  /// Sets the purpose of the following passes, for messages; returns the previous one.
  const char* rename(const char* name) { return name_.exchange(name); }

 private:
  std::atomic<const char*> name_;
  std::atomic<std::uint64_t> counted_{0};
  std::atomic<std::uint64_t> units_{0}, begin_{0};  ///< of the pass; counted when it began
  std::atomic<double> bytes_{0};
  std::atomic<std::int64_t> start_{0};  ///< nanoseconds of the steady clock
};

}  // namespace sgmcmc
