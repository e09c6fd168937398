// Columns are centred before their products are summed, so that large means cost no precision.
#include "model/summed_rows.hpp"

#include "graph/differentiate.hpp"
#include "graph/node.hpp"
#include "plan/executor.hpp"

#include <Eigen/Core>

#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace sgmcmc {
namespace {

constexpr std::int64_t most_columns = 600;
constexpr std::int64_t rows_per_column = 4;  // with fewer rows, visiting them is as fast as using the sums

/// coefficient . data, or the coefficient alone if there is no data.
struct LinearTerm {
  Expression coefficient;  // global, of the shape of the data
  Expression data;         // per-row, free of parameters
};
using Linear = std::vector<LinearTerm>;

/// factor * first * second.
struct Product {
  Expression factor;
  Linear first, second;
};

/// The sum of all linear terms and products.
struct Form {
  Linear linear;
  std::vector<Product> products;
};

class Separator {
 public:
  explicit Separator(const Expression& row) {
    for (const auto& x : topological_order({row})) {
      const Node& node = x.node();
      bool has = node.op == Op::parameter || node.op == Op::row_weight;
      for (const auto& input : node.inputs) has = has || with_parameters_.contains(&input.node());
      if (has) with_parameters_.insert(&node);
    }
  }

  std::optional<Form> form_of(const Expression& x) {
    const auto known = known_.find(&x.node());
    if (known != known_.end()) return known->second;
    auto form = separated(x);
    known_[&x.node()] = form;
    return form;
  }

 private:
  bool is_data(const Expression& x) const { return !with_parameters_.contains(&x.node()); }

  static Form scaled(Form form, const Expression& by) {
    for (auto& term : form.linear) term.coefficient = term.coefficient * by;
    for (auto& product : form.products) product.factor = product.factor * by;
    return form;
  }
  static void append(Form& to, Form more) {
    to.linear.insert(to.linear.end(), more.linear.begin(), more.linear.end());
    to.products.insert(to.products.end(), more.products.begin(), more.products.end());
  }

  std::optional<Form> multiplied(const Expression& a, const Expression& b) {
    if (!a.per_row() || !b.per_row()) {
      const auto& global = a.per_row() ? b : a;
      auto form = form_of(a.per_row() ? a : b);
      return form ? std::optional(scaled(std::move(*form), global)) : std::nullopt;
    }
    auto first = form_of(a), second = form_of(b);
    if (!first || !second || !first->products.empty() || !second->products.empty()) return std::nullopt;
    for (const bool swapped : {false, true})
      if (is_data(swapped ? b : a)) {  // data times data stays data
        const auto& weight = swapped ? b : a;
        Form form = swapped ? *first : *second;
        for (auto& term : form.linear) term.data = term.data ? weight * term.data : weight;
        return form;
      }
    Form form;
    form.products.push_back({Expression(1.0), first->linear, second->linear});
    return form;
  }

  std::optional<Form> separated(const Expression& x) {
    const Node& node = x.node();
    if (!x.shape().is_scalar()) return std::nullopt;
    Form form;
    if (!x.per_row()) {
      form.linear.push_back({x, {}});
      return form;
    }
    if (is_data(x)) {
      form.linear.push_back({Expression(1.0), x});
      return form;
    }
    switch (node.op) {
      case Op::add:
      case Op::subtract: {
        auto first = form_of(node.inputs[0]), second = form_of(node.inputs[1]);
        if (!first || !second) return std::nullopt;
        form = std::move(*first);
        append(form, node.op == Op::add ? std::move(*second) : scaled(std::move(*second), Expression(-1.0)));
        return form;
      }
      case Op::negate: {
        auto inner = form_of(node.inputs[0]);
        return inner ? std::optional(scaled(std::move(*inner), Expression(-1.0))) : std::nullopt;
      }
      case Op::multiply: return multiplied(node.inputs[0], node.inputs[1]);
      case Op::divide:
        if (!node.inputs[1].per_row() || is_data(node.inputs[1]))
          return multiplied(node.inputs[0], 1.0 / node.inputs[1]);
        return std::nullopt;
      case Op::square: return multiplied(node.inputs[0], node.inputs[0]);
      case Op::reshape: return form_of(node.inputs[0]);
      case Op::dot:
        for (const bool swapped : {false, true}) {
          const auto &data = node.inputs[swapped ? 1 : 0], &global = node.inputs[swapped ? 0 : 1];
          if (!global.per_row() && is_data(data)) {
            form.linear.push_back({global, data});
            return form;
          }
        }
        return std::nullopt;
      default: return std::nullopt;
    }
  }

  std::unordered_set<const Node*> with_parameters_;
  std::unordered_map<const Node*, std::optional<Form>> known_;
};

/// The distinct data columns of a form, side by side.
class Columns {
 public:
  explicit Columns(const Form& form) {
    add(form.linear);
    for (const auto& product : form.products) {
      add(product.first);
      add(product.second);
    }
  }
  std::int64_t size() const { return size_; }
  const std::vector<Expression>& data() const { return data_; }

  /// The coefficients of all columns, and the constant term.
  struct Coefficients {
    Expression constant, each;  // each: one number per column, size() in all
  };
  Coefficients coefficients(const Linear& linear) const {
    Coefficients made{Expression(0.0), {}};
    std::vector<Expression> parts(data_.size());
    for (const auto& term : linear) {
      if (!term.data) {
        made.constant = made.constant + term.coefficient;
        continue;
      }
      auto& part = parts[place_.at(&term.data.node())];
      const std::int64_t length = term.data.shape().size();
      const auto flat = term.coefficient.shape().size() == length ? reshape(term.coefficient, Shape{length})
                                                                  : broadcast_to(term.coefficient, Shape{length});
      part = part ? part + flat : flat;
    }
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (!parts[k]) {
        const auto length = data_[k].shape().size();
        parts[k] = constant(std::vector<double>(static_cast<std::size_t>(length), 0.0));
      }
    made.each = concatenate(parts);
    return made;
  }

 private:
  void add(const Linear& linear) {
    for (const auto& term : linear) {
      if (!term.data || !place_.emplace(&term.data.node(), data_.size()).second) continue;
      data_.push_back(term.data);
      size_ += term.data.shape().size();
    }
  }

  std::vector<Expression> data_;
  std::unordered_map<const Node*, std::size_t> place_;
  std::int64_t size_ = 0;
};

/// First pass: column means. Second pass: sums of products of the centred columns.
class Moments final : public RowConsumer {
 public:
  explicit Moments(std::int64_t columns)
      : mean(Eigen::VectorXd::Zero(columns)), products(Eigen::MatrixXd::Zero(columns, columns)) {}

  void consume(std::uint32_t, std::uint32_t count, const double* values, std::int64_t stride) override {
    const Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> block(values, count, mean.size(),
                                                                           Eigen::OuterStride<>(stride));
    if (!centring_) {
      mean += block.colwise().sum().transpose();
      return;
    }
    centred_ = block.rowwise() - mean.transpose();
    products.selfadjointView<Eigen::Lower>().rankUpdate(centred_.transpose());
  }
  void mean_is_known(double rows) {
    mean /= rows;
    centring_ = true;
  }

  Eigen::VectorXd mean;
  Eigen::MatrixXd products;  // lower triangle

 private:
  bool centring_ = false;
  Eigen::MatrixXd centred_;
};

Moments moments_of(const Columns& columns, const Model& model) {
  auto executor = make_executor(std::make_shared<const Program>(compile_program(columns.data(), {})), model.data(),
                                model.dimension());
  RowBatch all;
  all.count = static_cast<std::uint32_t>(model.rows());
  Moments moments(columns.size());
  executor->run_rows(all, moments);
  moments.mean_is_known(static_cast<double>(model.rows()));
  executor->run_rows(all, moments);
  moments.products.triangularView<Eigen::StrictlyUpper>() = moments.products.transpose();
  return moments;
}

}  // namespace

std::optional<Expression> sum_rows(const Model& model) {
  const auto& row = model.row_log_likelihood();
  if (!row || !row.per_row() || model.rows() >= std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  const auto form = Separator(row).form_of(row);
  if (!form || form->products.empty()) return std::nullopt;
  const Columns columns(*form);
  if (columns.size() == 0 || columns.size() > most_columns || model.rows() < rows_per_column * columns.size())
    return std::nullopt;
  const Moments moments = moments_of(columns, model);
  if (!moments.mean.allFinite() || !moments.products.allFinite()) return std::nullopt;

  const auto count = columns.size();
  const auto mean = constant({moments.mean.data(), moments.mean.data() + count});
  const auto products =
      constant({moments.products.data(), moments.products.data() + moments.products.size()}, Shape{count, count});
  const auto rows = static_cast<double>(model.rows());
  const auto at_mean = [&](const Columns::Coefficients& c) { return c.constant + dot(c.each, mean); };
  Expression total = rows * at_mean(columns.coefficients(form->linear));
  for (const auto& product : form->products) {
    const auto first = columns.coefficients(product.first), second = columns.coefficients(product.second);
    total = total +
            product.factor * (rows * at_mean(first) * at_mean(second) + dot(first.each, matmul(products, second.each)));
  }
  return total;
}

}  // namespace sgmcmc
