// How the program understands a model: declarations, prior and likelihood, groups, and likely mistakes.
#pragma once

#include <sgmcmc/stan.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgmcmc {

/// A range of the model's text.
struct TextPlace {
  std::uint32_t line = 1, column = 1;
  std::string text;  ///< in one line; its first 1000 characters
};

struct ModelWarning {
  TextPlace place;
  std::string message, help;
  std::string rendered;  ///< place, message, the line with carets, and help, in lines of their own
};

struct DeclaredVariable {
  std::string name;
  TextPlace declaration;
};

struct ModelReport {
  std::string name;  ///< of the file
  std::vector<DeclaredVariable> data, parameters;
  std::vector<ModelWarning> warnings;
};
ModelReport report_on(const StanModel& model);

struct ModelStatement {
  enum class Kind : std::uint8_t { prior, likelihood, full };  ///< full: evaluated on all data at every step
  Kind kind = Kind::prior;
  TextPlace place;
  std::string reason;  ///< full: why it cannot be minibatched
};

/// Parameters that the default method integrates out, group by group.
struct ModelGroups {
  std::int64_t count = 0;
  std::size_t numbers_per_group = 0;
  std::vector<std::string> parameters;
  std::size_t others = 0;  ///< unconstrained parameters that all groups share
};

struct PosteriorReport {
  std::vector<ModelStatement> statements;
  std::optional<ModelGroups> groups;
  std::vector<std::string> why_not_groups;  ///< "column: reason", where parameters nearly make groups
  std::string few_rows;                     ///< says that the data have no rows, or one; empty where there are more
  std::vector<ModelWarning> warnings;       ///< of the model and its data
};
/// posterior: that of the model.
PosteriorReport report_on(const StanModel& model, const StanPosterior& posterior);

/// {"model", "data", "parameters", "warnings"}
nlohmann::ordered_json report_json(const ModelReport& report);
/// {"model", "rows", "dimension", "parameters", "outputs", "statements", "groups", "warnings"} and reasons, where there
/// are any
nlohmann::ordered_json report_json(const StanPosterior& posterior, const PosteriorReport& report);

}  // namespace sgmcmc
