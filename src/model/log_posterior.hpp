// The programs of a model: what estimators run. Made on first use and shared by all chains.
#pragma once

#include "model/factored_rows.hpp"
#include "plan/executor.hpp"
#include "plan/program.hpp"

#include <sgmcmc/model.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace sgmcmc {

/// What a program computes. w_i is the row weight of the batch; g_i the gradient of row i's log likelihood.
enum class ProgramKind : std::uint8_t {
  value_and_gradient,        ///< [log posterior, its gradient]: prior + Jacobians + sum w_i log p_i
  gradient,                  ///< gradient of the same
  whole_value_and_gradient,  ///< value_and_gradient of all rows, none of them visited: where has_summed_rows()
  whole_gradient,            ///< likewise
  difference,                ///< gradient at current minus gradient at centre, each row visited once
  prior_gradient,            ///< gradient of prior + Jacobians only
  row_gradients,             ///< per row: g_i
  row_gradient_differences,  ///< per row: g_i(current) - g_i(centre)
  hessian_vector,            ///< Hessian of the log posterior times direction
  row_log_likelihoods,       ///< per row: log p_i
  constrained,               ///< the parameters on the constrained scale
  pullback,  ///< a gradient by constrained values, which follow the coordinates in the current point, by coordinates
};

class LogPosterior {
 public:
  explicit LogPosterior(Model model, PlanOptions options = {});

  const Model& model() const { return model_; }
  std::int64_t dimension() const { return model_.dimension(); }
  std::int64_t rows() const { return model_.rows(); }

  std::shared_ptr<const Program> program(ProgramKind kind) const;
  std::unique_ptr<Executor> executor(ProgramKind kind, const ExecutorOptions& options) const;
  /// Without a likelihood that the caller computes: the same otherwise.
  std::unique_ptr<Executor> planned_executor(ProgramKind kind, const ExecutorOptions& options) const;

  /// The gradients of rows, or their differences, where they are numbers times data; else nothing.
  std::optional<FactoredRows> factored_rows(ProgramKind kind) const;

  /// Whether sums over all rows are known once and for all: see summed_rows.hpp. Finds out when first asked.
  bool has_summed_rows() const;
  /// For all rows at weight 1, from these sums where they are known. Runs on whole_batch().
  std::unique_ptr<Executor> whole_executor(ProgramKind kind, const ExecutorOptions& options) const;
  RowBatch whole_batch() const { return has_summed_rows() ? RowBatch{} : all_rows(); }

  /// All rows, weight 1.
  RowBatch all_rows() const;

 private:
  std::vector<Expression> outputs(ProgramKind kind) const;

  Model model_;
  PlanOptions options_;
  mutable std::mutex mutex_;
  mutable std::map<ProgramKind, std::shared_ptr<const Program>> programs_;
  mutable std::once_flag rows_summed_;
  mutable std::optional<Expression> summed_rows_;
};

}  // namespace sgmcmc
