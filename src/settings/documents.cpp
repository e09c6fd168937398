// Reads the values and checks their ranges.
#include "settings/documents.hpp"

#include <algorithm>
#include <limits>

namespace sgmcmc {
namespace {

constexpr std::uint64_t most_32_bits = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::uint32_t small_count(const OptionValues& values, const char* name) {
  const std::uint64_t count = values.count(name);
  if (count > most_32_bits) throw UsageError(values.where(name) + ": the maximum is 4294967295");
  return static_cast<std::uint32_t>(count);
}

double positive_or_none(const OptionValues& values, const char* name) {
  if (!values.given(name)) return 0;
  const double number = values.number(name);
  if (!(number > 0)) throw UsageError(values.where(name) + ": expected a positive number");
  return number;
}

Schedule schedule_from(const OptionValues& values) {
  auto holder = sampler_options("sgld");
  set_option(holder, "schedule", values.text("schedule"));
  return std::get<SgldOptions>(holder).schedule;
}

std::uint32_t documents_per_batch(const OptionValues& values, std::uint64_t documents) {
  const auto batch = batch_size_from(values.text("batch-size"));
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      most_32_bits, static_cast<std::uint64_t>(batch->of(static_cast<std::int64_t>(documents)))));
}

}  // namespace sgmcmc
