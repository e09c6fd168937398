// The inner loop of topic models. Sums the weights of sixteen topics at a time lane by lane; chooses the lane by the
// sums of all lanes, then the pack within the lane: two short searches instead of one through all topics.
#include "topics/gibbs.hpp"

#include "base/levels.hpp"
#include "base/pack.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace sgmcmc {

namespace {

using Reals = Pack<float>;
using Part = Reals::Part;
constexpr int part_lanes = Reals::part_lanes;

/// Lanes shifted up, filled with zeros.
template <int shift, int... lane>
SGMCMC_INLINE Part shifted(Part v, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(Part{}, v, (lane < shift ? lane : part_lanes + lane - shift)...);
}

SGMCMC_INLINE Part prefix_sums(Part v) {
  using Lanes = std::make_integer_sequence<int, part_lanes>;
  v += shifted<1>(v, Lanes{});
  v += shifted<2>(v, Lanes{});
  if constexpr (part_lanes > 4) v += shifted<4>(v, Lanes{});
  if constexpr (part_lanes > 8) v += shifted<8>(v, Lanes{});
  return v;
}

/// Inclusive prefix sums of the lanes.
SGMCMC_INLINE Reals prefix_sums(const Reals& a) {
  Reals result;
  float before = 0;
  for (int p = 0; p < Reals::parts; ++p) {
    result.part[p] = prefix_sums(a.part[p]) + before;
    before = result.part[p][part_lanes - 1];
  }
  return result;
}

/// The number of lanes that do not exceed the limit.
SGMCMC_INLINE int lanes_up_to(const Reals& a, float limit) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return std::popcount(static_cast<unsigned>(_mm512_cmp_ps_mask(a.part[0], _mm512_set1_ps(limit), _CMP_LE_OQ)));
#elif defined(__AVX2__)
  const __m256 limits = _mm256_set1_ps(limit);
  const int low = _mm256_movemask_ps(_mm256_cmp_ps(a.part[0], limits, _CMP_LE_OQ));
  const int high = _mm256_movemask_ps(_mm256_cmp_ps(a.part[1], limits, _CMP_LE_OQ));
  return std::popcount(static_cast<unsigned>(low)) + std::popcount(static_cast<unsigned>(high));
#else
  return -horizontal_sum(a <= Reals(limit));
#endif
}

alignas(64) constexpr float one_in_the_middle[2 * TopicTable::lanes] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

/// One in the lane of a topic, zeros in the others.
SGMCMC_INLINE Reals unit(std::size_t topic) {
  return load(one_in_the_middle + (TopicTable::lanes - 1 - topic % TopicTable::lanes));
}

}  // namespace

DocumentGibbs::DocumentGibbs(std::size_t topics, double alpha)
    : topics_(topics),
      packs_((topics + TopicTable::lanes - 1) / TopicTable::lanes),
      alpha_(static_cast<float>(alpha)),
      counts_(packs_ * TopicTable::lanes),
      running_(packs_ * TopicTable::lanes) {}

void DocumentGibbs::load(std::span<const WordCount> document) {
  words_.clear();
  for (const WordCount& entry : document) words_.insert(words_.end(), entry.count, entry.word);
  assignments_.resize(words_.size());
  for (std::size_t k = 0; k < topics_; ++k) counts_[k] = 0.0F;
}

void DocumentGibbs::assign(std::span<const Assignment> assignments) {
  for (std::size_t i = 0; i < assignments_.size(); ++i) {
    assignments_[i] = assignments[i];
    counts_[assignments[i]] += 1.0F;
  }
}

/// Rounding may select a topic of weight 0, once in many millions of draws: takes the next one with positive weight.
std::size_t DocumentGibbs::nearest_possible(std::size_t topic) const {
  const auto weight = [&](std::size_t k) {
    return k < TopicTable::lanes ? running_[k] : running_[k] - running_[k - TopicTable::lanes];
  };
  for (std::size_t step = 0; step < running_.size(); ++step) {
    const std::size_t k = (topic + running_.size() - step) % running_.size();
    if (k < topics_ && weight(k) > 0.0F) return k;
  }
  return 0;
}

template <bool is_assigned>
void DocumentGibbs::update(const TopicTable& table, std::span<const double> uniforms) {
  constexpr std::size_t lanes = TopicTable::lanes;
  const std::size_t packs = packs_, topics = topics_, tokens = words_.size();
  float* const counts = counts_.data();
  float* const running = running_.data();
  const std::uint32_t* const words = words_.data();
  Assignment* const assignments = assignments_.data();
  const Reals alpha = alpha_;
  alignas(64) float prefix[lanes];
  // Writes whole packs, because they are read back at once: a partial write would stall store forwarding.
  const auto pack_of = [&](std::size_t topic) { return counts + topic / lanes * lanes; };
  for (std::size_t i = 0; i < tokens; ++i) {
    if constexpr (is_assigned) {
      float* const pack = pack_of(assignments[i]);
      store_aligned(pack, load_aligned(pack) - unit(assignments[i]));
    }
    const float* const row = table.row(words[i]);
    Reals sum = (load_aligned(counts) + alpha) * load_aligned(row);
    store_aligned(running, sum);
    for (std::size_t p = 1; p < packs; ++p) {
      sum = fma(load_aligned(counts + p * lanes) + alpha, load_aligned(row + p * lanes), sum);
      store_aligned(running + p * lanes, sum);
    }
    const Reals sums = prefix_sums(sum);
    store_aligned(prefix, sums);
    const float target = prefix[lanes - 1] * static_cast<float>(uniforms[i]);
    const auto lane = std::min(static_cast<std::size_t>(lanes_up_to(sums, target)), lanes - 1);
    const float rest = lane == 0 ? target : target - prefix[lane - 1];
    std::size_t pack = 0;
    for (std::size_t p = 0; p + 1 < packs; ++p) pack += running[p * lanes + lane] <= rest ? 1 : 0;
    std::size_t topic = pack * lanes + lane;
    const float before = pack == 0 ? 0.0F : running[topic - lanes];
    if (topic >= topics || !(running[topic] > before)) [[unlikely]]
      topic = nearest_possible(topic);
    assignments[i] = static_cast<Assignment>(topic);
    float* const chosen = pack_of(topic);
    store_aligned(chosen, load_aligned(chosen) + unit(topic));
  }
}

namespace {

void update_document_here(DocumentGibbs& document, const TopicTable& table, std::span<const double> uniforms,
                          bool is_assigned) {
  is_assigned ? document.update<true>(table, uniforms) : document.update<false>(table, uniforms);
}

}  // namespace

void update_document(DocumentGibbs& document, const TopicTable& table, std::span<const double> uniforms,
                     bool is_assigned);
SGMCMC_DISPATCHED(void, update_document,
                  (DocumentGibbs & document, const TopicTable& table, std::span<const double> uniforms,
                   bool is_assigned),
                  (document, table, uniforms, is_assigned))

void DocumentGibbs::assign(const TopicTable& table, std::span<const double> uniforms) {
  update_document(*this, table, uniforms, false);
}

void DocumentGibbs::sweep(const TopicTable& table, std::span<const double> uniforms) {
  update_document(*this, table, uniforms, true);
}

}  // namespace sgmcmc
