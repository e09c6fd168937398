// Reads and writes draws as CSV files in CmdStan's format, one per chain. Draws are written as they are made.
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

/// Comment in files whose lp__ column is 0 because it was not computed. Readers require lp__ as the first column;
/// CmdStan also writes 0 there if it does not know the density (fixed_param).
inline const std::pair<std::string, std::string> no_density_setting = {"sgmcmc.lp__", "not computed"};

/// Contents of the comments at the head of a file, under CmdStan's names, some of which readers look for.
struct StanCsvHeader {
  std::string model = "model";   ///< its name
  std::string method = "sgld";   ///< the sampler of this program, such as "sgld-cv"
  std::uint64_t iterations = 0;  ///< after warm-up, before thinning
  std::uint64_t warmup = 0;
  std::uint64_t thin = 1;
  std::uint64_t seed = 1;
  std::string data_file;                                      ///< may be empty
  std::vector<std::pair<std::string, std::string>> settings;  ///< other settings needed to repeat the run
};

/// Writes FOLDER/chain-1.csv, chain-2.csv, ..., creating the folder if needed. Names passed to begin() that end in __
/// are sampler columns. stepsize__ and weight__ hold the weight of a draw unless they are passed. If lp__ is not
/// passed, because a log density costs a pass over all rows, it is written as 0 and a comment says so.
///
/// Every number in a file is finite. If a column is non-finite at some draw, call leave_out() before writing that draw.
///
/// After resume(), begin() does not touch the files in the folder. A chain whose state is restored continues from where
/// it was saved and discards later draws; any other chain starts again.
///
/// Memory does not grow with the draws. Whole lines are written in blocks. Throws FileError naming the file when one
/// cannot be written; the file then ends with its last whole line. Files of an earlier run are replaced. A line without
/// a newline is still being written.
class StanCsvSink final : public DrawsSink {
 public:
  explicit StanCsvSink(std::filesystem::path folder, StanCsvHeader header = {});
  ~StanCsvSink() override;  ///< like finish() but ignores errors; call finish() to learn of a full disk

  void resume() { resuming_ = true; }  ///< before begin()
  void begin(std::span<const std::string> names, std::size_t chains, std::size_t draws_per_chain) override;
  void write(std::size_t chain, std::span<const double> values, double weight) override;
  /// Removes these values from all files, including draws already written: each file is replaced by one without them
  /// before its next draw, or when it is finished. (lp__ becomes 0 instead.) May be called from any thread.
  void leave_out(std::span<const std::size_t> values);
  void save_state(std::size_t chain, StateVisitor& visitor) override;
  void restore_state(std::size_t chain, StateVisitor& visitor) override;
  /// Calls show() with every draw in the file, as passed to write(); NaN for values that were left out.
  void replay(std::size_t chain, const std::function<void(std::span<const double> values, double weight)>& show) const;
  void flush(std::size_t chain);    ///< makes all draws so far readable; write() does this about every second
  void finish(double seconds = 0);  ///< flushes all chains and closes the files; seconds: how long sampling took

  std::filesystem::path path(std::size_t chain) const;  ///< chains are counted from 0

 private:
  struct File;
  // Special entries of order_: an lp__ that was not computed, and the weight of the draw. not_given: name not found.
  static constexpr std::size_t unknown = static_cast<std::size_t>(-1);
  static constexpr std::size_t weight_itself = static_cast<std::size_t>(-2);
  static constexpr std::size_t not_given = static_cast<std::size_t>(-3);

  std::vector<std::string> columns_of(const File& file) const;
  void catch_up(File& file);      // applies leave_out() calls made since its last draw
  bool find_columns(File& file);  // reads them from the file; true if some were left out

  std::filesystem::path folder_;
  StanCsvHeader header_;
  std::vector<std::size_t> order_;    // which value is in each column if nothing is left out
  std::vector<std::string> columns_;  // names of those columns
  std::mutex left_out_mutex_;
  std::vector<bool> left_out_;  // one flag per value
  std::atomic<std::uint64_t> version_ = 0;
  std::vector<std::unique_ptr<File>> files_;
  std::size_t values_ = 0;
  bool resuming_ = false;
};

/// The contents of a set of files.
struct StanCsvDraws {
  MemoryDraws draws;    ///< parameters, named and ordered as in a model; weights from weight__, else all 1
  MemoryDraws sampler;  ///< columns that end in __, named as in the files (accept_stat__, ...); lp__ if computed
  /// "name = value" comments of the first file, in their order.
  std::vector<std::pair<std::string, std::string>> settings;
  /// Sampling time of the slowest chain, from the comments at the end of the files. NaN if none of them says.
  double seconds = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> warnings;  ///< such as a file that ends within a line; its complete draws are kept
};

/// Reads files written by this program or by CmdStan. Skips warm-up draws that CmdStan saved. Throws FileError naming
/// file and line.
StanCsvDraws read_stan_csv(const std::vector<std::filesystem::path>& paths);

/// The files chain-1.csv, chain-2.csv, ... in a folder, in numerical order; for a file, that file. Throws FileError if
/// there are none, listing what the folder contains.
std::vector<std::filesystem::path> chain_files(const std::filesystem::path& folder_or_file);

}  // namespace sgmcmc
