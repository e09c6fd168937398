// Memory limits for containers.
#include "stan/lowering/limits.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace sgmcmc::stan {
namespace {

double memory_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, bytes < 1e12 ? "%.3g GB" : "%.0f GB", bytes / 1e9);
  return text;
}

}  // namespace

std::string beyond_memory(const std::vector<std::int64_t>& dims) {
  double elements = 1;
  for (const auto dim : dims) elements *= static_cast<double>(dim);
  const double bytes = elements * sizeof(double);
  const double available = memory_bytes();
  if (bytes <= available) return {};
  char count[32];
  std::snprintf(count, sizeof count, elements < 1e15 ? "%.0f" : "%.3g", elements);
  return "would have " + std::string(count) + " elements and take " + gigabytes(bytes) + ": this machine has " +
         gigabytes(available) + " of memory";
}

bool memory_is_short() {
  std::ifstream meminfo("/proc/meminfo");
  return memory_is_short(meminfo);
}

bool memory_is_short(std::istream& meminfo) {
  constexpr double least = 0.02;
  double total = 0, available = -1, swap = 0;
  std::string name, unit;
  for (double kilobytes = 0; meminfo >> name >> kilobytes; std::getline(meminfo, unit)) {
    if (name == "MemTotal:") total = kilobytes;
    if (name == "MemAvailable:") available = kilobytes;
    if (name == "SwapFree:") swap = kilobytes;
  }
  return available >= 0 && available + swap < least * total;
}

}  // namespace sgmcmc::stan
