// A Stan-language model bound to data.
#pragma once

#include "data/variables.hpp"
#include "ranks/row_shards.hpp"
#include "stan/check/check.hpp"
#include "stan/lowering/limits.hpp"
#include "stan/syntax/tree.hpp"

#include <sgmcmc/model.hpp>
#include <sgmcmc/subposterior.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sgmcmc::stan {

/// The classification of one statement of the model block (or of a density called in another block).
struct StatementReport {
  enum class Kind : std::uint8_t {
    prior,
    likelihood,
    full
  };  ///< full: depends on data and is evaluated in full at every step
  Kind kind = Kind::prior;
  Span span;
  std::string reason;  ///< full: why it cannot be minibatched
};

struct BindOptions {
  std::string rows;  ///< name of the size that counts the rows; empty: found
  Precision precision = Precision::float64;
  bool minibatched = true;  ///< false: no row axis
  /// Frees arrays that only the likelihood reads as they are packed into rows: consumes the DataVariables.
  bool consume_data = false;
  /// Receives the text of print statements: those of transformed data when the model is bound, the others at every draw
  /// whose outputs are computed, possibly concurrently. Empty: discards the text.
  std::function<void(const std::string&)> print;
  std::uint64_t memory_for_rows = 0;             ///< as in StanBindOptions
  std::shared_ptr<const RowShare> share;         ///< likewise
  const std::atomic<bool>* interrupt = nullptr;  ///< when set, a running program ends with InterruptedError
};

/// An output at every draw: a transformed parameter or generated quantity.
struct OutputVariable {
  std::string name;
  Shape shape;
  bool matrix = false;  ///< last two axes are a matrix: written column by column
};

/// A program bound to data.
class BoundModel {
 public:
  BoundModel(std::shared_ptr<const Source> source, std::shared_ptr<const Program> program, const DataVariables& data,
             const BindOptions& options);
  ~BoundModel();
  /// The same program with the posterior of a part of the rows. Outputs are those of all data. Throws OptionError.
  std::unique_ptr<BoundModel> subposterior(const Subposterior& which) const;

  const Model& model() const;
  const Source& source() const;
  std::string row_axis() const;  ///< "N"; empty: nothing is minibatched
  std::int64_t rows() const;
  const std::vector<StatementReport>& statements() const;
  /// If there is no row axis: a size that would count the rows if it were above 1.
  struct FewRows {
    std::string name;
    std::int64_t rows = 0;  ///< 0 or 1
  };
  const std::optional<FewRows>& few_rows() const;
  /// Statements of the likelihood with a part outside the rows' log likelihoods: terms equal for all rows are added
  /// once.
  const std::vector<Span>& likelihood_outside_rows() const;
  /// Why there is no row axis: place and reason, formatted; empty if there is one, or no data.
  std::string why_not_minibatched() const;
  const std::vector<Warning>& warnings() const;
  bool has_random_data() const;  ///< transformed data draw random numbers

  const std::vector<OutputVariable>& outputs() const;  ///< transformed parameters, then generated quantities
  std::size_t output_size() const;
  /// "m.stan:4:17: reject(...)": statements that reject under conditions on parameters.
  std::vector<std::string> rejections() const;
  /// Whether the program must run at every draw: to compute outputs, or to print or reject.
  bool runs_at_draws() const;
  /// Transformed parameters and generated quantities at a constrained draw (Model::constrained_names order), elements
  /// row-major. Each draw has its own random stream (seed, chain, draw). Not thread safe: one per thread through
  /// clone(). If a statement fails, throws after setting all values: NaN for variables assigned by this or a later
  /// statement, for the whole block if it rejects, and for variables that violate their constraints; `unknown`, if not
  /// null, receives their names. A LimitError is not specific to one draw.
  void evaluate_outputs(std::span<const double> constrained, std::uint64_t seed, std::uint32_t chain,
                        std::uint64_t draw, std::span<double> values, std::set<std::string>* unknown = nullptr);

 private:
  struct Parts;
  explicit BoundModel(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// Reads, parses and checks a model file. Throws StanError, or ModelError when it cannot be read.
struct ModelText {
  std::shared_ptr<const Source> source;
  std::shared_ptr<const Program> program;
  std::vector<Warning> warnings;
  std::vector<std::string> included;  ///< paths of the files that #include lines name
};
/// include: folders to search for #include files, after the folder of the including file.
ModelText read_model(const std::string& path, const std::vector<std::string>& include = {});
ModelText read_model_text(std::string name, std::string text, const std::vector<std::string>& include = {});
/// Warnings of the checker and of binding, without duplicates.
std::vector<Warning> all_warnings(const ModelText& text, const BoundModel& bound);
/// The data variables that the model declares, for readers of data files.
std::vector<std::string> declared_data(const Program& program);

}  // namespace sgmcmc::stan
