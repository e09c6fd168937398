// Compares likelihoods before and after an exchange of elements or signs: of some rows first, and of all rows before a
// symmetry is claimed, because elements that the selected rows do not use can be exchanged without effect on these. A
// symmetry of the model leaves the likelihood of every row the same; data of two groups with as many rows and successes
// in each leave only the sum the same. So the rows are weighted unequally when all of them are compared.
#include "judge/exchangeable.hpp"

#include "mode/some_rows.hpp"
#include "model/constrained_values.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

constexpr double rows_compared = 200;
constexpr double same = 1e-9;                    // relative to the likelihood of the selected rows
constexpr double same_of_all = 1e-11;            // the same for all rows, of which few may use an element
constexpr double rounding_of_gradients = 1e-12;  // of the gradient of the prior, in that of the likelihood
constexpr double all_rows = std::numeric_limits<double>::infinity();

using Values = std::map<std::string, std::vector<double>>;

Values values_by_name(const LogPosterior& posterior, std::span<const double> position) {
  const auto all = constrained_values(posterior, position);
  Values values;
  auto next = all.begin();
  for (const auto& info : posterior.model().parameters()) {
    const auto size = static_cast<std::ptrdiff_t>(info.shape.size());
    values[info.name].assign(next, next + size);
    next += size;
  }
  return values;
}

/// Calls the function with the positions of each pair of elements that are first and second along an axis of a shape.
template <class Visit>
void visit_first_two(const Shape& shape, std::size_t axis, Visit visit) {
  std::size_t inner = 1, outer = 1;
  for (std::size_t k = 0; k < axis; ++k) outer *= static_cast<std::size_t>(shape[k]);
  for (std::size_t k = axis + 1; k < shape.rank(); ++k) inner *= static_cast<std::size_t>(shape[k]);
  const std::size_t step = inner * static_cast<std::size_t>(shape[axis]);
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) visit(o * step + i, o * step + inner + i);
}

enum class Change { exchange, signs };

/// Exchanges along every axis of this size, in all parameters; returns the names of those that have one.
std::vector<std::string> change(const Model& model, std::int64_t size, Change how, Values& values) {
  std::vector<std::string> names;
  for (const auto& info : model.parameters()) {
    bool changed = false;
    for (std::size_t axis = 0; axis < info.shape.rank(); ++axis) {
      if (info.shape[axis] != size) continue;
      auto& own = values[info.name];
      visit_first_two(info.shape, axis, [&](std::size_t first, std::size_t second) {
        if (how == Change::exchange)
          std::swap(own[first], own[second]);
        else
          own[first] = -own[first];
      });
      changed = true;
    }
    if (changed) names.push_back(info.name);
  }
  return names;
}

/// Between 1 and 2, spread evenly, and different for any two rows.
double uneven_weight(std::uint32_t row) {
  constexpr double golden = 0.6180339887498949;
  const double turns = golden * static_cast<double>(row);
  return 1 + (turns - std::floor(turns));
}

/// Of some rows, or of all with uneven weights.
class Likelihood {
 public:
  Likelihood(const LogPosterior& posterior, double most_rows)
      : some_(posterior, most_rows),
        executor_(posterior.executor(ProgramKind::value_and_gradient, {})),
        with_rows_(static_cast<std::size_t>(posterior.dimension()) + 1),
        without_(with_rows_.size()),
        of_rows_(with_rows_.size()) {}
  double at(std::span<const double> position) {
    executor_->set_point(Point::current, position);
    executor_->run(RowBatch{}, without_);
    std::fill(of_rows_.begin(), of_rows_.end(), 0.0);
    if (some_.all())
      add_all();
    else
      add(some_.batch());
    return of_rows_[0];
  }
  /// Whether it depends on a coordinate, at the position of the last call of at().
  bool depends_on(std::size_t coordinate) const {
    const double rows = of_rows_[coordinate + 1], without = without_[coordinate + 1];
    return std::abs(rows) > rounding_of_gradients * (std::abs(rows + without) + std::abs(without));
  }

 private:
  void add(const RowBatch& rows) {
    executor_->run(rows, with_rows_);
    for (std::size_t k = 0; k < of_rows_.size(); ++k) of_rows_[k] += with_rows_[k] - without_[k];
  }
  void add_all() {
    constexpr std::uint32_t most = 65536;  // rows at a time, so that memory for weights stays small
    const RowBatch all = some_.batch();
    for (std::uint32_t begin = 0; begin < all.count;) {
      RowBatch stretch = all;
      stretch.first = all.first + begin;
      stretch.count = std::min(most, all.count - begin);
      weights_.resize(stretch.count);
      for (std::uint32_t i = 0; i < stretch.count; ++i) weights_[i] = uneven_weight(begin + i);
      stretch.weights = weights_.data();
      add(stretch);
      begin += stretch.count;
    }
  }

  SomeRows some_;
  std::unique_ptr<Executor> executor_;
  std::vector<double> with_rows_, without_, of_rows_, weights_;
};

/// Compares the likelihood of all rows at positions that some rows cannot tell apart.
class AllRows {
 public:
  AllRows(const LogPosterior& posterior, std::vector<double> position)
      : posterior_(posterior), position_(std::move(position)) {}

  /// True if the likelihood is the same there, although it depends on the coordinates that differ: those that no row
  /// uses are identified by the prior.
  bool cannot_tell(const std::vector<double>& other) {
    if (!likelihood_) {
      likelihood_ = std::make_unique<Likelihood>(posterior_, all_rows);
      here_ = likelihood_->at(position_);
    }
    const double there = likelihood_->at(other);
    const double size = std::max(static_cast<double>(posterior_.rows()), std::abs(here_));
    if (!(std::abs(there - here_) <= same_of_all * size)) return false;
    for (std::size_t k = 0; k < other.size(); ++k)
      if (other[k] != position_[k] && likelihood_->depends_on(k)) return true;
    return false;
  }

 private:
  const LogPosterior& posterior_;
  std::vector<double> position_;
  std::unique_ptr<Likelihood> likelihood_;
  double here_ = 0;
};

}  // namespace

std::optional<Exchangeable> find_exchangeable(const LogPosterior& posterior, std::span<const double> position) {
  const Model& model = posterior.model();
  if (!model.row_log_likelihood() || model.rows() == 0) return std::nullopt;
  std::set<std::int64_t> sizes;
  for (const auto& info : model.parameters())
    for (std::size_t axis = 0; axis < info.shape.rank(); ++axis)
      if (info.shape[axis] >= 2) sizes.insert(info.shape[axis]);
  if (sizes.empty()) return std::nullopt;
  const Values values = values_by_name(posterior, position);
  Likelihood likelihood(posterior, rows_compared);
  const double here = likelihood.at(position);
  if (!std::isfinite(here)) return std::nullopt;
  std::vector<double> rounded;
  try {
    rounded = model.unconstrain(values);
  } catch (const Error&) {  // a value was rounded to its bound
    return std::nullopt;
  }
  AllRows all(posterior, std::move(rounded));
  for (const std::int64_t size : sizes)
    for (const Change how : {Change::exchange, Change::signs}) {
      Values other = values;
      auto names = change(model, size, how, other);
      if (other == values) continue;
      try {
        const std::vector<double> there = model.unconstrain(other);
        if (std::abs(likelihood.at(there) - here) <= same * std::max(1.0, std::abs(here)) && all.cannot_tell(there))
          return Exchangeable{std::move(names), how == Change::signs};
      } catch (const Error&) {  // violates a constraint: ordered, positive
      }
    }
  return std::nullopt;
}

}  // namespace sgmcmc
