// Stan's JSON: an object whose values are numbers and nested arrays of numbers, read in one pass.
#pragma once

#include "data/array.hpp"
#include "data/text/byte_source.hpp"
#include "data/variables.hpp"

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>

namespace sgmcmc {

struct JsonRequest {
  /// The declared kind of a key to be stored; empty: the value is skipped.
  std::function<std::optional<WantedKind>(const std::string& key)> kind_of;
  std::function<void(const std::string& key, DataArray array)> take;
};

/// Bytes read at a time; small in tests.
inline constexpr std::size_t json_buffer_bytes = std::size_t{256} << 10;

/// Reads an object; every message starts with file:line:column. Throws DataError.
void read_json_object(Input& input, const JsonRequest& request, std::size_t buffer_bytes = json_buffer_bytes);

/// Numbers by key, from a file with one object. Throws DataError if one of `keys` is missing; that message ends with
/// `advice`.
std::map<std::string, double> read_json_numbers(const std::string& path, std::initializer_list<const char*> keys,
                                                const std::string& advice);

/// Reads a file that contains one array or number.
DataArray read_json_array(Input& input, WantedKind kind, std::size_t buffer_bytes = json_buffer_bytes);

}  // namespace sgmcmc
