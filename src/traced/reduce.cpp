// Reductions, softmax and cumulative sums: over axes within a row, the result is per row; over the rows, only sums are
// allowed.
#include "traced/lowering.hpp"

#include <algorithm>

namespace sgmcmc::traced {
namespace {

enum class Reduction : std::uint8_t { sum, mean, max, min, log_sum_exp };

Expression over_axis(Reduction how, const Expression& x, std::size_t axis) {
  const auto at = static_cast<std::int64_t>(axis);
  switch (how) {
    case Reduction::max: return maximum(x, at);
    case Reduction::min: return -maximum(-x, at);
    case Reduction::log_sum_exp: return log_sum_exp(x, at);
    default: return sum(x, at);
  }
}

/// axes ascend. keep: axes stay, with size 1.
Expression over_axes(Reduction how, Expression x, const std::vector<std::size_t>& axes, bool keep) {
  std::int64_t count = 1;
  auto dims = x.shape().dims();
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    count *= dims[*axis];
    if (keep)
      dims[*axis] = 1;
    else
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  if (!axes.empty() && axes.size() == x.shape().rank()) {
    const bool adds = how == Reduction::sum || how == Reduction::mean;
    if (adds)
      x = sum(x);
    else
      x = how == Reduction::max ? maximum(x) : how == Reduction::min ? minimum(x) : log_sum_exp(x);
  } else {
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) x = over_axis(how, x, *axis);
  }
  if (how == Reduction::mean && count != 1) x = x / static_cast<double>(count);
  return x.shape() == Shape(dims) ? x : reshape(x, Shape(dims));
}

/// integers: keep (0 or 1), then the axes; none: all of them.
template <Reduction how>
Value reduce(Lowering& lowering, const TracedNode& node, const Operands& operands) {
  const Value& x = operands[0];
  const bool keep = !node.integers.empty() && node.integers.front() != 0;
  std::vector<std::size_t> axes;
  for (std::size_t k = 1; k < node.integers.size(); ++k) axes.push_back(axis_of(node.integers[k], x.rank(), node.call));
  if (node.integers.size() < 2)
    for (std::size_t axis = 0; axis < x.rank(); ++axis) axes.push_back(axis);
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  constexpr bool adds = how == Reduction::sum || how == Reduction::mean;
  if (x.is_global()) return Value::of_all(over_axes(how, x.global, axes, keep));
  if (x.is_summed()) {
    if (!adds && x.row.shape().size() != 1) refuse(node.call, sum_misused);
    const auto part = [&](const Expression& e) { return e ? over_axes(how, e, axes, keep) : e; };
    return Value::sum_of(part(x.row), part(x.global));
  }
  const bool over_rows = std::find(axes.begin(), axes.end(), x.row_axis) != axes.end();
  if (over_rows && !adds)
    refuse(node.call,
           "it would depend on which rows share a minibatch: over the rows there are sums and means only; name other "
           "axes by `axis`");
  std::vector<std::size_t> own;
  for (const std::size_t axis : axes)
    if (axis != x.row_axis) own.push_back(axis > x.row_axis ? axis - 1 : axis);
  Expression made = over_axes(how, x.row, own, keep);
  if (!over_rows) {
    const auto before = static_cast<std::size_t>(
        std::count_if(axes.begin(), axes.end(), [&](std::size_t axis) { return axis < x.row_axis; }));
    return Value::of_row(made, keep ? x.row_axis : x.row_axis - before);
  }
  if (keep) made = reshape(made, with_axis(made.shape(), x.row_axis, 1));
  if (how == Reduction::mean) {
    lowering.warn(node, "the mean over the rows of a minibatch is used: the likelihood counts 1 / " +
                            std::to_string(lowering.batch_rows()) + " of its sum, tf$reduce_sum");
    made = made / static_cast<double>(lowering.batch_rows());
  }
  return Value::sum_of(made);
}

/// integers: the axis; none: the last.
template <Expression (*function)(const Expression&)>
Value along(Lowering&, const TracedNode& node, const Operands& operands) {
  const Value& x = operands[0];
  if (x.is_summed()) refuse(node.call, sum_misused);
  const std::size_t axis = axis_of(node.integers.empty() ? -1 : node.integers.front(), x.rank(), node.call);
  if (x.is_per_row() && axis == x.row_axis)
    refuse(node.call,
           "it goes along the rows of the minibatch, and would depend on which rows share one; name another axis by "
           "`axis`");
  const std::size_t own = x.is_per_row() && axis > x.row_axis ? axis - 1 : axis;
  const Expression made = moved_back(function(moved_last(x.own(), own)), own);
  return x.is_global() ? Value::of_all(made) : Value::of_row(made, x.row_axis);
}

}  // namespace

const std::vector<NamedRule> reduction_rules = {
    {"reduce_sum", &reduce<Reduction::sum>},
    {"reduce_mean", &reduce<Reduction::mean>},
    {"reduce_max", &reduce<Reduction::max>},
    {"reduce_min", &reduce<Reduction::min>},
    {"reduce_logsumexp", &reduce<Reduction::log_sum_exp>},
    {"softmax", &along<softmax>},
    {"log_softmax", &along<log_softmax>},
    {"cumsum", &along<cumulative_sum>},
};

}  // namespace sgmcmc::traced
