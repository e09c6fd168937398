// Reads draws from NetCDF files in the layout of ArviZ's InferenceData.
#include "draws/netcdf.hpp"
#include "draws/netcdf_library.hpp"
#include "draws/variable_names.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <mutex>
#include <optional>

namespace sgmcmc {
namespace {

/// A variable with dimensions (chain, draw, ...).
struct DrawnVariable {
  std::string name;
  int id = 0;
  std::vector<std::size_t> shape;                    // after chain and draw
  std::vector<std::vector<std::int64_t>> positions;  // index of each element along each axis, counted from 1
  std::size_t size = 1;
};

class NetcdfReader {
 public:
  explicit NetcdfReader(const std::filesystem::path& path) : library_(netcdf_library()), path_(path) {
    check(library_.open(path.c_str(), NC_NOWRITE, &id_));
    open_ = true;
  }
  ~NetcdfReader() {
    if (open_) library_.close(id_);
  }
  NetcdfReader(const NetcdfReader&) = delete;
  NetcdfReader& operator=(const NetcdfReader&) = delete;

  void check(int status) const {
    if (status != NC_NOERR) throw FileError("cannot read '" + path_.string() + "': " + library_.strerror(status));
  }
  std::optional<int> group(const char* name) const {
    int id = 0;
    if (library_.inq_grp_ncid(id_, name, &id) != NC_NOERR) return std::nullopt;
    return id;
  }
  /// A text attribute of a group; empty if there is none.
  std::string text(int group, const std::string& name) const {
    nc_type type = 0;
    std::size_t length = 0;
    if (library_.inq_att(group, NC_GLOBAL, name.c_str(), &type, &length) != NC_NOERR || type != NC_CHAR) return "";
    std::string value(length, ' ');
    check(library_.get_att_text(group, NC_GLOBAL, name.c_str(), value.data()));
    while (!value.empty() && value.back() == '\0') value.pop_back();
    return value;
  }
  std::pair<std::string, std::size_t> dimension(int group, int id) const {
    std::array<char, NC_MAX_NAME + 1> name{};
    std::size_t length = 0;
    check(library_.inq_dim(group, id, name.data(), &length));
    return {name.data(), length};
  }

  /// Variables over (chain, draw, ...), in the order of the file; sets the numbers of chains and draws.
  std::vector<DrawnVariable> variables(int group, bool own, std::size_t& chains, std::size_t& draws) const {
    int count = 0;
    check(library_.inq_nvars(group, &count));
    std::vector<DrawnVariable> found;
    for (int id = 0; id < count; ++id) {
      std::array<char, NC_MAX_NAME + 1> name{};
      std::array<int, NC_MAX_VAR_DIMS> dimensions{};
      nc_type type = 0;
      int rank = 0;
      check(library_.inq_var(group, id, name.data(), &type, &rank, dimensions.data(), nullptr));
      if (rank < 2 || type == NC_CHAR || type > NC_UINT64) continue;  // skip coordinates and text
      if (dimension(group, dimensions[0]).first != "chain" || dimension(group, dimensions[1]).first != "draw") continue;
      chains = dimension(group, dimensions[0]).second;
      draws = dimension(group, dimensions[1]).second;
      DrawnVariable variable{name.data(), id, {}, {}, 1};
      for (int axis = 2; axis < rank; ++axis) {
        const auto [own_name, length] = dimension(group, dimensions[static_cast<std::size_t>(axis)]);
        variable.shape.push_back(length);
        variable.positions.push_back(positions(group, own_name, length, own));
        variable.size *= length;
      }
      found.push_back(std::move(variable));
    }
    return found;
  }

  void read(int group, const DrawnVariable& variable, std::size_t chain, std::size_t first, std::size_t count,
            std::vector<double>& values) const {
    std::vector<std::size_t> start(2 + variable.shape.size(), 0), counts = {1, count};
    counts.insert(counts.end(), variable.shape.begin(), variable.shape.end());
    start[0] = chain;
    start[1] = first;
    values.resize(count * variable.size);
    if (!values.empty())
      check(library_.get_vara_double(group, variable.id, start.data(), counts.data(), values.data()));
  }

 private:
  /// In files this program wrote, coordinates are element numbers counted from 0. In other files they may be anything.
  std::vector<std::int64_t> positions(int group, const std::string& name, std::size_t length, bool own) const {
    std::vector<double> coordinates(length);
    for (std::size_t k = 0; k < length; ++k) coordinates[k] = static_cast<double>(k);
    int id = 0;
    const std::size_t start = 0;
    if (own && length > 0 && library_.inq_varid(group, name.c_str(), &id) == NC_NOERR)
      check(library_.get_vara_double(group, id, &start, &length, coordinates.data()));
    std::vector<std::int64_t> positions;
    for (const double coordinate : coordinates) positions.push_back(static_cast<std::int64_t>(coordinate) + 1);
    return positions;
  }

  const NetcdfLibrary& library_;
  std::filesystem::path path_;
  int id_ = 0;
  bool open_ = false;
};

/// "Sigma[1,2]", ..., the last index running fastest, as the file has them.
void add_element_names(const DrawnVariable& variable, std::vector<std::string>& names) {
  if (variable.shape.empty()) {
    names.push_back(variable.name);
    return;
  }
  for (std::size_t flat = 0; flat < variable.size; ++flat) {
    std::string indices;
    std::size_t rest = flat;
    for (std::size_t axis = variable.shape.size(); axis-- > 0; rest /= variable.shape[axis])
      indices = std::to_string(variable.positions[axis][rest % variable.shape[axis]]) +
                (indices.empty() ? "" : "," + indices);
    names.push_back(variable.name + "[" + indices + "]");
  }
}

/// Calls into.begin() and reads the variables of a group into it, with these weights (chain by chain) or with weight 1.
void read_into(const NetcdfReader& reader, int group, const std::vector<DrawnVariable>& variables,
               const std::vector<std::string>& names, std::size_t chains, std::size_t draws,
               const std::vector<double>& weights, MemoryDraws& into) {
  into.begin(names, chains, draws);
  constexpr std::size_t numbers_at_once = std::size_t{1} << 20;
  const std::size_t block = std::max<std::size_t>(1, numbers_at_once / std::max<std::size_t>(1, names.size()));
  std::vector<double> rows, values;
  for (std::size_t chain = 0; chain < chains; ++chain)
    for (std::size_t first = 0; first < draws; first += block) {
      const std::size_t count = std::min(block, draws - first);
      rows.resize(count * names.size());
      std::size_t column = 0;
      for (const auto& variable : variables) {
        reader.read(group, variable, chain, first, count, values);
        for (std::size_t k = 0; k < count; ++k)
          std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(k * variable.size), variable.size,
                      rows.begin() + static_cast<std::ptrdiff_t>(k * names.size() + column));
        column += variable.size;
      }
      for (std::size_t k = 0; k < count; ++k)
        into.write(chain, std::span(rows).subspan(k * names.size(), names.size()),
                   weights.empty() ? 1.0 : weights[chain * draws + first + k]);
    }
}

}  // namespace

bool is_netcdf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> start{};
  file.read(start.data(), start.size());
  const std::string_view text(start.data(), static_cast<std::size_t>(file.gcount()));
  return text == "\x89HDF" || text.starts_with("CDF");
}

StanCsvDraws read_netcdf(const std::filesystem::path& path) {
  const std::lock_guard<std::mutex> lock(netcdf_mutex());
  const NetcdfReader reader(path);
  const auto posterior = reader.group("posterior");
  if (!posterior)
    throw FileError("'" + path.string() + "' has no group posterior: it is not a file of draws as ArviZ writes them");
  StanCsvDraws result;
  const bool own = reader.text(*posterior, "inference_library") == "sgmcmc";
  for (const char* name : {"model", "method", "seed"})
    if (const std::string value = reader.text(*posterior, name); !value.empty())
      result.settings.emplace_back(name == std::string("model") ? name : "sgmcmc." + std::string(name), value);
  if (const std::string depth = reader.text(*posterior, "max_tree_depth"); !depth.empty())
    result.settings.emplace_back("sgmcmc.max_tree_depth", depth);
  std::size_t chains = 0, draws = 0;
  const auto variables = reader.variables(*posterior, own, chains, draws);
  if (variables.empty())
    throw FileError("'" + path.string() + "': its group posterior has no variables over chain and draw");

  std::vector<DrawnVariable> statistics;
  std::vector<double> weights;
  std::vector<std::string> statistic_names;
  const auto stats = reader.group("sample_stats");
  if (stats) {
    std::size_t their_chains = 0, their_draws = 0;
    for (auto& variable : reader.variables(*stats, own, their_chains, their_draws))
      if (variable.shape.empty() && their_chains == chains && their_draws == draws) {
        if (own && variable.name == "weight") {
          std::vector<double> values;
          for (std::size_t chain = 0; chain < chains; ++chain) {
            reader.read(*stats, variable, chain, 0, draws, values);
            weights.insert(weights.end(), values.begin(), values.end());
          }
        }
        statistic_names.push_back(csv_statistic_name(variable.name));
        statistics.push_back(std::move(variable));
      }
  }
  for (const double weight : weights)
    if (!(weight >= 0.0) || !std::isfinite(weight))
      throw FileError("'" + path.string() + "': a weight is " + std::to_string(weight) +
                      "; weights are finite and not negative");
  std::vector<std::string> names;
  for (const auto& variable : variables) add_element_names(variable, names);
  read_into(reader, *posterior, variables, names, chains, draws, weights, result.draws);
  read_into(reader, stats.value_or(0), statistics, statistic_names, chains, draws, weights, result.sampler);
  return result;
}

StanCsvDraws read_draws(const std::vector<std::filesystem::path>& folders_or_files) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::vector<fs::path> files;
  for (const auto& operand : folders_or_files) {
    const bool netcdf_only =
        fs::is_regular_file(operand / "draws.nc", ignored) && !fs::exists(operand / "chain-1.csv", ignored);
    if (netcdf_only)
      files.push_back(operand / "draws.nc");
    else
      for (auto& file : chain_files(operand)) files.push_back(std::move(file));
  }
  const auto netcdf = std::find_if(files.begin(), files.end(), is_netcdf);
  if (netcdf == files.end()) return read_stan_csv(files);
  if (files.size() > 1)
    throw FileError("'" + netcdf->string() + "' holds all chains of a run; give it alone, without other files");
  return read_netcdf(*netcdf);
}

}  // namespace sgmcmc
