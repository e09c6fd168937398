// The outcome of reading: all arrays as text, or the error message. Two ways of reading must have the same outcome.
#pragma once

#include "data/array.hpp"

#include <sgmcmc/error.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace sgmcmc::fuzz {

/// Kind, shape and the bits of every value.
inline std::string text_of(const DataArray& array) {
  std::string text = array.kind_name() + array.shape().to_string();
  const auto append = [&](const auto& values) {
    text.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  };
  if (array.is_sparse()) {
    append(array.sparse().row_start);
    append(array.sparse().column);
    append(array.sparse().value);
  } else if (array.is_integer()) {
    append(array.integers());
  } else {
    append(array.reals());
  }
  return text;
}

/// read() returns the text of what it has read. Anything but an Error that it throws ends the run.
template <class Read>
std::string outcome_of(Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::bad_alloc&) {  // a header may announce more data than fit into memory
    return "no memory";
  }
}

inline void expect_same(const std::string& one, const std::string& other) {
  if (one != other) std::abort();
}

}  // namespace sgmcmc::fuzz
