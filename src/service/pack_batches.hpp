// Row files written from rows that a front end hands on, batch by batch.
#pragma once

#include "data/row_files/writer.hpp"
#include "service/pack_run.hpp"

#include <string>
#include <vector>

namespace sgmcmc {

/// A variable of a model's data block.
struct DeclaredData {
  std::string name;
  bool is_integer = false;
  std::string first_size;  ///< of an array, as written in the model; otherwise empty
};

/// path: of the model file; if empty, `code` is its text. Throws ModelError.
std::vector<DeclaredData> declared_data(const std::string& path, const std::string& code,
                                        const std::vector<std::string>& include);

PackRun pack_batches(const PackInput& input, const PackOptions& options);

}  // namespace sgmcmc
