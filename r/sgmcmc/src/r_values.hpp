// Values of R in C++, and values of C++ in R. Nothing here is called from a thread other than R's.
#pragma once

#include <sgmcmc/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <Rinternals.h>

namespace sgmcmc::r {

/// Keeps a value from R's garbage collector while it lives.
class Protected {
 public:
  explicit Protected(SEXP value) : value_(PROTECT(value)) {}
  ~Protected() { UNPROTECT(1); }
  Protected(const Protected&) = delete;
  Protected& operator=(const Protected&) = delete;
  operator SEXP() const { return value_; }

 private:
  SEXP value_;
};

std::string text(SEXP value);                                              ///< the first element of a character vector
std::vector<std::string> texts(SEXP value);                                ///< of a character vector
double number(SEXP value);                                                 ///< the first element
std::vector<double> numbers(SEXP value);                                   ///< of an integer, logical or double vector
std::vector<std::int64_t> whole_numbers(SEXP value);                       ///< likewise
SEXP element(SEXP list, const char* name);                                 ///< R_NilValue where there is none
std::vector<std::pair<std::string, std::string>> named_texts(SEXP value);  ///< of a named character vector

SEXP to_r(const std::string& value);
SEXP to_r(const std::vector<std::string>& values);
SEXP to_r(const std::vector<double>& values);
SEXP to_r(double value);
SEXP to_r(bool value);

/// Collects the elements of a named list.
class ListBuilder {
 public:
  ListBuilder() = default;
  template <class Value>
  ListBuilder& add(const char* name, const Value& value) {
    return add_value(name, to_r(value));
  }
  ListBuilder& add_value(const char* name, SEXP value);
  SEXP list();
  ~ListBuilder() { UNPROTECT(static_cast<int>(values_.size())); }

 private:
  std::vector<std::pair<const char*, SEXP>> values_;
};

/// A pointer that R owns. tag: what it points to, for messages.
template <class T>
SEXP owned_pointer(std::shared_ptr<T> object, const char* tag) {
  Protected pointer(R_MakeExternalPtr(new std::shared_ptr<T>(std::move(object)), Rf_install(tag), R_NilValue));
  R_RegisterCFinalizerEx(
      pointer,
      [](SEXP held) {
        delete static_cast<std::shared_ptr<T>*>(R_ExternalPtrAddr(held));
        R_ClearExternalPtr(held);
      },
      TRUE);
  return pointer;
}

[[noreturn]] void throw_not_here(const char* tag);  ///< the pointer came from another session

template <class T>
const std::shared_ptr<T>& pointed(SEXP pointer, const char* tag) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != Rf_install(tag) || !R_ExternalPtrAddr(pointer))
    throw_not_here(tag);
  return *static_cast<std::shared_ptr<T>*>(R_ExternalPtrAddr(pointer));
}

/// The error being handled, as a list that R turns into a condition: class, message, and the setting it is about.
SEXP failure();

/// Runs work(), which returns an R value; an exception becomes failure(). No exception escapes, and no R error is
/// raised by longjmp.
template <class Work>
SEXP guarded(Work&& work) {
  try {
    return work();
  } catch (...) {
    return failure();
  }
}

}  // namespace sgmcmc::r
