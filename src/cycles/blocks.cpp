// Access to blocks by name, and the random numbers of a kernel.
#include "base/text.hpp"

#include <sgmcmc/cycle.hpp>
#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>

namespace sgmcmc {

const Blocks::Block& Blocks::find(std::string_view name) const {
  for (const Block& block : blocks_)
    if (block.name == name) return block;
  std::vector<std::string> known;
  for (const Block& block : blocks_) known.push_back(block.name);
  throw ModelError((kernel_ ? "kernel '" + *kernel_ + "': " : std::string()) + "there is no block '" +
                   std::string(name) + "'." + did_you_mean(name, known));
}

std::span<const double> Blocks::operator[](std::string_view name) const {
  const Block& block = find(name);
  return std::span(values_).subspan(block.begin, block.size);
}

double Blocks::number(std::string_view name) const {
  const Block& block = find(name);
  if (block.size != 1)
    throw ModelError("block '" + block.name + "' has " + std::to_string(block.size) +
                     " numbers; read them with state[\"" + block.name + "\"]");
  return values_[block.begin];
}

std::span<double> Blocks::write(std::string_view name) {
  const Block& block = find(name);
  if (!block.is_writable)
    throw ModelError((kernel_ ? "kernel '" + *kernel_ + "'" : std::string("a function")) + " writes block '" +
                     block.name + "', which is not among those it moves. Add it to them");
  return std::span(values_).subspan(block.begin, block.size);
}

void Blocks::set(std::string_view name, double value) {
  const std::span<double> values = write(name);
  if (values.size() != 1)
    throw ModelError("block '" + std::string(name) + "' has " + std::to_string(values.size()) +
                     " numbers; write them with state.write(\"" + std::string(name) + "\")");
  values[0] = value;
}

// One kind of number per stream, as <sgmcmc/random.hpp> requires: each kernel has eight streams.
StreamKey KernelRandom::key(Kind kind) const {
  static_assert(kinds <= 8);
  return {seed_, chain_, iteration_,
          static_cast<Purpose>(static_cast<std::uint32_t>(Purpose::user) + 8 * kernel_ + kind)};
}

double KernelRandom::uniform() {
  double value = 0;
  fill_uniform(key(uniforms), {&value, 1}, taken_[uniforms]++);
  return value;
}

double KernelRandom::normal() {
  double value = 0;
  normals({&value, 1});
  return value;
}

void KernelRandom::normals(std::span<double> out) {
  fill_normal(key(normals_), out, taken_[normals_]);
  taken_[normals_] += out.size();
}

double KernelRandom::exponential() {
  double value = 0;
  fill_exponential(key(exponentials), {&value, 1}, taken_[exponentials]++);
  return value;
}

double KernelRandom::log_gamma(double shape) {
  double value = 0;
  fill_log_gamma(key(gammas), {&shape, 1}, {&value, 1}, taken_[gammas]++);
  return value;
}

double KernelRandom::gamma(double shape) { return std::exp(log_gamma(shape)); }

double KernelRandom::beta(double a, double b) {
  const double x = log_gamma(a), y = log_gamma(b);
  return 1.0 / (1.0 + std::exp(y - x));
}

double KernelRandom::poisson(double mean) {
  double value = 0;
  fill_poisson(key(poissons), {&mean, 1}, {&value, 1}, taken_[poissons]++);
  return value;
}

std::uint32_t KernelRandom::below(std::uint32_t bound) {
  std::uint32_t value = 0;
  fill_below(key(integers), bound, {&value, 1}, taken_[integers]++);
  return value;
}

std::size_t KernelRandom::choose(std::span<const double> weights) {
  double total = 0;
  for (const double weight : weights) total += weight;
  double rest = uniform() * total;
  std::size_t choice = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0)) continue;
    choice = i;  // the last possible index, in case rounding leaves a remainder
    if ((rest -= weights[i]) < 0) break;
  }
  return choice;
}

}  // namespace sgmcmc
