// The compiled programs of a model, which estimators run. Compiled on first use and shared by all chains.
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
  whole_value_and_gradient,  ///< the same for all rows without visiting any; requires has_summed_rows()
  whole_gradient,            ///< gradient of the same
  difference,                ///< gradient at current minus gradient at centre, each row visited once
  prior_gradient,            ///< gradient of prior + Jacobians only
  row_gradients,             ///< per row: g_i
  row_gradient_differences,  ///< per row: g_i(current) - g_i(centre)
  hessian_vector,            ///< Hessian of the log posterior times direction
  row_log_likelihoods,       ///< per row: log p_i
  constrained,               ///< the parameters on the constrained scale
  pullback,                  ///< maps a gradient in constrained values (appended to the current point) to coordinates
};

class LogPosterior {
 public:
  explicit LogPosterior(Model model, PlanOptions options = {});

  const Model& model() const { return model_; }
  std::int64_t dimension() const { return model_.dimension(); }
  std::int64_t rows() const { return model_.rows(); }

  std::shared_ptr<const Program> program(ProgramKind kind) const;
  std::unique_ptr<Executor> executor(ProgramKind kind, const ExecutorOptions& options) const;
  /// Like executor(), but leaves out a likelihood that the caller computes.
  std::unique_ptr<Executor> planned_executor(ProgramKind kind, const ExecutorOptions& options) const;

  /// The row gradients (or their differences) as scalars times data; empty if they do not factor.
  std::optional<FactoredRows> factored_rows(ProgramKind kind) const;

  /// Whether sums over all rows can be precomputed (see summed_rows.hpp). The first call computes them.
  bool has_summed_rows() const;
  /// An executor for all rows at weight 1, which uses the precomputed sums if there are any. Run it on whole_batch().
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
