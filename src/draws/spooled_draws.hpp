// Draws kept on disk during a run, for results that need all of them at the end. Memory does not grow with the draws.
#pragma once

#include <sgmcmc/draws.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// Records of equal length for each chain; the first number of a record is the weight of the draw. Records are stored
/// in unnamed files, which the system deletes when the program ends for any reason; the last few stay in memory.
/// Different chains may be written concurrently. Throws FileError if the disk is full.
class SpooledDraws {
 public:
  explicit SpooledDraws(std::filesystem::path folder = {});  ///< empty: the system's folder for temporary files
  ~SpooledDraws();
  SpooledDraws(SpooledDraws&&) noexcept;
  SpooledDraws& operator=(SpooledDraws&&) noexcept;

  void begin(std::size_t numbers_per_record, std::size_t chains);
  void write(std::size_t chain, std::span<const double> record);
  std::size_t records(std::size_t chain) const;
  /// Keeps only these numbers of every record, in this order. The first must be the weight.
  void keep(const std::vector<std::size_t>& places);
  void drop_every_second(std::size_t chain);             ///< keeps the first record
  std::vector<double> numbers(std::size_t chain) const;  ///< all records, one after the other

  /// All records so far, without the numbers before `first` in each. Do not write while the view is in use.
  MemoryDraws view(std::vector<std::string> names, std::size_t first);

 private:
  struct Spool;
  std::filesystem::path folder_;
  std::size_t numbers_ = 0;
  std::vector<std::unique_ptr<Spool>> spools_;
};

}  // namespace sgmcmc
