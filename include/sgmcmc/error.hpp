// Errors caused by users: each message says what is wrong, where, and what to do about it.
#pragma once

#include <stdexcept>
#include <string>

namespace sgmcmc {

/// Base of every error the library throws on purpose. Any other exception is a bug in the library.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Operands of an expression do not fit together (shape or element type); names the operands.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// The data are unusable: wrong shapes, NaN, an index out of range; names the column and the row.
class DataError : public Error {
 public:
  using Error::Error;
};

/// The model is unusable: unknown column, a likelihood that does not depend on rows, a name used twice.
class ModelError : public Error {
 public:
  using Error::Error;
};

/// An option is out of range, or two options contradict each other; names the option.
class OptionError : public Error {
 public:
  using Error::Error;
};

/// A chain diverged and cannot continue; names the parameter, the iteration and what to try.
class DivergenceError : public Error {
 public:
  using Error::Error;
};

/// A file cannot be read or written, or has invalid contents; names the file and, if possible, the line.
class FileError : public Error {
 public:
  using Error::Error;
};

/// Interrupted before there was a result.
class InterruptedError : public Error {
 public:
  InterruptedError() : Error("interrupted") {}
};

}  // namespace sgmcmc
