// Models in the Stan language: read and checked, then bound to data.
#pragma once

#include <sgmcmc/dataset.hpp>
#include <sgmcmc/model.hpp>
#include <sgmcmc/shape.hpp>
#include <sgmcmc/subposterior.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sgmcmc {

namespace stan {
class BoundModel;
struct ModelText;
}  // namespace stan
class PassMeter;  // src/data/pass_meter.hpp
struct RowShare;  // src/ranks/row_shards.hpp

/// The data of a model, from files, arrays, or both. Copies share the arrays.
class StanData {
 public:
  StanData();

  /// Adds a file, which is read when a model is bound. The argument is one of
  ///   FILE               JSON: its keys; CSV with a header: its columns; LIBSVM: X and y
  ///   NAME=FILE          the whole file as one variable: NPY, IDX, CSV, LIBSVM (its features), JSON
  ///   NAME=FILE:COLUMNS  columns of a CSV file, `a,b,c` or `a..b`
  /// Files may be compressed with gzip, zstd or xz.
  StanData& file(std::string argument);

  // Copies the values, row-major. Throw DataError for a duplicate name and for a wrong number of values.
  StanData& real(const std::string& name, double value);
  StanData& real(const std::string& name, std::span<const double> values);
  StanData& real(const std::string& name, std::span<const double> values, const Shape& shape);
  /// Reads the values in place instead of copying; `owner` keeps them alive as long as a model is bound to them.
  /// Single-precision rows stay in single precision.
  StanData& lend(const std::string& name, std::span<const double> values, const Shape& shape,
                 std::shared_ptr<const void> owner);
  StanData& lend(const std::string& name, std::span<const float> values, const Shape& shape,
                 std::shared_ptr<const void> owner);
  StanData& integer(const std::string& name, std::int32_t value);
  StanData& integer(const std::string& name, std::span<const std::int32_t> values);
  StanData& integer(const std::string& name, std::span<const std::int32_t> values, const Shape& shape);

  /// A sparse real matrix in compressed-row form: row r has the entries [row_start[r], row_start[r + 1]); column
  /// indices start at 0 and must increase within a row, else throws DataError.
  StanData& sparse(const std::string& name, std::int64_t columns, std::span<const std::int64_t> row_start,
                   std::span<const std::int32_t> column, std::span<const double> values);

  const std::vector<std::string>& files() const;

 private:
  friend class StanModel;
  struct Parts;
  Parts& own();  // not shared with a copy
  std::shared_ptr<const Parts> parts_;
};

struct StanBindOptions {
  std::string rows;  ///< name of the size that counts the rows to minibatch; empty: found from the model
  Precision precision = Precision::float64;  ///< of stored data and of arithmetic
  bool keep_outcomes = false;  ///< copy the data on the left-hand side of sampling statements: see outcomes()
  /// Receives the text of print statements: those of transformed data when the model is bound, the others at every draw
  /// whose outputs are computed, possibly from several threads. Empty: discards the text.
  std::function<void(const std::string&)> print;
  const std::atomic<bool>* interrupt =
      nullptr;      ///< when set, a running program ends with an Error; must outlive the model
  int threads = 0;  ///< for reading files; 0: all processors
  /// Memory for the rows of mapped files, in bytes: pages beyond it are released, and read again when needed. 0: no
  /// limit.
  std::uint64_t memory_for_rows = 0;
  /// Set if several processes share the sums over rows: this one then reads and checks only its share of the rows of
  /// mapped files, unless it is asked for others. Null: all rows.
  std::shared_ptr<const RowShare> share;
  std::shared_ptr<PassMeter> meter;  ///< counts how much of a row file has been verified; may be null
};

struct StanVariable {
  std::string name;
  Shape shape;
};

struct StanValues {
  std::string name;
  Shape shape;
  std::vector<double> values;  ///< row-major
  bool integer = false;
};

/// A model bound to data: a log posterior, and the outputs computed from each draw. Copies share everything.
class StanPosterior {
 public:
  const Model& model() const;       ///< parameters and their constraints, prior, likelihood of a row
  const std::string& name() const;  ///< of the model
  std::string row_axis() const;     ///< "N": the size that counts the rows; empty: nothing is minibatched
  std::int64_t rows() const;
  std::string why_not_minibatched() const;  ///< place and reason; empty if there is a row axis, or no data
  Precision precision() const;

  std::vector<StanVariable> outputs() const;      ///< transformed parameters, then generated quantities
  std::vector<std::string> output_names() const;  ///< of their elements: "y_sim[1]", ...
  /// Outputs at a draw, in the order of output_names(). constrained: as Model::constrained_names() orders them. The
  /// random numbers of generated quantities depend on (seed, chain, draw) alone. Throws if a statement fails.
  std::vector<double> outputs_at(std::span<const double> constrained, std::uint64_t seed = 1, std::uint32_t chain = 0,
                                 std::uint64_t draw = 0) const;

  std::vector<std::string> warnings() const;        ///< of the model and its data: place, message and advice
  const std::vector<StanValues>& outcomes() const;  ///< those with less than a million values, if keep_outcomes was set
  const std::vector<std::string>& data_files() const;  ///< as given to StanData::file()

  /// The posterior given a part of the rows; returns itself if it is that part already. Throws OptionError if the model
  /// has no row axis, or if this is a different part.
  StanPosterior subposterior(const Subposterior& which) const;
  const std::optional<Subposterior>& part() const;  ///< empty: the posterior given all rows

  stan::BoundModel& bound() const;  ///< for the library

 private:
  friend class StanModel;
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

/// A parsed and checked model. Copies share everything.
class StanModel {
 public:
  /// include: folders to search for #include files, after the folder of the including file. Throw ModelError with the
  /// place of the error, the line, and what to do.
  static StanModel from_file(const std::string& path, const std::vector<std::string>& include = {});
  static StanModel from_text(std::string text, std::string name = "model.stan",
                             const std::vector<std::string>& include = {});

  const std::string& name() const;              ///< path, or the name given
  std::vector<std::string> data_names() const;  ///< variables of the data block
  std::vector<std::string> warnings() const;    ///< place, message and advice

  /// Reads the data and binds the model to them. Throws DataError if data are missing or do not match their
  /// declarations.
  StanPosterior bind(const StanData& data = {}, const StanBindOptions& options = {}) const;

  const stan::ModelText& text() const;  ///< for the library

 private:
  explicit StanModel(stan::ModelText text, std::string name);
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace sgmcmc
