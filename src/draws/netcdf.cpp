// Writes draws as a NetCDF-4 file, with a group each for parameters, sampler statistics, log likelihoods and
// observations.
#include "draws/netcdf.hpp"

#include "draws/netcdf_library.hpp"
#include "draws/variable_names.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace sgmcmc {
namespace {

constexpr std::size_t numbers_in_chunk = std::size_t{1} << 16;  // written and compressed together

/// Number of draws written at once for a variable with this many elements.
std::size_t draws_at_once(std::size_t elements) {
  return std::max<std::size_t>(1, numbers_in_chunk / std::max<std::size_t>(1, elements));
}

/// A file being written, deleted unless it is finished.
class NetcdfFile {
 public:
  NetcdfFile(std::filesystem::path path, bool compressed)
      : library_(netcdf_library()), path_(std::move(path)), compressed_(compressed) {
    part_ = path_;
    part_ += ".part";
    // libnetcdf reports one error for every cause, so open the file here first to learn the system's reason.
    std::FILE* probe = std::fopen(part_.c_str(), "wb");
    if (!probe)
      throw FileError("cannot create '" + path_.string() + "': " + std::generic_category().message(errno) +
                      "; make the folder writable or name another");
    std::fclose(probe);
    check(library_.create(part_.c_str(), NC_NETCDF4 | NC_CLOBBER, &id_));
    open_ = true;
  }
  ~NetcdfFile() {
    if (open_) library_.close(id_);
    std::error_code ignored;
    if (!finished_) std::filesystem::remove(part_, ignored);
  }
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;

  void finish() {
    open_ = false;
    check(library_.close(id_));  // writes most of the data
    std::error_code failure;
    std::filesystem::rename(part_, path_, failure);
    if (failure) throw FileError("cannot rename '" + part_.string() + "' to its name: " + failure.message());
    finished_ = true;
  }

  void check(int status) const {
    if (status == NC_NOERR) return;
    throw FileError("cannot write '" + path_.string() + "': " + library_.strerror(status) +
                    "; see that the folder can be written to and has space");
  }

  const NetcdfLibrary& library() const { return library_; }
  int id() const { return id_; }
  bool compressed() const { return compressed_; }

 private:
  const NetcdfLibrary& library_;
  std::filesystem::path path_, part_;
  bool compressed_;
  int id_ = 0;
  bool open_ = false;
  bool finished_ = false;
};

using Coordinates = std::vector<std::vector<double>>;  // one vector per axis

/// One group: its dimensions and variables.
class Group {
 public:
  Group(NetcdfFile& file, const std::string& name) : file_(file), library_(file.library()) {
    file_.check(library_.def_grp(file_.id(), name.c_str(), &id_));
  }

  void attribute(const std::string& name, const std::string& value, int variable = NC_GLOBAL) {
    file_.check(library_.put_att_text(id_, variable, name.c_str(), value.size(), value.data()));
  }

  /// A dimension with coordinates 0, 1, ...
  int dimension(const std::string& name, std::size_t length) {
    std::vector<double> coordinates(length);
    std::iota(coordinates.begin(), coordinates.end(), 0.0);
    return dimension(name, coordinates);
  }
  int dimension(const std::string& name, const std::vector<double>& coordinates) {
    const std::size_t length = coordinates.size();
    int dimension = 0, variable = 0;
    file_.check(library_.def_dim(id_, name.c_str(), length, &dimension));
    taken_.insert(name);
    if (name == "draw") draws_ = length;
    file_.check(library_.def_var(id_, name.c_str(), NC_INT64, 1, &dimension, &variable));
    put(variable, {0}, {length}, coordinates);
    return dimension;
  }

  /// A variable over `dimensions`, followed by those of its own shape, NAME_dim_0, NAME_dim_1, ..., with coordinates 0,
  /// 1, ... unless others are given.
  int variable(const std::string& wanted, nc_type type, std::vector<int> dimensions, const Shape& shape,
               const Coordinates& coordinates = {}) {
    std::string name = wanted;
    std::replace(name.begin(), name.end(), '/', '_');  // separates groups in NetCDF
    while (taken_.contains(name)) name += '_';         // a parameter called draw, say
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      const std::string own = name + "_dim_" + std::to_string(axis);
      dimensions.push_back(coordinates.empty() ? dimension(own, static_cast<std::size_t>(shape[axis]))
                                               : dimension(own, coordinates[axis]));
    }
    int id = 0;
    file_.check(library_.def_var(id_, name.c_str(), type, static_cast<int>(dimensions.size()), dimensions.data(), &id));
    taken_.insert(name);
    if (file_.compressed() && !dimensions.empty()) compress(id, dimensions.size(), shape);
    return id;
  }

  void put(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
           const std::vector<double>& values) {
    if (!values.empty())
      file_.check(library_.put_vara_double(id_, variable, start.data(), count.data(), values.data()));
  }

 private:
  /// A chunk is what is written at once: draws of one chain. Arrays that are not draws use the library's default
  /// chunks.
  void compress(int variable, std::size_t rank, const Shape& shape) {
    constexpr int level = 4;
    if (rank == shape.rank() + 2) {
      std::vector<std::size_t> chunk = {
          1, std::max<std::size_t>(1, std::min(draws_, draws_at_once(static_cast<std::size_t>(shape.size()))))};
      for (const auto length : shape.dims()) chunk.push_back(static_cast<std::size_t>(length));
      file_.check(library_.def_var_chunking(id_, variable, NC_CHUNKED, chunk.data()));
    }
    file_.check(library_.def_var_deflate(id_, variable, 1, 1, level));
  }

  NetcdfFile& file_;
  const NetcdfLibrary& library_;
  int id_ = 0;
  std::size_t draws_ = 1;  // length of the dimension draw
  std::set<std::string> taken_;
};

/// Chains for which the same number of draws is written, so that every element of the file has a value.
struct Rectangle {
  std::vector<double> chains;
  std::size_t draws = 0;
};

/// The rectangle that holds the most draws if chains stopped at different lengths: drops shorter chains, truncates
/// longer ones.
Rectangle largest_rectangle(const MemoryDraws& draws) {
  Rectangle best;
  for (std::size_t chain = 0; chain < draws.chains(); ++chain) {
    Rectangle other{{}, draws.draws(chain)};
    for (std::size_t k = 0; k < draws.chains(); ++k)
      if (draws.draws(k) >= other.draws) other.chains.push_back(static_cast<double>(k));
    if (best.chains.empty() || other.draws * other.chains.size() > best.draws * best.chains.size())
      best = std::move(other);
  }
  return best;
}

/// The draws of one variable, in blocks of draws that stay in cache.
void put_draws(Group& group, int id, const MemoryDraws& draws, const Variable& variable, const Rectangle& part) {
  const std::size_t block = draws_at_once(variable.positions.size());
  std::vector<double> values;
  std::vector<std::size_t> start(2 + variable.shape.rank(), 0), count(2 + variable.shape.rank(), 1);
  for (std::size_t axis = 0; axis < variable.shape.rank(); ++axis)
    count[2 + axis] = static_cast<std::size_t>(variable.shape[axis]);
  for (std::size_t row = 0; row < part.chains.size(); ++row)
    for (std::size_t first = 0; first < part.draws; first += block) {
      const auto chain = static_cast<std::size_t>(part.chains[row]);
      const std::size_t last = std::min(first + block, part.draws);
      values.clear();
      for (std::size_t draw = first; draw < last; ++draw)
        for (const std::size_t position : variable.positions) values.push_back(draws(chain, draw, position));
      start[0] = row;
      start[1] = first;
      count[1] = last - first;
      group.put(id, start, count, values);
    }
}

bool all_finite(const MemoryDraws& draws, const Variable& variable, const Rectangle& part) {
  for (const double chain : part.chains)
    for (std::size_t draw = 0; draw < part.draws; ++draw) {
      const auto values = draws.draw(static_cast<std::size_t>(chain), draw);
      for (const std::size_t position : variable.positions)
        if (!std::isfinite(values[position])) return false;
    }
  return true;
}

struct WholeVariable {
  Variable variable;
  Coordinates coordinates;  // empty: 0, 1, ... on every axis
};

/// The present elements, if they are all combinations of a set of indices on each axis; otherwise empty.
std::optional<WholeVariable> kept_part(const Variable& variable) {
  const auto& dims = variable.shape.dims();
  std::vector<std::set<std::int64_t>> kept(dims.size());
  std::vector<std::size_t> positions;
  for (std::size_t flat = 0; flat < variable.positions.size(); ++flat) {
    if (variable.positions[flat] == Variable::absent) continue;
    positions.push_back(variable.positions[flat]);
    auto rest = static_cast<std::int64_t>(flat);
    for (std::size_t axis = dims.size(); axis-- > 0; rest /= dims[axis]) kept[axis].insert(rest % dims[axis]);
  }
  WholeVariable part;
  std::vector<std::int64_t> lengths;
  for (const auto& indices : kept) {
    lengths.push_back(static_cast<std::int64_t>(indices.size()));
    part.coordinates.emplace_back(indices.begin(), indices.end());
  }
  part.variable = {variable.name, Shape(lengths), std::move(positions)};
  if (part.variable.shape.size() != static_cast<std::int64_t>(part.variable.positions.size())) return std::nullopt;
  return part;
}

/// Keeps a variable whole if all its elements are present, or all combinations of some indices. Splits any other
/// variable into scalars under their own names.
std::vector<WholeVariable> whole_variables(const std::vector<std::string>& names) {
  std::vector<WholeVariable> whole;
  for (Variable& variable : variables_of(names)) {
    if (std::find(variable.positions.begin(), variable.positions.end(), Variable::absent) == variable.positions.end()) {
      whole.push_back({std::move(variable), {}});
    } else if (auto part = kept_part(variable)) {
      whole.push_back(std::move(*part));
    } else {
      for (const std::size_t position : variable.positions)
        if (position != Variable::absent) whole.push_back({{names[position], {}, {position}}, {}});
    }
  }
  return whole;
}

/// Names of the same statistic in CmdStan and in ArviZ.
constexpr std::pair<std::string_view, std::string_view> statistics_with_two_names[] = {
    {"accept_stat__", "acceptance_rate"},
    {"stepsize__", "step_size"},
    {"treedepth__", "tree_depth"},
    {"n_leapfrog__", "n_steps"},
    {"divergent__", "diverging"}};

/// ArviZ's name for a CmdStan column; other sampler columns lose their trailing underscores.
std::string statistic_name(const std::string& column) {
  for (const auto& [theirs, arviz] : statistics_with_two_names)
    if (column == theirs) return std::string(arviz);
  return is_sampler_name(column) ? column.substr(0, column.size() - 2) : column;
}

using Attributes = std::vector<std::pair<std::string, std::string>>;

void put_posterior(NetcdfFile& file, const MemoryDraws& draws, const Attributes& attributes) {
  Group group(file, "posterior");
  for (const auto& [name, value] : attributes) group.attribute(name, value);
  const Rectangle part = largest_rectangle(draws);
  const std::vector<int> outer = {group.dimension("chain", part.chains), group.dimension("draw", part.draws)};
  for (const auto& [variable, coordinates] : whole_variables(draws.names()))
    if (all_finite(draws, variable, part))
      put_draws(group, group.variable(variable.name, NC_DOUBLE, outer, variable.shape, coordinates), draws, variable,
                part);
}

/// Writes unequal weights, for readers that have only this file.
void put_weights(Group& group, const std::vector<int>& outer, const MemoryDraws& draws, const Rectangle& part) {
  const int id = group.variable("weight", NC_DOUBLE, outer, {});
  for (std::size_t row = 0; row < part.chains.size(); ++row) {
    const auto weights = draws.weights(static_cast<std::size_t>(part.chains[row])).first(part.draws);
    group.put(id, {row, 0}, {1, part.draws}, {weights.begin(), weights.end()});
  }
}

void put_sample_stats(NetcdfFile& file, const MemoryDraws& sampler, const MemoryDraws& draws,
                      const Attributes& attributes) {
  Group group(file, "sample_stats");
  for (const auto& [name, value] : attributes) group.attribute(name, value);
  const Rectangle part = largest_rectangle(sampler);
  const std::vector<int> outer = {group.dimension("chain", part.chains), group.dimension("draw", part.draws)};
  for (std::size_t k = 0; k < sampler.names().size(); ++k) {
    const std::string name = statistic_name(sampler.names()[k]);
    const Variable column{name, {}, {k}};
    if (!all_finite(sampler, column, part)) continue;  // such as lp__ from a file that has NaN there
    const bool yes_or_no = name == "diverging";
    const bool whole = name == "tree_depth" || name == "n_steps";
    const int id = group.variable(name, yes_or_no ? NC_BYTE : whole ? NC_INT64 : NC_DOUBLE, outer, {});
    if (yes_or_no) group.attribute("dtype", "bool", id);  // as xarray stores booleans
    put_draws(group, id, sampler, column, part);
  }
  const auto& names = sampler.names();
  if (!draws.equal_weights() && std::find(names.begin(), names.end(), "weight__") == names.end())
    put_weights(group, outer, draws, largest_rectangle(draws));
}

void put_log_likelihood(NetcdfFile& file, const MemoryDraws& draws, const RowLogLikelihoods& likelihood,
                        const Attributes& attributes) {
  Group group(file, "log_likelihood");
  for (const auto& [name, value] : attributes) group.attribute(name, value);
  const Rectangle part = largest_rectangle(draws);
  const std::vector<int> outer = {group.dimension("chain", part.chains), group.dimension("draw", part.draws)};
  const int id = group.variable(likelihood.name, NC_DOUBLE, outer, Shape({static_cast<std::int64_t>(likelihood.rows)}));
  std::vector<double> values(likelihood.rows);
  for (std::size_t row = 0; row < part.chains.size(); ++row)
    for (std::size_t draw = 0; draw < part.draws; ++draw) {
      likelihood.at(static_cast<std::size_t>(part.chains[row]), draw, values);
      group.put(id, {row, draw, 0}, {1, 1, likelihood.rows}, values);
    }
}

void put_observed(NetcdfFile& file, const std::vector<ObservedArray>& observed, const Attributes& attributes) {
  Group group(file, "observed_data");
  for (const auto& [name, value] : attributes) group.attribute(name, value);
  for (const ObservedArray& array : observed) {
    if (array.shape.size() == 0) continue;  // a dimension of length zero would be an unlimited one
    if (static_cast<std::int64_t>(array.values.size()) != array.shape.size())
      throw OptionError("observed array '" + array.name + "' has " + std::to_string(array.values.size()) +
                        " values for the shape " + array.shape.to_string());
    if (!std::all_of(array.values.begin(), array.values.end(), [](double value) { return std::isfinite(value); }))
      continue;
    const int id = group.variable(array.name, array.whole_numbers ? NC_INT64 : NC_DOUBLE, {}, array.shape);
    std::vector<std::size_t> start(array.shape.rank(), 0), count;
    for (const auto length : array.shape.dims()) count.push_back(static_cast<std::size_t>(length));
    group.put(id, start, count, array.values);
  }
}

}  // namespace

std::string csv_statistic_name(const std::string& name) {
  for (const auto& [theirs, arviz] : statistics_with_two_names)
    if (name == arviz) return std::string(theirs);
  return name + "__";
}

void write_netcdf(const std::filesystem::path& path, const NetcdfContents& contents) {
  if (!contents.draws || contents.draws->chains() == 0)
    throw OptionError("there are no draws to write to '" + path.string() + "'");
  const std::lock_guard<std::mutex> lock(netcdf_mutex());
  Attributes attributes = {{"inference_library", "sgmcmc"}};
  attributes.insert(attributes.end(), contents.attributes.begin(), contents.attributes.end());
  NetcdfFile file(path, contents.compressed);
  for (const auto& [name, value] : attributes)
    file.check(file.library().put_att_text(file.id(), NC_GLOBAL, name.c_str(), value.size(), value.data()));
  put_posterior(file, *contents.draws, attributes);
  if (contents.sampler && !contents.sampler->names().empty())
    put_sample_stats(file, *contents.sampler, *contents.draws, attributes);
  if (contents.log_likelihood && contents.log_likelihood->rows > 0)
    put_log_likelihood(file, *contents.draws, *contents.log_likelihood, attributes);
  if (!contents.observed.empty()) put_observed(file, contents.observed, attributes);
  file.finish();
}

}  // namespace sgmcmc
