// The errors a user can cause: each carries one message that says what is wrong, where, and what to do about it.
#pragma once

#include <stdexcept>
#include <string>

namespace sgmcmc {

/// Base of every error thrown on purpose. Anything else that escapes is a bug of ours.
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

/// An option is out of range or two options contradict each other; names the option.
class OptionError : public Error {
 public:
  using Error::Error;
};

/// A run that cannot go on: the chain diverged; names the parameter, the iteration and what to try.
class DivergenceError : public Error {
 public:
  using Error::Error;
};

/// A file cannot be read or written, or is not what it should be; names the file and, where there is one, the line.
class FileError : public Error {
 public:
  using Error::Error;
};

/// Work was interrupted, and there is nothing to return.
class InterruptedError : public Error {
 public:
  InterruptedError() : Error("interrupted") {}
};

}  // namespace sgmcmc
