// Builds the output expressions of each program of a model.
#include "model/log_posterior.hpp"

#include "graph/build.hpp"
#include "graph/differentiate.hpp"
#include "graph/leaves.hpp"
#include "model/given_rows.hpp"
#include "model/summed_rows.hpp"

#include <sgmcmc/error.hpp>

namespace sgmcmc {
namespace {

/// The parameter leaves of one point that the expressions reach, by offset.
std::map<std::int64_t, Expression> leaves_of(const std::vector<Expression>& expressions, Point point) {
  std::map<std::int64_t, Expression> leaves;
  for (const auto& x : topological_order(expressions))
    if (x.node().op == Op::parameter && x.node().attributes.point == point) leaves[x.node().attributes.offset] = x;
  return leaves;
}

}  // namespace

LogPosterior::LogPosterior(Model model, PlanOptions options) : model_(std::move(model)), options_(std::move(options)) {
  if (model_.dimension() == 0) throw ModelError("the model has no parameters; declare at least one with parameter()");
  if (!model_.log_prior() && !model_.row_log_likelihood())
    throw ModelError("the model has neither prior nor likelihood; nothing to sample from");
}

std::vector<Expression> LogPosterior::outputs(ProgramKind kind) const {
  if (kind == ProgramKind::constrained) {
    std::vector<Expression> values;
    for (const auto& info : model_.parameters()) values.push_back(info.value);
    return values;
  }

  Expression prior;
  for (const auto& part : {model_.log_prior(), model_.log_jacobian()})
    if (part) prior = prior ? prior + part : part;
  const Expression row = model_.given_likelihood() ? Expression() : model_.row_log_likelihood();
  if (kind == ProgramKind::row_log_likelihoods) return {row ? row : Expression(0.0)};

  Expression total = prior;
  const bool rows_only = kind == ProgramKind::row_gradients || kind == ProgramKind::row_gradient_differences;
  if (row && kind != ProgramKind::prior_gradient) {
    const bool whole = kind == ProgramKind::whole_gradient || kind == ProgramKind::whole_value_and_gradient;
    auto weighted = whole ? summed_rows_.value() : row_sum(row_weight() * row);
    total = total ? total + weighted : weighted;
  }
  if (kind == ProgramKind::pullback) {
    total = Expression();
    std::int64_t offset = model_.dimension();
    for (const auto& info : model_.parameters()) {
      const auto term = sum(info.value * parameter_leaf("gradient by " + info.name, info.shape, offset));
      total = total ? total + term : term;
      offset += info.shape.size();
    }
  }
  if (!total) total = Expression(0.0);

  // One leaf per parameter, in order. Parameters that the log density does not depend on have zero gradient.
  auto reached = leaves_of({total}, Point::current);
  std::vector<Expression> leaves;
  for (const auto& info : model_.parameters()) {
    if (info.unconstrained_size == 0) continue;
    auto found = reached.find(info.offset);
    leaves.push_back(found != reached.end() ? found->second
                                            : parameter_leaf(info.name, Shape{info.unconstrained_size}, info.offset));
  }

  DifferentiateOptions options;
  options.per_row = rows_only;
  Expression function = rows_only ? (row ? row : Expression(0.0)) : total;
  if (kind == ProgramKind::difference || kind == ProgramKind::row_gradient_differences) {
    // Prior and row are moved to the centre together, so that values they share at the current point stay shared at the
    // centre. The difference is then exactly zero when the points coincide.
    const auto centre = at_point({prior, row}, Point::centre);
    if (rows_only) {
      if (row) function = row - centre[1];
    } else {
      // The difference is taken inside the sum over rows, so that each row is visited once for both points.
      Expression parts;
      if (prior) parts = prior - centre[0];
      if (row) {
        auto rows = row_sum(row_weight() * (row - centre[1]));
        parts = parts ? parts + rows : rows;
      }
      function = parts ? parts : Expression(0.0);
    }
    std::map<std::int64_t, Expression> current_by_offset;
    for (const auto& leaf : leaves) current_by_offset[leaf.node().attributes.offset] = leaf;
    for (const auto& x : topological_order({function}))
      if (x.node().op == Op::parameter && x.node().attributes.point == Point::centre)
        options.redirect.emplace_back(x, current_by_offset.at(x.node().attributes.offset));
  }

  auto gradients = differentiate(function, leaves, options);
  if (kind == ProgramKind::hessian_vector) {
    Expression product;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      auto direction =
          parameter_leaf("direction", leaves[i].shape(), leaves[i].node().attributes.offset, Point::direction);
      auto term = sum(gradients[i] * direction);
      product = product ? product + term : term;
    }
    return differentiate(product, leaves);
  }
  if (kind == ProgramKind::value_and_gradient || kind == ProgramKind::whole_value_and_gradient)
    gradients.insert(gradients.begin(), total);
  return gradients;
}

std::shared_ptr<const Program> LogPosterior::program(ProgramKind kind) const {
  std::lock_guard lock(mutex_);
  auto& made = programs_[kind];
  if (!made) made = std::make_shared<const Program>(compile_program(outputs(kind), options_));
  return made;
}

std::unique_ptr<Executor> LogPosterior::executor(ProgramKind kind, const ExecutorOptions& options) const {
  const bool of_rows = kind != ProgramKind::prior_gradient && kind != ProgramKind::constrained;
  if (model_.given_likelihood() && of_rows) return make_given_executor(*this, kind, options);
  return planned_executor(kind, options);
}

std::unique_ptr<Executor> LogPosterior::planned_executor(ProgramKind kind, const ExecutorOptions& options) const {
  auto with_tile = options;
  if (with_tile.tile_rows == 0) with_tile.tile_rows = options_.tile_rows;
  std::int64_t dimension = model_.dimension();
  if (kind == ProgramKind::pullback)
    for (const auto& info : model_.parameters()) dimension += info.shape.size();
  return make_executor(program(kind), model_.data(), dimension, with_tile);
}

std::optional<FactoredRows> LogPosterior::factored_rows(ProgramKind kind) const {
  if (model_.given_likelihood()) return std::nullopt;
  std::vector<std::int64_t> offsets;
  for (const auto& info : model_.parameters())
    if (info.unconstrained_size > 0) offsets.push_back(info.offset);
  auto rows = factor_rows(outputs(kind), offsets);
  if (rows) rows->program = std::make_shared<const Program>(compile_program(rows->slopes, options_));
  return rows;
}

bool LogPosterior::has_summed_rows() const {
  std::call_once(rows_summed_, [&] { summed_rows_ = sum_rows(model_); });
  return summed_rows_.has_value();
}

std::unique_ptr<Executor> LogPosterior::whole_executor(ProgramKind kind, const ExecutorOptions& options) const {
  if (!has_summed_rows()) return executor(kind, options);
  return executor(kind == ProgramKind::gradient ? ProgramKind::whole_gradient : ProgramKind::whole_value_and_gradient,
                  {Precision::float64, 0, nullptr});
}

RowBatch LogPosterior::all_rows() const {
  RowBatch batch;
  batch.count = static_cast<std::uint32_t>(model_.rows());
  return batch;
}

}  // namespace sgmcmc
