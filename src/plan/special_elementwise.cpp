// Strip functions of special functions: one number at a time, always in double.
#include "base/pack.hpp"
#include "base/special_functions.hpp"
#include "plan/elementwise.hpp"

#include <cmath>

namespace sgmcmc {
namespace {

// The functions of the lists in op.hpp, by the op's name: those of the standard library here, the others from
// base/special_functions.hpp.
namespace numbers {
using namespace special;
inline double asinh(double x) { return std::asinh(x); }
inline double acosh(double x) { return std::acosh(x); }
inline double atanh(double x) { return std::atanh(x); }
inline double cbrt(double x) { return std::cbrt(x); }
inline double trunc(double x) { return std::trunc(x); }
inline double atan2(double a, double b) { return std::atan2(a, b); }
inline double hypot(double a, double b) { return std::hypot(a, b); }
inline double fmod(double a, double b) { return std::fmod(a, b); }
}  // namespace numbers

template <class Real, double (*function)(double)>
void unary_strip(const Real* a, const Real*, const Real*, Real* out, std::size_t packs) {
  const std::size_t count = packs * pack_width<Real>;
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<Real>(function(static_cast<double>(a[i])));
}

/// A step of 0 reads the same number repeatedly.
template <class Real, double (*function)(double, double), std::size_t step_a, std::size_t step_b>
void binary_strip(const Real* a, const Real* b, const Real*, Real* out, std::size_t packs) {
  const std::size_t count = packs * pack_width<Real>;
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<Real>(function(static_cast<double>(a[i * step_a]), static_cast<double>(b[i * step_b])));
}

template <class Real, double (*function)(double, double, double)>
void ternary_strip(const Real* a, const Real* b, const Real* c, Real* out, std::size_t packs) {
  const std::size_t count = packs * pack_width<Real>;
  for (std::size_t i = 0; i < count; ++i)
    out[i] =
        static_cast<Real>(function(static_cast<double>(a[i]), static_cast<double>(b[i]), static_cast<double>(c[i])));
}

}  // namespace

template <class Real>
StripFunction<Real> special_strip_function(Op op, StripForm form) {
  switch (op) {
#define X(name) \
  case Op::name: return unary_strip<Real, numbers::name>;
    SGMCMC_SPECIAL_UNARY_OPS(X)
#undef X
#define X(name)                                                                        \
  case Op::name:                                                                       \
    return form == StripForm::arrays         ? binary_strip<Real, numbers::name, 1, 1> \
           : form == StripForm::first_single ? binary_strip<Real, numbers::name, 0, 1> \
                                             : binary_strip<Real, numbers::name, 1, 0>;
    SGMCMC_SPECIAL_BINARY_OPS(X)
#undef X
#define X(name) \
  case Op::name: return ternary_strip<Real, numbers::name>;
    SGMCMC_TERNARY_OPS(X)
#undef X
    default: return nullptr;
  }
}

template StripFunction<double> special_strip_function<double>(Op, StripForm);
template StripFunction<float> special_strip_function<float>(Op, StripForm);

}  // namespace sgmcmc
