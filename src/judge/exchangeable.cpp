// Compares likelihoods before and after an exchange of elements or signs.
#include "judge/exchangeable.hpp"

#include "mode/some_rows.hpp"
#include "model/constrained_values.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

constexpr double rows_compared = 200;
constexpr double same = 1e-9;  // relative to the likelihood

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

class Likelihood {
 public:
  explicit Likelihood(const LogPosterior& posterior)
      : some_(posterior, rows_compared),
        executor_(posterior.executor(ProgramKind::value_and_gradient, {})),
        both_(static_cast<std::size_t>(posterior.dimension()) + 1) {}
  double at(std::span<const double> position) {
    executor_->set_point(Point::current, position);
    executor_->run(some_.batch(), both_);
    const double all = both_[0];
    executor_->run(RowBatch{}, both_);
    return all - both_[0];
  }

 private:
  SomeRows some_;
  std::unique_ptr<Executor> executor_;
  std::vector<double> both_;
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
  Likelihood likelihood(posterior);
  const double here = likelihood.at(position);
  if (!std::isfinite(here)) return std::nullopt;
  for (const std::int64_t size : sizes)
    for (const Change how : {Change::exchange, Change::signs}) {
      Values other = values;
      auto names = change(model, size, how, other);
      if (other == values) continue;
      try {
        const double there = likelihood.at(model.unconstrain(other));
        if (std::abs(there - here) <= same * std::max(1.0, std::abs(here)))
          return Exchangeable{std::move(names), how == Change::signs};
      } catch (const Error&) {  // violates a constraint: ordered, positive
      }
    }
  return std::nullopt;
}

}  // namespace sgmcmc
