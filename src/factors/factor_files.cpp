// Files of a factor model: draws as NumPy arrays, ids as text.
#include "base/atomic_file.hpp"
#include "data/formats/json_reader.hpp"
#include "data/formats/npy_reader.hpp"
#include "data/text/number_text.hpp"
#include "factors/factor_draws.hpp"
#include "factors/ratings/delimited_fields.hpp"
#include "factors/ratings/rating_readers.hpp"

#include <sgmcmc/error.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

namespace sgmcmc {

namespace {

namespace fs = std::filesystem;

template <class Number>
void write_array(const fs::path& path, const std::vector<std::size_t>& shape, const std::vector<Number>& numbers) {
  std::string text =
      std::string("{'descr': '<f") + (sizeof(Number) == 4 ? "4" : "8") + "', 'fortran_order': False, 'shape': (";
  for (const std::size_t extent : shape) text += std::to_string(extent) + ", ";
  text += "), }";
  while ((10 + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(text.size() % 256);
  bytes += static_cast<char>(text.size() / 256);
  bytes += text;
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
  replace_file(path, bytes);
}

template <class Number>
void read_array(const fs::path& path, std::size_t expected, std::vector<Number>& numbers) {
  Input input(path.string(), open_file(path.string()));
  const DataArray array = read_npy(input, WantedKind::real);
  if (static_cast<std::size_t>(array.size()) != expected)
    throw DataError(path.string() + ": holds " + std::to_string(array.size()) + " numbers; model.json announces " +
                    std::to_string(expected));
  numbers.resize(expected);
  for (std::size_t i = 0; i < expected; ++i) numbers[i] = static_cast<Number>(array[static_cast<std::int64_t>(i)]);
}

/// Members of model.json where observations are not gaussian; others have the name of none.
std::string observations_text(const FactorModel::Parts& all) {
  switch (all.law.kind()) {
    case Observations::gaussian: return "";
    case Observations::poisson: return ",\n  \"poisson\": 1";
    case Observations::bernoulli: return ",\n  \"bernoulli\": 1";
    case Observations::stable: return ",\n  \"stable_alpha\": " + number_text(all.alpha);
  }
  return "";
}

using Features = FactorModel::Parts::Features;

std::string features_text(const std::string& side, const Features& features) {
  if (features.scale.columns() == 0) return "";
  return ",\n  \"" + side + "_features\": " + std::to_string(features.scale.columns());
}

/// Names, means and standard deviations as text, and the weights of each draw.
void write_features(const fs::path& path, const std::string& side, const Features& features, std::size_t draws,
                    std::size_t size) {
  const FeatureScale& scale = features.scale;
  if (scale.columns() == 0) return;
  write_array(path / (side + "_weights.npy"), {draws, scale.columns(), size}, features.weights);
  std::string text = "mean\tsd\tname\n";
  for (std::size_t k = 0; k < scale.columns(); ++k)
    text += number_text(scale.centre[k]) + '\t' + number_text(scale.unit[k]) + '\t' + scale.names[k] + '\n';
  replace_file(path / (side + "_features.tsv"), text);
}

void read_features(const fs::path& path, const std::string& side, std::size_t columns, std::size_t draws,
                   std::size_t size, Features& features) {
  const fs::path name = path / (side + "_features.tsv");
  std::ifstream file(name);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    const auto centre = real_from(std::string_view(line).substr(0, first));
    const auto unit =
        second == line.npos ? std::nullopt : real_from(std::string_view(line).substr(first + 1, second - first - 1));
    if (!centre || !unit || !(*unit > 0)) throw DataError(name.string() + ": is damaged at '" + line + "'");
    features.scale.names.push_back(line.substr(second + 1));
    features.scale.centre.push_back(*centre);
    features.scale.unit.push_back(*unit);
  }
  if (features.scale.columns() != columns)
    throw DataError(name.string() + ": has " + std::to_string(features.scale.columns()) +
                    " features; model.json announces " + std::to_string(columns));
  read_array(path / (side + "_weights.npy"), draws * columns * size, features.weights);
}

void read_ids(const fs::path& path, std::uint32_t expected, IdTable& table) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (const auto found = table.add(line); !found.complaint.empty())
      throw DataError(path.string() + ":" + std::to_string(table.size() + 1) + ": the id " + found.complaint);
  if (table.size() != expected)
    throw DataError(path.string() + ": has " + std::to_string(table.size()) + " different ids; model.json announces " +
                    std::to_string(expected));
}

}  // namespace

void FactorModel::save(const std::string& folder) const {
  const Parts& all = *parts_;
  const std::size_t size = all.shape.size();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw FileError(folder + ": the folder cannot be made: " + error.message());
  const fs::path path(folder);
  write_array(path / "user_factors.npy", {all.draws, all.users, size}, all.user_rows);
  write_array(path / "item_factors.npy", {all.draws, all.items, size}, all.item_rows);
  write_array(path / "factor_priors.npy", {all.draws, all.numbers_of_prior()}, all.priors);
  std::string users, items;
  for (std::uint32_t i = 0; i < all.users; ++i) users += user_name(i) + '\n';
  for (std::uint32_t i = 0; i < all.items; ++i) items += item_name(i) + '\n';
  write_features(path, "user", all.user_features, all.draws, size);
  write_features(path, "item", all.item_features, all.draws, size);
  replace_file(path / "user_ids.txt", users);
  replace_file(path / "item_ids.txt", items);
  replace_file(path / "model.json",
               "{\n  \"factors\": " + std::to_string(all.shape.factors) + ",\n  \"biases\": " +
                   (all.shape.biases ? "1" : "0") + ",\n  \"users\": " + std::to_string(all.users) +
                   ",\n  \"items\": " + std::to_string(all.items) + ",\n  \"draws\": " + std::to_string(all.draws) +
                   ",\n  \"offset\": " + number_text(all.offset) + ",\n  \"scale\": " + number_text(all.scale) +
                   ",\n  \"interval\": " + number_text(interval_) + observations_text(all) +
                   features_text("user", all.user_features) + features_text("item", all.item_features) + "\n}\n");
}

FactorModel FactorModel::load(const std::string& folder) {
  const fs::path path(folder);
  const std::string json_name = (path / "model.json").string(), advice = "Give the output folder of a run of factorize";
  auto numbers = read_json_numbers(
      json_name, {"factors", "biases", "users", "items", "draws", "offset", "scale", "interval"}, advice);
  const auto whole = [&](const char* key, double least, double most) {
    const double value = numbers[key];
    if (!(value >= least && value <= most && value == std::floor(value)))
      throw DataError(json_name + ": '" + key + "' is damaged. " + advice);
    return static_cast<std::uint32_t>(value);
  };
  auto parts = std::make_shared<Parts>();
  parts->shape = {whole("factors", 1, 1000), whole("biases", 0, 1) == 1};
  parts->users = whole("users", 1, 4294967294.0);
  parts->items = whole("items", 1, 4294967294.0);
  parts->draws = whole("draws", 1, 1e9);
  parts->offset = numbers["offset"];
  parts->scale = numbers["scale"];
  parts->interval = numbers["interval"];
  const auto kind = numbers.count("poisson") > 0        ? Observations::poisson
                    : numbers.count("bernoulli") > 0    ? Observations::bernoulli
                    : numbers.count("stable_alpha") > 0 ? Observations::stable
                                                        : Observations::gaussian;
  if (kind == Observations::stable) parts->alpha = numbers["stable_alpha"];
  if (!(parts->alpha > 1 && parts->alpha < 2)) throw DataError(json_name + ": 'stable_alpha' is damaged. " + advice);
  parts->law = ObservationLaw(kind, parts->alpha);
  const std::size_t size = parts->shape.size(), draws = parts->draws;
  if (numbers.count("user_features") > 0)
    read_features(path, "user", whole("user_features", 1, most_features), draws, size, parts->user_features);
  if (numbers.count("item_features") > 0)
    read_features(path, "item", whole("item_features", 1, most_features), draws, size, parts->item_features);
  read_array(path / "user_factors.npy", draws * parts->users * size, parts->user_rows);
  read_array(path / "item_factors.npy", draws * parts->items * size, parts->item_rows);
  read_array(path / "factor_priors.npy", draws * parts->numbers_of_prior(), parts->priors);
  auto ids = std::make_shared<Ratings::Parts>();
  read_ids(path / "user_ids.txt", parts->users, ids->users);
  read_ids(path / "item_ids.txt", parts->items, ids->items);
  parts->ids = Ratings(std::move(ids));
  return FactorModel(std::move(parts));
}

}  // namespace sgmcmc
