// The numbers of the current pass.
#include "data/pass_meter.hpp"

#include <chrono>

namespace sgmcmc {
namespace {

std::int64_t nanoseconds_now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace

void PassMeter::begin(std::uint64_t units, double bytes_of_unit) {
  units_.store(0);  // none, while the numbers are inconsistent
  bytes_.store(static_cast<double>(units) * bytes_of_unit);
  begin_.store(counted());
  start_.store(nanoseconds_now());
  units_.store(units);
}

PassProgress PassMeter::now() const {
  PassProgress found;
  found.units = units_.load();
  found.done = counted() - begin_.load();
  found.seconds = 1e-9 * static_cast<double>(nanoseconds_now() - start_.load());
  found.bytes = bytes_.load();
  if (found.done < found.units) found.name = name_.load();
  return found;
}

}  // namespace sgmcmc
