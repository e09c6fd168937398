// Entries of a saved state: kind, length of the name, name, count, numbers of eight bytes each.
#include "base/state_bytes.hpp"

#include <algorithm>
#include <cstring>

namespace sgmcmc {
namespace {

constexpr char number = 'd', count_of = 'u', many_numbers = 'v';

}  // namespace

void refuse_state(std::string_view name) {
  throw SavedStateError(
      "the saved state does not match this run: entry '" + std::string(name) +
      "' differs; it was written by another version of the program, with other options, or is damaged");
}

void StateVisitor::visit_numbers(std::string_view name, std::span<double> values) {
  std::vector<double> copy(values.begin(), values.end());
  visit(name, copy);
  if (copy.size() != values.size()) refuse_state(name);
  std::copy(copy.begin(), copy.end(), values.begin());
}

void StateWriter::append(std::string_view name, char kind, const void* from, std::uint64_t count) {
  const auto length = static_cast<std::uint64_t>(name.size());
  bytes_.push_back(kind);
  bytes_.append(reinterpret_cast<const char*>(&length), sizeof length);
  bytes_.append(name);
  bytes_.append(reinterpret_cast<const char*>(&count), sizeof count);
  if (count > 0) bytes_.append(static_cast<const char*>(from), count * 8);
}
void StateWriter::visit(std::string_view name, double& value) { append(name, number, &value, 1); }
void StateWriter::visit(std::string_view name, std::uint64_t& value) { append(name, count_of, &value, 1); }
void StateWriter::visit(std::string_view name, std::vector<double>& values) {
  append(name, many_numbers, values.data(), values.size());
}
void StateWriter::visit_numbers(std::string_view name, std::span<double> values) {
  append(name, many_numbers, values.data(), values.size());
}

std::uint64_t StateReader::open(std::string_view name, char kind) {
  std::uint64_t length = 0, count = 0;
  if (rest_.size() < 1 + sizeof length || rest_.front() != kind) refuse_state(name);
  std::memcpy(&length, rest_.data() + 1, sizeof length);
  rest_.remove_prefix(1 + sizeof length);
  if (length != name.size() || rest_.size() < length + sizeof count || rest_.substr(0, length) != name)
    refuse_state(name);
  std::memcpy(&count, rest_.data() + length, sizeof count);
  rest_.remove_prefix(length + sizeof count);
  if (count > rest_.size() / 8 || (kind != many_numbers && count != 1)) refuse_state(name);
  return count;
}
void StateReader::copy(void* to, std::uint64_t count) {
  if (count > 0) std::memcpy(to, rest_.data(), count * 8);
  rest_.remove_prefix(count * 8);
}
void StateReader::visit(std::string_view name, double& value) { copy(&value, open(name, number)); }
void StateReader::visit(std::string_view name, std::uint64_t& value) { copy(&value, open(name, count_of)); }
void StateReader::visit(std::string_view name, std::vector<double>& values) {
  values.resize(open(name, many_numbers));
  copy(values.data(), values.size());
}
void StateReader::visit_numbers(std::string_view name, std::span<double> values) {
  if (open(name, many_numbers) != values.size()) refuse_state(name);
  copy(values.data(), values.size());
}
void StateReader::finish() const {
  if (!rest_.empty()) refuse_state("the end");
}

}  // namespace sgmcmc
