// Draws in files of the CmdStan CSV dialect, one per chain: written as they are made, and read back.
//
// A file has comments (# name = value), one line of column names, then one line per draw. Columns are lp__, the other
// sampler columns (names that end in __), then parameters as CmdStan writes them: beta.1, Sigma.1.2, the first index
// running fastest. Here they are beta[1], Sigma[1,2], the last index running fastest.
#pragma once

#include <sgmcmc/draws.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sgmcmc {

/// A comment of files in which lp__ is 0 for want of a better number. Readers want a column of that name to come first,
/// and CmdStan fills it so, too, where it does not know (fixed_param).
inline const std::pair<std::string, std::string> no_density_setting = {"sgmcmc.lp__", "not computed"};

/// What the comments at the head of a file say, in the words of CmdStan, whose readers look for some of them.
struct StanCsvHeader {
  std::string model = "model";   ///< its name
  std::string method = "sgld";   ///< ours, as "sgld-cv"
  std::uint64_t iterations = 0;  ///< after warm-up, before thinning
  std::uint64_t warmup = 0;
  std::uint64_t thin = 1;
  std::uint64_t seed = 1;
  std::string data_file;                                      ///< may be empty
  std::vector<std::pair<std::string, std::string>> settings;  ///< whatever else tells how to repeat the run
};

/// Writes FOLDER/chain-1.csv, chain-2.csv, ..., making the folder where it does not exist. Names given to begin() that
/// end in __ are sampler columns. stepsize__ and weight__ are the weight of a draw unless they are given. lp__ is 0,
/// and a comment says so, where it was not given, because a log density costs a pass over all rows.
///
/// Every number in a file is finite. A column for which there is no number at some draw must be left out, before that
/// draw is written.
///
/// After resume(), begin() leaves the files of the folder as they are: a chain that gets its state back goes on where
/// it was saved, and loses what came after that; one that does not starts anew.
///
/// Memory does not grow with the draws. Lines are handed to the system whole, in blocks. Throws FileError naming the
/// file when one cannot be written; the file then ends with its last whole line. Files of an earlier run are replaced.
/// A line that does not end is one being written.
class StanCsvSink final : public DrawsSink {
 public:
  explicit StanCsvSink(std::filesystem::path folder, StanCsvHeader header = {});
  ~StanCsvSink() override;  ///< as finish(), silently: call that to hear of a full disk

  void resume() { resuming_ = true; }  ///< before begin()
  void begin(std::span<const std::string> names, std::size_t chains, std::size_t draws_per_chain) override;
  void write(std::size_t chain, std::span<const double> values, double weight) override;
  /// From here on these values are in no file, nor what was written of them before: each file is replaced by one
  /// without them before its next draw, or when it is finished. (lp__ becomes 0.) From any thread.
  void leave_out(std::span<const std::size_t> values);
  void save_state(std::size_t chain, StateVisitor& visitor) override;
  void restore_state(std::size_t chain, StateVisitor& visitor) override;
  /// Shows every draw in the file again, as it was given to write(); nan where a value was left out.
  void replay(std::size_t chain, const std::function<void(std::span<const double> values, double weight)>& show) const;
  void flush(std::size_t chain);    ///< what was written so far can then be read; done at least about every second
  void finish(double seconds = 0);  ///< flushes all chains and closes the files; seconds: how long sampling took

  std::filesystem::path path(std::size_t chain) const;  ///< of a chain, counted from 0

 private:
  struct File;
  // Places in order_ that are no values: lp__ that is not known, and the weight of the draw.
  static constexpr std::size_t unknown = static_cast<std::size_t>(-1);
  static constexpr std::size_t weight_itself = static_cast<std::size_t>(-2);
  static constexpr std::size_t not_given = static_cast<std::size_t>(-3);

  std::vector<std::string> columns_of(const File& file) const;
  void catch_up(File& file);      // with what was left out since
  bool find_columns(File& file);  // those it has; whether some of this run's were left out

  std::filesystem::path folder_;
  StanCsvHeader header_;
  std::vector<std::size_t> order_;    // which value stands in each column, nothing left out
  std::vector<std::string> columns_;  // and its name
  std::mutex left_out_mutex_;
  std::vector<bool> left_out_;  // by value
  std::atomic<std::uint64_t> version_ = 0;
  std::vector<std::unique_ptr<File>> files_;
  std::size_t values_ = 0;
  bool resuming_ = false;
};

/// Everything that a set of files holds.
struct StanCsvDraws {
  MemoryDraws draws;    ///< parameters, named and ordered as in a model; weights from weight__, else all 1
  MemoryDraws sampler;  ///< the columns that end in __, named as in the files (accept_stat__, ...); lp__ where computed
  /// "name = value" comments of the first file, in their order.
  std::vector<std::pair<std::string, std::string>> settings;
  /// How long sampling took, as the comments at the end say: of the chain that took longest. NaN where none says.
  double seconds = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> warnings;  ///< a file that stopped in the middle of a line, say; what is whole was kept
};

/// Reads files of this program or of CmdStan. Warm-up draws, where CmdStan saved them, are left out. Throws FileError
/// naming file and line.
StanCsvDraws read_stan_csv(const std::vector<std::filesystem::path>& paths);

/// The files chain-1.csv, chain-2.csv, ... of a folder, in the order of their numbers; a file is itself. Throws
/// FileError when there are none, saying what the folder has.
std::vector<std::filesystem::path> chain_files(const std::filesystem::path& folder_or_file);

}  // namespace sgmcmc
