// A hash table with open addressing for whole numbers, the standard one for texts.
#include "factors/ratings/id_table.hpp"

#include "data/text/byte_source.hpp"

#include <algorithm>
#include <limits>

namespace sgmcmc {

namespace {

enum class Reading : std::uint8_t { number, too_large, text };

Reading whole_number(std::string_view text, std::uint64_t& value) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return Reading::text;
  constexpr std::uint64_t limit = std::uint64_t{1} << 63;
  value = 0;
  for (const char c : text) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (limit - 1 - digit) / 10) return Reading::too_large;
    value = 10 * value + digit;
  }
  return Reading::number;
}

bool has_leading_zero(std::string_view digits) { return digits.size() > 1 && digits.front() == '0'; }

}  // namespace

IdTable IdTable::identity(std::uint32_t count) {
  IdTable table;
  table.kind_ = Kind::numbers;
  table.is_identity_ = true;
  table.count_ = count;
  return table;
}

std::size_t IdTable::slot_of(std::uint64_t id) const {
  const std::size_t mask = slots_.size() - 1;
  std::uint64_t hash = id * 0x9E3779B97F4A7C15ULL;
  std::size_t slot = static_cast<std::size_t>(hash ^ (hash >> 32)) & mask;
  while (slots_[slot] != 0 && numbers_[slots_[slot] - 1] != id) slot = (slot + 1) & mask;
  return slot;
}

void IdTable::grow() {
  slots_.assign(slots_.empty() ? 1024 : 2 * slots_.size(), 0);
  for (std::uint32_t i = 0; i < numbers_.size(); ++i) slots_[slot_of(numbers_[i])] = i + 1;
}

std::uint32_t IdTable::add_number(std::uint64_t id) {
  if (2 * (numbers_.size() + 1) > slots_.size()) grow();
  const std::size_t slot = slot_of(id);
  if (slots_[slot] == 0) {
    numbers_.push_back(id);
    slots_[slot] = ++count_;
  }
  return slots_[slot] - 1;
}

void IdTable::turn_into_texts() {
  for (std::uint32_t dense = 0; dense < count_; ++dense) {
    texts_.push_back(std::to_string(numbers_[dense]));
    by_text_.emplace(texts_.back(), dense);
  }
  numbers_ = {};
  slots_ = {};
  kind_ = Kind::digits;
}

IdTable::Found IdTable::add(std::string_view text) {
  if (text.empty()) return {0, "is empty"};
  std::uint64_t number = 0;
  const Reading reading = kind_ == Kind::texts ? Reading::text : whole_number(text, number);
  if (reading == Reading::too_large)
    return {0, std::string(text.substr(0, 40)) + " is too large: ids that are whole numbers are below 2^63"};
  if (reading == Reading::text && (kind_ == Kind::numbers || kind_ == Kind::digits))
    return {0, shown(text) + " is not a whole number, as the ids before it are"};
  if (reading == Reading::number && !is_identity_ && kind_ != Kind::digits && has_leading_zero(text)) turn_into_texts();
  if (count_ == std::numeric_limits<std::uint32_t>::max() - 1)
    return {0, shown(text) + " is one too many: at most 4294967294 are possible"};
  if (reading == Reading::number && kind_ != Kind::digits) {
    if (is_identity_) {
      if (number < count_) return {static_cast<std::uint32_t>(number), ""};
      return {0, std::to_string(number) + " is out of range: ids are below " + std::to_string(count_)};
    }
    kind_ = Kind::numbers;
    return {add_number(number), ""};
  }
  if (kind_ == Kind::none) kind_ = Kind::texts;
  const auto [place, is_new] = by_text_.try_emplace(std::string(text), count_);
  if (is_new) {
    texts_.emplace_back(text);
    ++count_;
  }
  return {place->second, ""};
}

std::optional<std::uint32_t> IdTable::find(std::string_view text) const {
  if (kind_ == Kind::texts || kind_ == Kind::digits) {
    const auto place = by_text_.find(std::string(text));
    return place == by_text_.end() ? std::nullopt : std::optional(place->second);
  }
  std::uint64_t number = 0;
  if (whole_number(text, number) != Reading::number) return std::nullopt;
  if (!is_identity_ && has_leading_zero(text)) return std::nullopt;
  if (is_identity_) return number < count_ ? std::optional(static_cast<std::uint32_t>(number)) : std::nullopt;
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t dense = slots_[slot_of(number)];
  return dense == 0 ? std::nullopt : std::optional(dense - 1);
}

std::string IdTable::name(std::uint32_t dense) const {
  if (kind_ == Kind::texts || kind_ == Kind::digits) return texts_[dense];
  return std::to_string(is_identity_ ? dense : numbers_[dense]);
}

}  // namespace sgmcmc
