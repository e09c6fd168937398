// Draws kept on disk while a run goes on, for what needs all of them in the end: memory does not grow with them.
#pragma once

#include <sgmcmc/draws.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

/// Records of equal length, chain by chain; the first number of a record is the weight of the draw. They lie in files
/// without names, which are gone when the program is, however it ends; a few draws stay in memory. Chains may be
/// written at the same time. Throws FileError where the disk is full.
class SpooledDraws {
 public:
  explicit SpooledDraws(std::filesystem::path folder = {});  ///< empty: the one for temporary files
  ~SpooledDraws();
  SpooledDraws(SpooledDraws&&) noexcept;
  SpooledDraws& operator=(SpooledDraws&&) noexcept;

  void begin(std::size_t numbers_per_record, std::size_t chains);
  void write(std::size_t chain, std::span<const double> record);
  std::size_t records(std::size_t chain) const;
  /// Only these numbers of every record stay, in this order; the first must be the weight.
  void keep(const std::vector<std::size_t>& places);
  void drop_every_second(std::size_t chain);             ///< the first record stays
  std::vector<double> numbers(std::size_t chain) const;  ///< all records, one after the other

  /// All records so far, from this number of each on. Nothing may be written while it is in use.
  MemoryDraws view(std::vector<std::string> names, std::size_t first);

 private:
  struct Spool;
  std::filesystem::path folder_;
  std::size_t numbers_ = 0;
  std::vector<std::unique_ptr<Spool>> spools_;
};

}  // namespace sgmcmc
