// A Stan-language model bound to data: what the program samples from.
#pragma once

#include "data/variables.hpp"
#include "stan/check/check.hpp"
#include "stan/lowering/limits.hpp"
#include "stan/syntax/tree.hpp"

#include <sgmcmc/model.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sgmcmc::stan {

/// What became of one statement of the model block (or of a density called in another block).
struct StatementReport {
  enum class Kind : std::uint8_t { prior, likelihood, full };  ///< full: depends on data, evaluated in full every step
  Kind kind = Kind::prior;
  Span span;
  std::string reason;  ///< full: why it cannot be minibatched
};

struct BindOptions {
  std::string rows;  ///< name of the size that counts the rows; empty: found
  Precision precision = Precision::float64;
  bool minibatched = true;  ///< false: do not look for rows
  /// Arrays that only the likelihood reads are given back as they are packed into rows: the DataVariables are used up.
  bool consume_data = false;
  /// Receives what print statements say: those of transformed data when the model is bound, the others at every draw
  /// whose outputs are computed, maybe from several threads. Empty: they say nothing.
  std::function<void(const std::string&)> print;
  std::uint64_t memory_for_rows = 0;             ///< as in StanBindOptions
  const std::atomic<bool>* interrupt = nullptr;  ///< set: what the program is running ends with InterruptedError
};

/// One output of every draw beside the parameters: transformed parameters and generated quantities.
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

  const Model& model() const;
  const Source& source() const;
  std::string row_axis() const;  ///< "N"; empty: nothing is minibatched
  std::int64_t rows() const;
  const std::vector<StatementReport>& statements() const;
  /// Where there is no row axis: a size that data are declared with and that would count the rows, were it above 1.
  struct FewRows {
    std::string name;
    std::int64_t rows = 0;  ///< 0 or 1
  };
  const std::optional<FewRows>& few_rows() const;
  /// Statements of the likelihood of which a part is not in the rows' log likelihoods: what is the same for all rows is
  /// added once.
  const std::vector<Span>& likelihood_outside_rows() const;
  /// Why there is no row axis: the place and the reason, rendered; empty where there is one or no data.
  std::string why_not_minibatched() const;
  const std::vector<Warning>& warnings() const;

  const std::vector<OutputVariable>& outputs() const;  ///< transformed parameters, then generated quantities
  std::size_t output_size() const;
  /// "m.stan:4:17: reject(...)": the statements that reject where parameters have certain values.
  std::vector<std::string> rejections() const;
  /// Whether a draw makes the program run: to compute outputs, or for statements that only print or reject.
  bool runs_at_draws() const;
  /// Transformed parameters and generated quantities at a constrained draw (Model::constrained_names order), elements
  /// row-major. Each draw has its own random stream (seed, chain, draw). Not thread safe: one per thread through
  /// clone(). Where a statement cannot be run it throws, after setting all values: nan for the variables that this
  /// statement or a later one assigns to, for all of its block where it rejects, and for those that leave their
  /// constraints; these are named in `unknown` unless that is null. A LimitError is no matter
  /// of one draw.
  void evaluate_outputs(std::span<const double> constrained, std::uint64_t seed, std::uint32_t chain,
                        std::uint64_t draw, std::span<double> values, std::set<std::string>* unknown = nullptr);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Reads, parses and checks a model file. Throws StanError, or ModelError when it cannot be read.
struct ModelText {
  std::shared_ptr<const Source> source;
  std::shared_ptr<const Program> program;
  std::vector<Warning> warnings;
  std::vector<std::string> included;  ///< paths of the files that #include lines name
};
/// include: folders in which files of #include lines are looked for, after the one of the file with the line.
ModelText read_model(const std::string& path, const std::vector<std::string>& include = {});
ModelText read_model_text(std::string name, std::string text, const std::vector<std::string>& include = {});
/// What the checker and the binding to data remarked, each once.
std::vector<Warning> all_warnings(const ModelText& text, const BoundModel& bound);
/// The data the model declares: what a reader of data files is asked for.
std::vector<std::string> declared_data(const Program& program);

}  // namespace sgmcmc::stan
