// Finds products with data columns in the graph of a gradient, element by element. A product is a scalar times a column
// or, for vector predictors (one element per class, say), an outer product with its elements in any order.
#include "model/factored_rows.hpp"

#include "graph/node.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace sgmcmc {
namespace {

constexpr std::int64_t longest_predictor = 64;

struct Slope {
  Expression value;              // of one element
  const Node* vector = nullptr;  // the vector that contains this element
  bool times_data = false;
};

struct Element {
  static constexpr std::int64_t alone = -1;
  std::int64_t slope = -1;    // -1: the element is 0
  std::int64_t data = alone;  // position in the column; alone: the slope is not multiplied by data
};

struct Factors {
  std::vector<Slope> slopes;
  std::vector<Element> elements;
  std::string column;  // empty: no data column found yet
};

bool is_scalar(const Expression& x) { return x.shape().size() == 1; }

std::optional<Factors> factors_of(const Expression& x);

/// Treats every element of x as a slope that is not multiplied by data.
std::optional<Factors> slopes_alone(const Expression& x) {
  const std::int64_t size = x.shape().size();
  if (size > longest_predictor || !x.per_row()) return std::nullopt;
  Factors made;
  for (std::int64_t k = 0; k < size; ++k) {
    made.slopes.push_back({take(x, {k}, Shape{}), &x.node()});
    made.elements.push_back({k, Element::alone});
  }
  return made;
}

template <class Change>
std::optional<Factors> with_slopes(std::optional<Factors> factors, Change&& change) {
  if (factors)
    for (Slope& slope : factors->slopes) slope.value = change(slope.value);
  return factors;
}

std::optional<Factors> product(const Expression& a, const Expression& b) {
  for (const auto& [scalar, array] : {std::pair(a, b), std::pair(b, a)})
    if (is_scalar(scalar) && !is_scalar(array))
      return with_slopes(factors_of(array), [&, factor = scalar](const Expression& s) { return factor * s; });
  return std::nullopt;
}

/// The outer product a b', where one factor holds slopes and the other holds data.
std::optional<Factors> outer_product(const Expression& a, const Expression& b) {
  const auto left = factors_of(a), right = factors_of(b);
  if (!left || !right || left->column.empty() == right->column.empty()) return std::nullopt;
  const Factors& data = left->column.empty() ? *right : *left;
  const Factors& slopes = left->column.empty() ? *left : *right;
  if (data.slopes.size() != 1) return std::nullopt;
  Factors made;
  made.column = data.column;
  for (const Slope& slope : slopes.slopes)
    made.slopes.push_back({slope.value * data.slopes[0].value, slope.vector, true});
  for (const Element& row : left->elements)
    for (const Element& column : right->elements) {
      const Element& slope = &slopes == &*left ? row : column;
      const Element& value = &slopes == &*left ? column : row;
      made.elements.push_back(slope.slope < 0 || value.slope < 0 ? Element{} : Element{slope.slope, value.data});
    }
  return made;
}

std::optional<Factors> arranged(std::optional<Factors> factors, const Node& node) {
  if (!factors) return std::nullopt;
  const auto& positions = *node.attributes.positions;
  std::vector<Element> elements(static_cast<std::size_t>(node.shape.size()));
  for (std::size_t j = 0; j < positions.size(); ++j) {
    if (positions[j] < 0) continue;
    const auto at = static_cast<std::size_t>(positions[j]);
    if (node.op == Op::take) {
      elements[j] = factors->elements[at];
    } else {
      if (elements[at].slope >= 0) return std::nullopt;  // two elements are added here
      elements[at] = factors->elements[j];
    }
  }
  factors->elements = std::move(elements);
  return factors;
}

/// a + b or a - b, where both are multiples of the same data column.
std::optional<Factors> sum_of(const Expression& x) {
  const auto a = factors_of(x.node().inputs[0]);
  const auto b = a ? factors_of(x.node().inputs[1]) : std::nullopt;
  if (!b || a->column.empty() || a->column != b->column || a->elements.size() != b->elements.size())
    return std::nullopt;
  Factors made;
  made.column = a->column;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> pairs;
  for (std::size_t j = 0; j < a->elements.size(); ++j) {
    const Element &one = a->elements[j], &other = b->elements[j];
    if (one.slope < 0 || other.slope < 0 || one.data != other.data) return std::nullopt;
    const auto [found, is_new] =
        pairs.emplace(std::pair(one.slope, other.slope), static_cast<std::int64_t>(made.slopes.size()));
    if (is_new) {
      const Expression &s = a->slopes[static_cast<std::size_t>(one.slope)].value,
                       &t = b->slopes[static_cast<std::size_t>(other.slope)].value;
      made.slopes.push_back({x.node().op == Op::add ? s + t : s - t, nullptr, true});
    }
    made.elements.push_back({found->second, one.data});
  }
  return made;
}

std::optional<Factors> factors_of(const Expression& x) {
  const Node& node = x.node();
  std::optional<Factors> found;
  switch (node.op) {
    case Op::row_real: {
      Factors made;
      made.slopes.push_back({Expression(1.0), nullptr, true});
      made.column = node.attributes.name;
      for (std::int64_t c = 0; c < x.shape().size(); ++c) made.elements.push_back({0, c});
      return made;
    }
    case Op::negate: return with_slopes(factors_of(node.inputs[0]), [](const Expression& s) { return -s; });
    case Op::multiply: found = product(node.inputs[0], node.inputs[1]); break;
    case Op::outer: found = outer_product(node.inputs[0], node.inputs[1]); break;
    case Op::reshape: return factors_of(node.inputs[0]);
    case Op::take:
    case Op::scatter: return arranged(factors_of(node.inputs[0]), node);
    case Op::add:
    case Op::subtract: found = sum_of(x); break;
    default: break;
  }
  return found ? found : slopes_alone(x);
}

/// Adds one part for each slope. Returns false unless each part uses the whole column in order, at evenly spaced
/// coordinates.
bool add_parts(const Factors& factors, std::int64_t offset, FactoredRows& rows) {
  std::vector<FactoredRows::Part> parts(factors.slopes.size());
  std::vector<std::int64_t> next(parts.size(), 0);
  for (std::size_t j = 0; j < factors.elements.size(); ++j) {
    const Element& element = factors.elements[j];
    if (element.slope < 0) continue;
    const auto s = static_cast<std::size_t>(element.slope);
    auto& part = parts[s];
    const auto coordinate = offset + static_cast<std::int64_t>(j);
    if (next[s] == 0) {
      if (element.data != Element::alone) part.column = factors.column;
      part.first = coordinate;
    } else if (next[s] == 1) {
      part.stride = coordinate - part.first;
    }
    const bool in_order = part.column.empty() ? next[s] == 0 : element.data == next[s];
    if (!in_order || coordinate != part.first + next[s] * part.stride) return false;
    part.size = ++next[s];
  }
  for (std::size_t s = 0; s < parts.size(); ++s) {
    if (next[s] == 0) continue;  // this slope appears in no element of the gradient
    rows.parts.push_back(parts[s]);
    rows.slopes.push_back(factors.slopes[s].value);
  }
  return true;
}

std::optional<Factors> factors_of_gradient(const Expression& gradient) {
  if (is_scalar(gradient)) return Factors{{{gradient, nullptr, true}}, {{0, Element::alone}}, {}};
  return factors_of(gradient);
}

}  // namespace

std::optional<FactoredRows> factor_rows(const std::vector<Expression>& gradients,
                                        const std::vector<std::int64_t>& offsets) {
  std::vector<Factors> all;
  std::set<const Node*> predictors;
  for (const auto& gradient : gradients) {
    auto factors = factors_of_gradient(gradient);
    if (!factors) return std::nullopt;
    for (const Slope& slope : factors->slopes)
      if (slope.times_data) predictors.insert(slope.vector);
    all.push_back(std::move(*factors));
  }
  FactoredRows rows;
  for (std::size_t g = 0; g < all.size(); ++g) {
    // A vector of slopes without data is the intercept of a predictor that also has data. Any other vector does not
    // factor.
    for (const Slope& slope : all[g].slopes)
      if (!slope.times_data && !predictors.contains(slope.vector)) return std::nullopt;
    if (!add_parts(all[g], offsets[g], rows)) return std::nullopt;
  }
  return rows;
}

std::optional<FactoredRows> factor_gradient(const Expression& gradient, std::int64_t offset) {
  const auto factors = factors_of_gradient(gradient);
  FactoredRows rows;
  if (!factors || !add_parts(*factors, offset, rows)) return std::nullopt;
  return rows;
}

}  // namespace sgmcmc
