// Elementwise ops on packs: the table of strip functions, and the kernel that runs a fused group strip by strip.
#pragma once

#include "base/memory.hpp"
#include "base/thread_pool.hpp"
#include "graph/op.hpp"
#include "plan/chunk_sums.hpp"
#include "plan/kernel.hpp"

#include <cstddef>
#include <vector>

namespace sgmcmc {

/// Which operands are one number for the whole strip rather than an array.
enum class StripForm : std::uint8_t { arrays, first_single, second_single };

/// out[i] = op(a[i], b[i], c[i]) for whole packs; operands beyond the op's arity are ignored.
template <class Real>
using StripFunction = void (*)(const Real* a, const Real* b, const Real* c, Real* out, std::size_t packs);

/// Two functions of the same argument that share most of their work.
template <class Real>
using PairFunction = void (*)(const Real* a, Real* first, Real* second, std::size_t packs);

template <class Real>
StripFunction<Real> strip_function(Op op, StripForm form);
/// For two unary ops of the same operand, in this order; null if computing them together saves nothing.
template <class Real>
PairFunction<Real> pair_function(Op first, Op second);
/// The part of that table that is computed one number at a time; null for other ops.
template <class Real>
StripFunction<Real> special_strip_function(Op op, StripForm form);

/// A group of elementwise values of one size: for each component and strip, every op in turn, so that values inside the
/// group never leave the first-level cache. A group over a long array also completes the sums over rows that it reads,
/// takes the sums of its arrays, and writes what the caller asked for, all while a strip is in cache.
template <class Real>
class ElementwiseGroup final : public Kernel<Real> {
 public:
  static constexpr std::size_t strip_elements = 512;

  struct Source {
    const Real* data = nullptr;
    std::int64_t component_stride = 0;
    bool array = false;  ///< else one number per component
    int scratch = -1;    ///< strip buffer number, instead of data
  };
  struct Target {
    Real* data = nullptr;
    std::int64_t component_stride = 0;
    int scratch = -1;  ///< strip buffer number, instead of data
  };
  struct Step {
    Op op = Op::negate;
    StripFunction<Real> function = nullptr;
    Source operands[3];
    int operand_count = 0;
    Target out;
    PairFunction<Real> pair = nullptr;  ///< instead of function: also gives `second`
    Target second;
    int sum = -1;  ///< instead of function: adds its operand, or the products of two, to the sum of this number
  };
  /// An output of the program that is one of the group's arrays: goes to *outputs + position.
  struct Departure {
    const Real* from = nullptr;
    std::size_t position = 0;
  };
  /// What a group over a long array does besides its steps.
  struct LongArray {
    const ChunkSums<Real>* chunk_sums = nullptr;
    std::vector<std::size_t> arrivals;  ///< where the sums over rows that it reads begin
    std::vector<Real*> sums;            ///< where the sums of its arrays go
    double* const* outputs = nullptr;
    std::vector<Departure> departures;
  };

  /// `components` lane arrays for per-row groups; one array of `elements` for global ones (then components is 1).
  /// The threads of the pool, if any, share a long array.
  ElementwiseGroup(std::vector<Step> steps, std::int64_t components, bool per_row, std::int64_t elements,
                   int scratch_count, LongArray ends = {}, ThreadPool* pool = nullptr);
  void run(const TileRows& tile) override;

 private:
  struct Call {
    StripFunction<Real> function = nullptr;
    PairFunction<Real> pair = nullptr;
    const Real* operands[3] = {nullptr, nullptr, nullptr};
    Real* out = nullptr;
    Real* second = nullptr;
    void operator()(std::size_t packs) const;
  };

  static bool spreads_out(const Step& step, int operand);
  /// The step on one strip of this many packs; broadcasts scalar operands if needed.
  Call call(const Step& step, std::int64_t component, std::size_t start, std::size_t packs, Real* scratch) const;
  /// Elements [begin, end) of a component, in whole packs.
  void run_strips(std::int64_t component, std::size_t begin, std::size_t end, Real* scratch) const;
  void run_long(std::size_t total);
  /// Elements [begin, end) of a long array; `sums`: one pack for each sum.
  void run_stretch(std::size_t begin, std::size_t end, Real* scratch, Real* sums) const;

  std::vector<Step> steps_;
  std::int64_t components_;
  bool per_row_;
  std::int64_t elements_;
  int scratch_count_;
  bool is_long_;
  LongArray long_;
  ThreadPool* pool_;                  ///< null: one thread
  AlignedBuffer<Real> scratch_;       ///< of each thread
  AlignedBuffer<Real> stretch_sums_;  ///< of each stretch of a long array, one pack for each sum
  std::vector<Call> calls_;  ///< prepared for groups of one component, whose tiles mostly fit one strip; else empty
};

}  // namespace sgmcmc
