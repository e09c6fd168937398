// Reading side features, and scaling them.
#include "factors/ratings/side_features.hpp"

#include "data/text/lines.hpp"
#include "factors/ratings/delimited_fields.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace sgmcmc {

namespace {

constexpr std::size_t feature_bytes_at_a_time = std::size_t{64} << 10;

class FeatureReader {
 public:
  explicit FeatureReader(Input& input) : file_(input.name()), lines_(input, feature_bytes_at_a_time) {}

  std::shared_ptr<SideFeatures::Parts> read() {
    std::string_view line;
    if (!next(line)) refuse("there are no lines with an id and numbers");
    separator_ = separator_of(line);
    split(line);
    if (fields_.size() < 2)
      refuse("the line is " + shown(line) +
             " where an id and numbers are expected, separated by ::, tabs, commas, ; or |");
    if (fields_.size() > most_features + 1)
      refuse("the line has " + std::to_string(fields_.size()) + " fields: more than an id and " +
             std::to_string(most_features) + " numbers");
    expected_ = fields_.size();
    bool is_header = false;
    for (std::size_t k = 1; k < expected_; ++k) is_header |= !real_from(fields_[k]) && !is_missing_value(fields_[k]);
    for (std::size_t k = 1; k < expected_; ++k)
      parts_->names.emplace_back(is_header ? std::string(fields_[k]) : std::to_string(k));
    check_lines_above();
    if (is_header && !next(line)) refuse("there are no lines below the names of the columns");
    do {
      split(line);
      add();
    } while (next(line));
    return std::move(parts_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw DataError(file_ + ":" + std::to_string(std::max<std::uint64_t>(1, line_)) + ": " + what);
  }

  bool next(std::string_view& line) {
    while (lines_.next(line)) {
      ++line_;
      line = trimmed(line);
      if (line.empty()) continue;
      if (line.front() != '#') return true;
      if (!may_be_an_id(line)) continue;
      if (expected_ == 0) {
        above_.emplace_back(line_, line);
      } else if (refuses_as_remark(line)) {
        refuse(remark_complaint(line, separator_));
      }
    }
    return false;
  }

  bool refuses_as_remark(std::string_view line) {
    split(line);
    return fields_.size() == expected_;
  }

  /// Refuses what begins like a remark above the first line, and has its fields, unless it names columns.
  void check_lines_above() {
    for (const auto& [place, line] : above_)
      if (refuses_as_remark(line) && std::all_of(fields_.begin() + 1, fields_.end(),
                                                 [](std::string_view field) { return real_from(field).has_value(); })) {
        line_ = place;
        refuse(remark_complaint(line, separator_));
      }
    above_.clear();
  }

  void split(std::string_view line) {
    fields_.clear();
    kept_.clear();
    split_fields(line, separator_, kept_, [&](std::string_view field) { fields_.push_back(field); });
  }

  void add() {
    if (fields_.size() != expected_)
      refuse("the line has " + std::to_string(fields_.size()) + (fields_.size() == 1 ? " field" : " fields") +
             " separated by " + separator_name(separator_) + ", the first line has " + std::to_string(expected_) +
             (lines_.has_more() ? "" : ". If the file was cut short, copy it again"));
    const auto found = parts_->ids.add(fields_[0]);
    if (!found.complaint.empty()) refuse("the id " + found.complaint);
    if (found.dense < line_of_.size())
      refuse("the id " + std::string(fields_[0]) + " is already on line " + std::to_string(line_of_[found.dense]) +
             ". Keep one line for each id");
    line_of_.push_back(line_);
    for (std::size_t k = 1; k < expected_; ++k) {
      const auto value = real_from(fields_[k]);
      const std::string what = "column " + shown(parts_->names[k - 1]) + " is " + shown(fields_[k]);
      if (!value) refuse(what + ", which is not a number. Give categories as columns of 0 and 1");
      if (!std::isfinite(*value)) refuse(what + "; features must be finite. Give a number, such as the column's mean");
      parts_->numbers.push_back(*value);
    }
  }

  std::string file_;
  Lines lines_;
  std::shared_ptr<SideFeatures::Parts> parts_ = std::make_shared<SideFeatures::Parts>();
  std::string_view separator_;
  std::vector<std::string_view> fields_;
  UnquotedFields kept_;
  std::vector<std::uint64_t> line_of_;                        // of each id
  std::size_t expected_ = 0;                                  // fields of a line; 0 until they are known
  std::vector<std::pair<std::uint64_t, std::string>> above_;  // lines above the first that may not be remarks
  std::uint64_t line_ = 0;
};

}  // namespace

SideFeatures read_side_features(Input& input) {
  if (input.peek(1).empty()) throw DataError(input.name() + ":1: the file is empty");
  return SideFeatures(FeatureReader(input).read());
}

SideFeatures SideFeatures::read(const std::string& path) {
  Input input(path, open_file(path));
  return read_side_features(input);
}

SideFeatures SideFeatures::from_rows(std::vector<double> numbers, std::size_t columns) {
  if (columns == 0 || columns > most_features)
    throw DataError("side features have from 1 to " + std::to_string(most_features) + " columns; found " +
                    std::to_string(columns));
  auto parts = std::make_shared<Parts>();
  parts->ids = IdTable::identity(static_cast<std::uint32_t>(numbers.size() / columns));
  for (std::size_t k = 1; k <= columns; ++k) parts->names.push_back(std::to_string(k));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i]))
      throw DataError("side feature " + std::to_string(i % columns + 1) + " of row " + std::to_string(i / columns) +
                      " is not finite");
  parts->numbers = std::move(numbers);
  return SideFeatures(std::move(parts));
}

std::uint32_t SideFeatures::rows() const { return parts_->ids.size(); }
const std::vector<std::string>& SideFeatures::names() const { return parts_->names; }
std::string SideFeatures::id(std::uint32_t row) const { return parts_->ids.name(row); }

std::optional<std::span<const double>> SideFeatures::find(std::string_view id) const {
  const auto row = parts_->ids.find(id);
  if (!row) return std::nullopt;
  return std::span<const double>(parts_->numbers).subspan(*row * columns(), columns());
}

namespace {

/// Mean and standard deviation of numbers whose squares are too large or too small for a double.
std::pair<double, double> mean_and_sd(const std::vector<double>& numbers) {
  double largest = 0, mean = 0, square = 0;
  for (const double x : numbers) largest = std::max(largest, std::abs(x));
  if (largest == 0) return {0, 0};
  const auto count = static_cast<double>(numbers.size());
  for (const double x : numbers) mean += x / largest / count;
  for (const double x : numbers) square += std::pow(x / largest - mean, 2) / count;
  return {largest * mean, largest * std::sqrt(square)};
}

std::string name_of(const Ratings& ids, std::uint32_t row, bool of_users) {
  return of_users ? ids.user_name(row) : ids.item_name(row);
}

}  // namespace

void need_features(const SideFeatures& features, const Ratings& ids, std::span<const Rating> rated, bool of_users) {
  std::vector<bool> needed(of_users ? ids.users() : ids.items());
  for (const Rating& rating : rated) needed[of_users ? rating.user : rating.item] = true;
  for (std::uint32_t i = 0; i < needed.size(); ++i)
    if (needed[i] && !features.find(name_of(ids, i, of_users)))
      throw DataError(std::string("there are ratings ") + (of_users ? "by user " : "of item ") +
                      name_of(ids, i, of_users) + " and no side features. Add a line with its features to the file");
}

FeatureRows feature_rows(const SideFeatures& features, const Ratings& ids, std::span<const Rating> rated, bool of_users,
                         FeatureScale& scale) {
  const std::size_t columns = features.columns(), count = of_users ? ids.users() : ids.items();
  need_features(features, ids, rated, of_users);
  FeatureRows rows{columns, std::vector<double>(count * columns)};
  std::vector<bool> known(count);
  scale = {features.names(), std::vector<double>(columns), std::vector<double>(columns), {}};
  double present = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = features.find(name_of(ids, static_cast<std::uint32_t>(i), of_users));
    if (!found) continue;
    known[i] = true;
    present += 1;
    std::copy(found->begin(), found->end(), rows.numbers.begin() + static_cast<std::ptrdiff_t>(i * columns));
    for (std::size_t k = 0; k < columns; ++k) scale.centre[k] += (*found)[k];
  }
  for (double& centre : scale.centre) centre /= std::max(1.0, present);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; known[i] && k < columns; ++k)
      scale.unit[k] += std::pow(rows.row(i)[k] - scale.centre[k], 2) / present;
  for (std::size_t k = 0; k < columns; ++k) {
    double sd = std::sqrt(scale.unit[k]);
    if (!std::isfinite(sd) || !std::isfinite(scale.centre[k]) || sd < 1e-140) {
      std::vector<double> column;
      for (std::size_t i = 0; i < count; ++i)
        if (known[i]) column.push_back(rows.row(i)[k]);
      std::tie(scale.centre[k], sd) = mean_and_sd(column);
    }
    const bool varies = sd > 1e-12 * std::abs(scale.centre[k]);
    scale.unit[k] = varies ? sd : std::numeric_limits<double>::infinity();
    if (!varies) scale.constant.push_back(scale.names[k]);
  }
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; known[i] && k < columns; ++k) {
      double& number = rows.numbers[i * columns + k];
      number = scale.scaled(k, number);
    }
  return rows;
}

}  // namespace sgmcmc
