// Binds data to declarations.
#include "stan/lowering/bind_data.hpp"

#include "base/text.hpp"
#include "data/text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sgmcmc::stan {
namespace {

using Kind = ConstraintTree::Kind;

/// "[3,2]" for a flat position, counted from 1; empty for a scalar.
std::string place_text(const Dims& dims, std::int64_t flat) {
  if (dims.empty()) return "";
  std::string text;
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    text = std::to_string(flat % dims[axis] + 1) + (text.empty() ? "" : "," + text);
    flat /= dims[axis];
  }
  return "[" + text + "]";
}

std::string shape_text(const Dims& dims) { return dims.empty() ? "a scalar" : Shape(dims).to_string(); }

/// "array[N] int", with the values of sizes: "[N = 12, 3]".
std::string declared_text(const Declaration& declaration, const Source& source, const Dims& dims) {
  if (dims.empty()) return "a scalar";
  std::string text = "[";
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (axis > 0) text += ", ";
    if (axis < declaration.sizes.size()) {
      const std::string written(source.text(declaration.sizes[axis]->span));
      if (written != std::to_string(dims[axis])) text += written + " = ";
    }
    text += std::to_string(dims[axis]);
  }
  return text + "]";
}

const Declaration* declaration_of(const Statement& statement) { return std::get_if<Declaration>(&statement.form); }

/// The value of a missing integer size, inferred from the arrays.
std::optional<std::int64_t> size_from_arrays(const std::string& name, const Program& program,
                                             const DataVariables& data) {
  for (const auto& statement : program.data.statements) {
    const Declaration* declaration = declaration_of(*statement);
    if (!declaration) continue;
    const DataVariable* given = data.find(declaration->name);
    if (!given) continue;
    for (std::size_t axis = 0; axis < declaration->sizes.size(); ++axis) {
      const auto* size = std::get_if<Name>(&declaration->sizes[axis]->form);
      if (!size || size->name != name) continue;
      if (given->array.shape().rank() > axis) return given->array.shape()[axis];
      if (given->array.shape().rank() == 0) return 1;
    }
  }
  return std::nullopt;
}

/// Whether an axis of the declaration has this size.
bool has_size(const Declaration& declaration, const std::string& name) {
  return std::any_of(declaration.sizes.begin(), declaration.sizes.end(), [&](const TreePointer& size) {
    const auto* own = std::get_if<Name>(&size->form);
    return own && own->name == name;
  });
}

class Binder {
 public:
  Binder(Interpreter& interpreter, const Program& program, const Source& source, const DataVariables& data,
         const std::set<std::string>& may_lack)
      : interpreter_(interpreter), program_(program), source_(source), data_(data), may_lack_(may_lack) {}

  void bind(const Declaration& declaration) {
    const DataVariable* given = data_.find(declaration.name);
    if (!given) {
      bind_missing(declaration);
      return;
    }
    const std::string what = "data: variable '" + declaration.name + "' (" + given->source + ")";
    const Dims dims = interpreter_.sizes(declaration).dims;
    Value value =
        given->array.is_sparse() ? sparse(declaration, *given, dims, what) : dense(declaration, *given, dims, what);
    if (!value.sparse) check_declared(interpreter_, declaration, source_, value, what);
    interpreter_.define(declaration.name, std::move(value));
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const Declaration& declaration, const std::string& why) const {
    throw DataError(what + ": " + why + "; declared at " + source_.where(declaration.name_span));
  }

  void bind_missing(const Declaration& declaration) {
    if (declaration.type == Type{Base::integer, 0}) {
      if (const auto size = size_from_arrays(declaration.name, program_, data_)) {
        Value value = integer_value(*size);
        check_declared(interpreter_, declaration, source_, value,
                       "data: size '" + declaration.name + "', from the arrays");
        interpreter_.define(declaration.name, std::move(value));
        return;
      }
    }
    if (declaration.type == Type{Base::integer, 0} && !may_lack_.count(declaration.name)) {
      // Arrays of this size are also missing; they will determine it.
      const auto arrays = missing_arrays(declaration.name);
      if (!arrays.empty()) refuse_missing(*arrays.front(), written_sizes(*arrays.front()), arrays, declaration.name);
    }
    const Dims dims = interpreter_.sizes(declaration).dims;
    if (size_of(dims) == 0 || may_lack_.count(declaration.name)) {
      std::vector<double> unknown(static_cast<std::size_t>(size_of(dims)), std::nan(""));
      interpreter_.define(declaration.name, number_value(declaration.type, dims, Numbers(std::move(unknown))));
      return;
    }
    refuse_missing(declaration, dims.empty() ? "" : declared_text(declaration, source_, dims), {&declaration}, "");
  }

  std::vector<const Declaration*> missing_arrays(const std::string& size) const {
    std::vector<const Declaration*> arrays;
    for (const auto& statement : program_.data.statements)
      if (const Declaration* other = declaration_of(*statement))
        if (has_size(*other, size) && !data_.find(other->name) && !may_lack_.count(other->name))
          arrays.push_back(other);
    return arrays;
  }

  /// "[N, K]".
  std::string written_sizes(const Declaration& declaration) const {
    std::string text;
    for (const auto& size : declaration.sizes)
      text += (text.empty() ? "" : ", ") + std::string(source_.text(size->span));
    return "[" + text + "]";
  }

  /// missing: the missing variables, `declaration` first; size: the size they determine, or empty.
  [[noreturn]] void refuse_missing(const Declaration& declaration, const std::string& shape,
                                   const std::vector<const Declaration*>& missing, const std::string& size) const {
    std::vector<std::string> names = data_.unused, all;
    for (const auto& [name, variable] : data_.by_name) names.push_back(name);
    for (const Declaration* each : missing) all.push_back(each->name);
    const std::string near = nearest_name(declaration.name, names);
    throw DataError("data: variable" + std::string(all.size() > 1 ? "s " : " ") + quoted_list(all) +
                    (all.size() > 1 ? " are" : " is") + " missing: the model declares " +
                    (all.size() > 1 ? declaration.name : "it") + " as " + declaration.type.to_string() +
                    (shape.empty() ? "" : " of shape " + shape) + " at " + source_.where(declaration.name_span) +
                    (near.empty() ? std::string("; give it in a data file or as ") + declaration.name + "=FILE"
                                  : "; did you mean '" + near + "' in the data?") +
                    (size.empty() || !near.empty() ? "" : ", and " + size + " is found from it"));
  }

  Value sparse(const Declaration& declaration, const DataVariable& given, const Dims& dims, const std::string& what) {
    if (declaration.type != Type{Base::matrix, 0})
      refuse(what, declaration, "is a sparse matrix, declared is " + declaration.type.to_string());
    const Shape& found = given.array.shape();
    if (found.dims() != dims)
      refuse(what, declaration,
             "declared with shape " + declared_text(declaration, source_, dims) + ", found " + found.to_string());
    Value value;
    value.type = declaration.type;
    value.dims = dims;
    value.sparse = std::make_shared<const DataArray>(given.array);
    return value;
  }

  Value dense(const Declaration& declaration, const DataVariable& given, const Dims& dims, const std::string& what) {
    Dims found = given.array.shape().dims();
    const std::int64_t size = size_of(dims);
    // Accepts a number for an array of one element and vice versa, and an empty array for anything empty.
    const bool one = size == 1 && size_of(found) == 1;
    const bool none = size == 0 && size_of(found) == 0;
    if (found != dims && !one && !none)
      refuse(
          what, declaration,
          (dims.empty() ? "declared as a scalar" : "declared with shape " + declared_text(declaration, source_, dims)) +
              ", found " + shape_text(found) +
              (found.size() > 1 && Dims(found.rbegin(), found.rend()) == dims ? ", which looks transposed" : ""));
    if (declaration.type.is_integer() && given.array.is_real()) {
      const auto integers = given.array.to_integer();
      if (!integers.array)
        refuse(what, declaration,
               (dims.empty() ? "it" : "element " + place_text(dims, integers.bad_index)) + " is " +
                   number_text(integers.bad_value) + ", must be an integer");
    }
    return number_value(declaration.type, dims, Numbers(std::make_shared<const DataArray>(given.array)));
  }

  Interpreter& interpreter_;
  const Program& program_;
  const Source& source_;
  const DataVariables& data_;
  const std::set<std::string>& may_lack_;
};

/// Whether a Cholesky factor of the symmetric matrix exists.
bool is_positive_definite(std::span<const double> x, std::int64_t size) {
  const auto n = static_cast<std::size_t>(size);
  std::vector<double> factor(x.begin(), x.end());
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double left = factor[i * n + j];
      for (std::size_t k = 0; k < j; ++k) left -= factor[i * n + k] * factor[j * n + k];
      if (i == j && !(left > 0)) return false;
      factor[i * n + j] = i == j ? std::sqrt(left) : left / factor[j * n + j];
    }
  }
  return true;
}

/// Violations of simplex and similar constraints, on the last axes.
std::string kind_violation(Kind kind, std::span<const double> x, std::int64_t rows, std::int64_t columns) {
  const double tolerance = constraint_tolerance;  // comparisons with it fail for NaN, as in Stan
  auto at = [&](std::int64_t i, std::int64_t j) { return x[static_cast<std::size_t>(i * columns + j)]; };
  double total = 0;
  switch (kind) {
    case Kind::none: return "";
    case Kind::simplex:
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (!(x[i] >= 0))
          return "element " + std::to_string(i + 1) + " is " + number_text(x[i]) +
                 ", but elements of a simplex must not be negative";
        total += x[i];
      }
      return !(std::fabs(total - 1) <= tolerance)
                 ? "the elements sum to " + number_text(total) + ", but a simplex sums to 1"
                 : "";
    case Kind::ordered:
    case Kind::positive_ordered:
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (kind == Kind::positive_ordered && i == 0 && !(x[0] >= 0))
          return "element 1 is " + number_text(x[0]) + ", it must not be negative";
        if (i > 0 && !(x[i] > x[i - 1]))
          return "element " + std::to_string(i + 1) + " is " + number_text(x[i]) + ", not above the " +
                 number_text(x[i - 1]) + " before it";
      }
      return "";
    case Kind::unit_vector:
      for (double each : x) total += each * each;
      return !(std::fabs(total - 1) <= tolerance) ? "its squared length is " + number_text(total) + ", must be 1" : "";
    case Kind::corr_matrix:
    case Kind::cov_matrix:
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < i; ++j)
          if (!(std::fabs(at(i, j) - at(j, i)) <= tolerance))
            return "it is not symmetric: element [" + std::to_string(i + 1) + "," + std::to_string(j + 1) + "] is " +
                   number_text(at(i, j)) + ", its mirror image " + number_text(at(j, i));
      for (std::int64_t i = 0; i < rows; ++i) {
        if (kind == Kind::corr_matrix && !(std::fabs(at(i, i) - 1) <= tolerance))
          return "diagonal element " + std::to_string(i + 1) + " is " + number_text(at(i, i)) + ", must be 1";
        if (!(at(i, i) > 0))
          return "diagonal element " + std::to_string(i + 1) + " is " + number_text(at(i, i)) + ", must be positive";
      }
      if (rows == 1 && !(at(0, 0) > tolerance))  // Stan's rule for a single variance
        return "the variance is " + number_text(at(0, 0)) + ", must be above " + number_text(tolerance);
      return is_positive_definite(x, rows) ? "" : "it is not positive definite";
    case Kind::cholesky_factor_corr:
    case Kind::cholesky_factor_cov:
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
          if (j > i && at(i, j) != 0)
            return "element [" + std::to_string(i + 1) + "," + std::to_string(j + 1) + "] above the diagonal is not 0";
          if (i == j && !(at(i, j) > 0))
            return "diagonal element " + std::to_string(i + 1) + " is " + number_text(at(i, j)) + ", must be positive";
        }
      for (std::int64_t i = 0; i < rows && kind == Kind::cholesky_factor_corr; ++i) {
        double squares = 0;
        for (std::int64_t j = 0; j <= i; ++j) squares += at(i, j) * at(i, j);
        if (!(std::fabs(squares - 1) <= tolerance))
          return "the squares of row " + std::to_string(i + 1) + " add up to " + number_text(squares) + ", must be 1";
      }
      return "";
  }
  return "";
}

}  // namespace

void check_declared(Interpreter& interpreter, const Declaration& declaration, const Source& source, const Value& value,
                    const std::string& what) {
  auto refuse = [&](const std::string& why) {
    throw DataError(what + ": " + why + "; declared at " + source.where(declaration.name_span));
  };
  const auto kind = declaration.constraint.kind;
  if (kind == ConstraintTree::Kind::none && !declaration.constraint.lower && !declaration.constraint.upper) return;
  const Numbers& numbers = value.numbers;
  auto bound = [&](const TreePointer& tree, bool lower) {
    if (!tree) return;
    const Value limit = interpreter.evaluate(*tree);
    if (!limit.is_data()) return;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double at = limit.dims.empty() ? limit.number() : limit.numbers[i % limit.numbers.size()];
      if (lower ? numbers[i] >= at : numbers[i] <= at) continue;
      refuse((value.dims.empty() ? "it" : "element " + place_text(value.dims, static_cast<std::int64_t>(i))) + " is " +
             number_text(numbers[i]) + ", must be " + (lower ? "at least " : "at most ") + number_text(at));
    }
  };
  bound(declaration.constraint.lower, true);
  bound(declaration.constraint.upper, false);
  if (kind == ConstraintTree::Kind::none || numbers.size() == 0) return;
  const bool matrix = declaration.type.base == Base::matrix;
  const std::size_t rank = value.dims.size();
  const std::int64_t columns = value.dims[rank - 1];
  const std::int64_t rows = matrix ? value.dims[rank - 2] : 1;
  const auto stretch = static_cast<std::size_t>(rows * columns);
  Dims outer(value.dims.begin(), value.dims.end() - (matrix ? 2 : 1));
  for (std::size_t start = 0; start < numbers.size(); start += stretch) {
    const std::string problem = kind_violation(kind, numbers.view().subspan(start, stretch), rows, columns);
    if (problem.empty()) continue;
    const std::string place = place_text(outer, static_cast<std::int64_t>(start / stretch));
    refuse((place.empty() ? "" : "entry " + place + ": ") + problem);
  }
}

void bind_data(Interpreter& interpreter, const Program& program, const Source& source, const DataVariables& data,
               const std::set<std::string>& may_lack) {
  Binder binder(interpreter, program, source, data, may_lack);
  // Sizes first: an array may be declared before its size is known.
  for (const auto& statement : program.data.statements)
    if (const Declaration* declaration = declaration_of(*statement)) binder.bind(*declaration);
}

}  // namespace sgmcmc::stan
