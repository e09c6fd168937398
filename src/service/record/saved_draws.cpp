// Reads draws, with the comments and attributes in their files.
#include "service/record/saved_draws.hpp"

#include "draws/netcdf.hpp"
#include "settings/table.hpp"

#include <sgmcmc/dynamics.hpp>

#include <cstdint>
#include <utility>

namespace sgmcmc {
namespace {

using FileSettings = std::vector<std::pair<std::string, std::string>>;

/// The maximum tree depth in the header of a file written by this program or CmdStan.
std::uint32_t max_tree_depth_in(const FileSettings& settings) {
  for (const auto& [name, value] : settings)
    if (name == "sgmcmc.max_tree_depth" || name == "max_depth")
      if (const auto depth = count_from(value)) return static_cast<std::uint32_t>(*depth);
  return NutsOptions{}.max_tree_depth;
}

std::string model_in(const FileSettings& settings) {
  for (const auto& [name, value] : settings)
    if (name == "model") return value;
  return "";
}

}  // namespace

SavedDraws read_saved_draws(const std::vector<std::filesystem::path>& folders_or_files) {
  StanCsvDraws read = read_draws(folders_or_files);
  SavedDraws saved;
  saved.sampler = report_sampler(read.sampler, max_tree_depth_in(read.settings));
  saved.draws = std::move(read.draws);
  saved.seconds = read.seconds;
  saved.model = model_in(read.settings);
  saved.warnings = std::move(read.warnings);
  return saved;
}

}  // namespace sgmcmc
