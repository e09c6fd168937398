// One functor per elementwise op, instantiated as strip functions for each form of operands.
#include "plan/elementwise.hpp"

#include "base/pack.hpp"
#include "base/vector_math.hpp"
#include "plan/long_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc {
namespace {

template <Op op>
struct Apply;

#define SGMCMC_APPLY_UNARY(name, formula)               \
  template <>                                           \
  struct Apply<Op::name> {                              \
    template <class P>                                  \
    static SGMCMC_INLINE P of(const P& x) {             \
      using Real [[maybe_unused]] = typename P::Scalar; \
      return formula;                                   \
    }                                                   \
  };
#define SGMCMC_APPLY_BINARY(name, formula)              \
  template <>                                           \
  struct Apply<Op::name> {                              \
    template <class P>                                  \
    static SGMCMC_INLINE P of(const P& a, const P& b) { \
      using Real [[maybe_unused]] = typename P::Scalar; \
      return formula;                                   \
    }                                                   \
  };

SGMCMC_APPLY_UNARY(negate, -x)
SGMCMC_APPLY_UNARY(exp, exp(x))
SGMCMC_APPLY_UNARY(log, log(x))
SGMCMC_APPLY_UNARY(log1p, log1p(x))
SGMCMC_APPLY_UNARY(expm1, expm1(x))
SGMCMC_APPLY_UNARY(logistic, logistic(x))
SGMCMC_APPLY_UNARY(log_logistic, log_logistic(x))
SGMCMC_APPLY_UNARY(log1p_exp, log1p_exp(x))
SGMCMC_APPLY_UNARY(log1m_exp, log1m_exp(x))
SGMCMC_APPLY_UNARY(tanh, tanh(x))
SGMCMC_APPLY_UNARY(sinh, sinh(x))
SGMCMC_APPLY_UNARY(cosh, cosh(x))
SGMCMC_APPLY_UNARY(sin, sin(x))
SGMCMC_APPLY_UNARY(cos, cos(x))
SGMCMC_APPLY_UNARY(tan, tan(x))
SGMCMC_APPLY_UNARY(asin, asin(x))
SGMCMC_APPLY_UNARY(acos, acos(x))
SGMCMC_APPLY_UNARY(atan, atan(x))
SGMCMC_APPLY_UNARY(sqrt, sqrt(x))
SGMCMC_APPLY_UNARY(square, x* x)
SGMCMC_APPLY_UNARY(reciprocal, P(Real(1)) / x)
SGMCMC_APPLY_UNARY(abs, abs(x))
SGMCMC_APPLY_UNARY(sign, select(x > P(Real(0)), P(Real(1)), select(x < P(Real(0)), P(Real(-1)), P(Real(0)))))
SGMCMC_APPLY_UNARY(floor, lane_by_lane(x, [](Real v) { return std::floor(v); }))
SGMCMC_APPLY_UNARY(ceil, lane_by_lane(x, [](Real v) { return std::ceil(v); }))
SGMCMC_APPLY_UNARY(round, lane_by_lane(x, [](Real v) { return std::round(v); }))
SGMCMC_APPLY_UNARY(lgamma, lgamma(x))
SGMCMC_APPLY_UNARY(digamma, digamma(x))
SGMCMC_APPLY_UNARY(trigamma, trigamma(x))
SGMCMC_APPLY_UNARY(tetragamma, tetragamma(x))
SGMCMC_APPLY_UNARY(erf, erf(x))
SGMCMC_APPLY_UNARY(erfc, erfc(x))
SGMCMC_APPLY_UNARY(phi, phi(x))
SGMCMC_APPLY_UNARY(log_phi, log_phi(x))

SGMCMC_APPLY_BINARY(add, a + b)
SGMCMC_APPLY_BINARY(subtract, a - b)
SGMCMC_APPLY_BINARY(multiply, a* b)
SGMCMC_APPLY_BINARY(divide, a / b)
SGMCMC_APPLY_BINARY(pow, pow(a, b))
SGMCMC_APPLY_BINARY(maximum, select(a >= b, a, select(b > a, b, a + b)))  // NaN in, NaN out
SGMCMC_APPLY_BINARY(minimum, select(a <= b, a, select(b < a, b, a + b)))
SGMCMC_APPLY_BINARY(multiply_log, select(a == P(Real(0)), P(Real(0)), a* log(b)))
SGMCMC_APPLY_BINARY(zero_safe_divide, select(a == P(Real(0)), P(Real(0)), a / b))
SGMCMC_APPLY_BINARY(less, select(a < b, P(Real(1)), P(Real(0))))
SGMCMC_APPLY_BINARY(less_equal, select(a <= b, P(Real(1)), P(Real(0))))
SGMCMC_APPLY_BINARY(equal, select(a == b, P(Real(1)), P(Real(0))))
SGMCMC_APPLY_BINARY(not_equal, select(a != b, P(Real(1)), P(Real(0))))

template <>
struct Apply<Op::log_add_exp> {
  template <class P>
  static SGMCMC_INLINE P of(const P& a, const P& b) {
    using Real = typename P::Scalar;
    const P larger = max(a, b);
    const P result = larger + log1p(exp(-abs(a - b)));
    const P infinity(std::numeric_limits<Real>::infinity());
    return select(abs(larger) == infinity, larger, result);
  }
};

template <class Real, Op op>
void unary_strip(const Real* a, const Real*, const Real*, Real* out, std::size_t packs) {
  for (std::size_t p = 0; p < packs; ++p)
    store(out + p * pack_width<Real>, Apply<op>::of(load(a + p * pack_width<Real>)));
}

template <class Real, Op op, StripForm form>
void binary_strip(const Real* a, const Real* b, const Real*, Real* out, std::size_t packs) {
  const Pack<Real> single(form == StripForm::first_single ? *a : *b);
  for (std::size_t p = 0; p < packs; ++p) {
    const std::size_t at = p * pack_width<Real>;
    if constexpr (form == StripForm::arrays)
      store(out + at, Apply<op>::of(load(a + at), load(b + at)));
    else if constexpr (form == StripForm::first_single)
      store(out + at, Apply<op>::of(single, load(b + at)));
    else
      store(out + at, Apply<op>::of(load(a + at), single));
  }
}

template <class Real>
void select_strip(const Real* condition, const Real* a, const Real* b, Real* out, std::size_t packs) {
  for (std::size_t p = 0; p < packs; ++p) {
    const std::size_t at = p * pack_width<Real>;
    store(out + at, select(load(condition + at) != Pack<Real>(Real(0)), load(a + at), load(b + at)));
  }
}

template <class Real>
void logistic_pair_strip(const Real* a, Real* first, Real* second, std::size_t packs) {
  for (std::size_t p = 0; p < packs; ++p) {
    const std::size_t at = p * pack_width<Real>;
    const auto pair = logistic_and_log1p_exp(load(a + at));
    store(first + at, pair.log1p_exp);
    store(second + at, pair.logistic);
  }
}

template <class Real>
void fill_strip(Real* out, Real value, std::size_t packs) {
  for (std::size_t p = 0; p < packs; ++p) store(out + p * pack_width<Real>, Pack<Real>(value));
}

}  // namespace

template <class Real>
StripFunction<Real> strip_function(Op op, StripForm form) {
  switch (op) {
#define X(name) \
  case Op::name: return unary_strip<Real, Op::name>;
    SGMCMC_VECTORISED_UNARY_OPS(X)
#undef X
#define X(name)                                                                                      \
  case Op::name:                                                                                     \
    return form == StripForm::arrays         ? binary_strip<Real, Op::name, StripForm::arrays>       \
           : form == StripForm::first_single ? binary_strip<Real, Op::name, StripForm::first_single> \
                                             : binary_strip<Real, Op::name, StripForm::second_single>;
    SGMCMC_VECTORISED_BINARY_OPS(X)
#undef X
    case Op::select: return select_strip<Real>;
    default: return special_strip_function<Real>(op, form);
  }
}

template <class Real>
PairFunction<Real> pair_function(Op first, Op second) {
  // Value and slope of a logit likelihood.
  if (first == Op::log1p_exp && second == Op::logistic) return logistic_pair_strip<Real>;
  return nullptr;
}

namespace {

constexpr std::size_t stretch_strips = 16;  // of a long array: sums are taken stretch by stretch, whatever the threads

/// Adds the first `count` numbers of a strip, or their products with those of b, to the lanes of a pack.
template <class Real>
void add_strip(const Real* a, const Real* b, std::size_t count, Real* lanes) {
  Pack<Real> total = load(lanes);
  std::size_t i = 0;
  for (; i + pack_width<Real> <= count; i += pack_width<Real>)
    total = b ? fma(load(a + i), load(b + i), total) : total + load(a + i);
  if (i < count) {
    const auto left = static_cast<std::ptrdiff_t>(count - i);
    const Pack<Real> last = load_first(a + i, left);
    total = b ? fma(last, load_first(b + i, left), total) : total + last;
  }
  store(lanes, total);
}

}  // namespace

template <class Real>
ElementwiseGroup<Real>::ElementwiseGroup(std::vector<Step> steps, std::int64_t components, bool per_row,
                                         std::int64_t elements, int scratch_count, LongArray ends, ThreadPool* pool)
    : steps_(std::move(steps)),
      components_(components),
      per_row_(per_row),
      elements_(elements),
      scratch_count_(scratch_count + 3),  // three more strips, for scalar operands that are broadcast
      is_long_(!per_row && elements >= long_array),
      long_(std::move(ends)),
      pool_(pool && pool->threads() > 1 && is_long_ ? pool : nullptr),
      scratch_(static_cast<std::size_t>(scratch_count_) * strip_elements *
               static_cast<std::size_t>(pool_ ? pool_->threads() : 1)) {
  bool any_spread = false;
  for (auto& step : steps_) {
    StripForm form = StripForm::arrays;
    if (step.operand_count == 2) {
      if (!step.operands[0].array && step.operands[1].array) form = StripForm::first_single;
      if (step.operands[0].array && !step.operands[1].array) form = StripForm::second_single;
    }
    if (!step.pair && step.sum < 0) step.function = strip_function<Real>(step.op, form);
    for (int i = 0; i < step.operand_count; ++i) any_spread = any_spread || spreads_out(step, i);
  }
  if (components_ == 1 && !any_spread && !is_long_)
    for (const Step& step : steps_) calls_.push_back(call(step, 0, 0, 0, scratch_.data()));
  if (!long_.sums.empty()) {
    const auto stretches = static_cast<std::size_t>(elements) / (stretch_strips * strip_elements) + 1;
    stretch_sums_ = AlignedBuffer<Real>(stretches * long_.sums.size() * pack_width<Real>);
  }
}

/// Only binary functions accept a scalar operand, and only one of the two; other scalars are broadcast to a strip.
template <class Real>
bool ElementwiseGroup<Real>::spreads_out(const Step& step, int i) {
  return !step.operands[i].array && (step.operand_count != 2 || !step.operands[1 - i].array);
}

template <class Real>
void ElementwiseGroup<Real>::Call::operator()(std::size_t packs) const {
  if (pair)
    pair(operands[0], out, second, packs);
  else
    function(operands[0], operands[1], operands[2], out, packs);
}

template <class Real>
typename ElementwiseGroup<Real>::Call ElementwiseGroup<Real>::call(const Step& step, std::int64_t component,
                                                                   std::size_t start, std::size_t packs,
                                                                   Real* scratch) const {
  const auto strip = [&](int number) { return scratch + static_cast<std::size_t>(number) * strip_elements; };
  const auto target = [&](const Target& to) -> Real* {
    if (to.scratch >= 0) return strip(to.scratch);
    return to.data ? to.data + component * to.component_stride + start : nullptr;
  };
  Call result{step.function, step.pair, {}, target(step.out), target(step.second)};
  const int spread = scratch_count_ - 3;
  for (int i = 0; i < step.operand_count; ++i) {
    const Source& source = step.operands[i];
    const Real* from = source.scratch >= 0
                           ? strip(source.scratch)
                           : source.data + component * source.component_stride + (source.array ? start : 0);
    if (spreads_out(step, i)) {
      fill_strip(strip(spread + i), *from, packs);
      from = strip(spread + i);
    }
    result.operands[i] = from;
  }
  return result;
}

template <class Real>
void ElementwiseGroup<Real>::run(const TileRows& tile) {
  const std::size_t total =
      per_row_ ? tile.lanes
               : (static_cast<std::size_t>(elements_) + pack_width<Real> - 1) / pack_width<Real> * pack_width<Real>;
  if (is_long_) return run_long(total);
  if (!calls_.empty() && total <= strip_elements) {
    for (const Call& ready : calls_) ready(total / pack_width<Real>);
    return;
  }
  for (std::int64_t component = 0; component < components_; ++component)
    run_strips(component, 0, total, scratch_.data());
}

template <class Real>
void ElementwiseGroup<Real>::run_strips(std::int64_t component, std::size_t begin, std::size_t end,
                                        Real* scratch) const {
  for (std::size_t start = begin; start < end; start += strip_elements) {
    const std::size_t packs = std::min(strip_elements, end - start) / pack_width<Real>;
    for (const Step& step : steps_) call(step, component, start, packs, scratch)(packs);
  }
}

template <class Real>
void ElementwiseGroup<Real>::run_long(std::size_t total) {
  constexpr std::size_t stretch = stretch_strips * strip_elements;
  const std::size_t stretches = (total + stretch - 1) / stretch;
  const std::size_t own = static_cast<std::size_t>(scratch_count_) * strip_elements;
  const std::size_t lanes = long_.sums.size() * pack_width<Real>;
  const auto one = [&](std::size_t number, int worker) {
    run_stretch(number * stretch, std::min(total, (number + 1) * stretch),
                scratch_.data() + static_cast<std::size_t>(worker) * own, stretch_sums_.data() + number * lanes);
  };
  if (pool_)
    pool_->for_each(stretches, one);
  else
    for (std::size_t number = 0; number < stretches; ++number) one(number, 0);
  for (std::size_t s = 0; s < long_.sums.size(); ++s) {
    double sum = 0;
    for (std::size_t number = 0; number < stretches; ++number)
      sum += static_cast<double>(horizontal_sum(load(stretch_sums_.data() + number * lanes + s * pack_width<Real>)));
    *long_.sums[s] = static_cast<Real>(sum);
  }
}

template <class Real>
void ElementwiseGroup<Real>::run_stretch(std::size_t begin, std::size_t end, Real* scratch, Real* sums) const {
  std::fill_n(sums, long_.sums.size() * pack_width<Real>, Real(0));
  for (std::size_t start = begin; start < end; start += strip_elements) {
    const std::size_t stop = std::min(start + strip_elements, end);
    const std::size_t packs = (stop - start) / pack_width<Real>;
    const std::size_t count = std::min(stop, static_cast<std::size_t>(elements_)) - start;
    for (const std::size_t at : long_.arrivals) long_.chunk_sums->add(at + start, at + stop);
    for (const Step& step : steps_) {
      const Call ready = call(step, 0, start, packs, scratch);
      if (step.sum < 0)
        ready(packs);
      else
        add_strip(ready.operands[0], ready.operands[1], count,
                  sums + static_cast<std::size_t>(step.sum) * pack_width<Real>);
    }
    for (const Departure& leaves : long_.departures)
      std::copy_n(leaves.from + start, count, *long_.outputs + leaves.position + start);
  }
}

template StripFunction<double> strip_function<double>(Op, StripForm);
template StripFunction<float> strip_function<float>(Op, StripForm);
template PairFunction<double> pair_function<double>(Op, Op);
template PairFunction<float> pair_function<float>(Op, Op);
template class ElementwiseGroup<double>;
template class ElementwiseGroup<float>;

}  // namespace sgmcmc
