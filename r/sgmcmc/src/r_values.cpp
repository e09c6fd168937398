// Conversions between values of R and of C++, and errors on their way to R.
#include "r_values.hpp"

#include "service/errors.hpp"
#include "settings/table.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/settings.hpp>

#include <new>

namespace sgmcmc::r {

std::string text(SEXP value) {
  if (TYPEOF(value) != STRSXP || Rf_xlength(value) < 1) throw UsageError("a text was expected");
  return Rf_translateCharUTF8(STRING_ELT(value, 0));
}

std::vector<std::string> texts(SEXP value) {
  std::vector<std::string> all;
  if (TYPEOF(value) != STRSXP) return all;
  for (R_xlen_t k = 0; k < Rf_xlength(value); ++k) all.emplace_back(Rf_translateCharUTF8(STRING_ELT(value, k)));
  return all;
}

double number(SEXP value) {
  const auto all = numbers(value);
  if (all.empty()) throw UsageError("a number was expected");
  return all.front();
}

std::vector<double> numbers(SEXP value) {
  const auto size = static_cast<std::size_t>(Rf_xlength(value));
  if (TYPEOF(value) == REALSXP) return {REAL(value), REAL(value) + size};
  if (TYPEOF(value) == INTSXP) return {INTEGER(value), INTEGER(value) + size};
  if (TYPEOF(value) == LGLSXP) return {LOGICAL(value), LOGICAL(value) + size};
  if (value == R_NilValue) return {};
  throw UsageError("numbers were expected");
}

std::vector<std::int64_t> whole_numbers(SEXP value) {
  std::vector<std::int64_t> all;
  for (const double one : numbers(value)) all.push_back(static_cast<std::int64_t>(one));
  return all;
}

SEXP element(SEXP list, const char* name) {
  const SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  if (TYPEOF(list) != VECSXP || TYPEOF(names) != STRSXP) return R_NilValue;
  for (R_xlen_t k = 0; k < Rf_xlength(list); ++k)
    if (std::string(CHAR(STRING_ELT(names, k))) == name) return VECTOR_ELT(list, k);
  return R_NilValue;
}

std::vector<std::pair<std::string, std::string>> named_texts(SEXP value) {
  std::vector<std::pair<std::string, std::string>> all;
  const auto values = texts(value), names = texts(Rf_getAttrib(value, R_NamesSymbol));
  for (std::size_t k = 0; k < values.size(); ++k) all.emplace_back(k < names.size() ? names[k] : "", values[k]);
  return all;
}

SEXP to_r(const std::string& value) {
  Protected text(Rf_mkCharLenCE(value.data(), static_cast<int>(value.size()), CE_UTF8));
  return Rf_ScalarString(text);
}

SEXP to_r(const std::vector<std::string>& values) {
  Protected all(Rf_allocVector(STRSXP, static_cast<R_xlen_t>(values.size())));
  for (std::size_t k = 0; k < values.size(); ++k)
    SET_STRING_ELT(all, static_cast<R_xlen_t>(k),
                   Rf_mkCharLenCE(values[k].data(), static_cast<int>(values[k].size()), CE_UTF8));
  return all;
}

SEXP to_r(const std::vector<double>& values) {
  const SEXP all = Rf_allocVector(REALSXP, static_cast<R_xlen_t>(values.size()));
  std::copy(values.begin(), values.end(), REAL(all));
  return all;
}

SEXP to_r(double value) { return Rf_ScalarReal(value); }
SEXP to_r(bool value) { return Rf_ScalarLogical(value ? TRUE : FALSE); }

ListBuilder& ListBuilder::add_value(const char* name, SEXP value) {
  values_.emplace_back(name, PROTECT(value));
  return *this;
}

SEXP ListBuilder::list() {
  const auto size = static_cast<R_xlen_t>(values_.size());
  Protected all(Rf_allocVector(VECSXP, size));
  Protected names(Rf_allocVector(STRSXP, size));
  for (R_xlen_t k = 0; k < size; ++k) {
    SET_VECTOR_ELT(all, k, values_[static_cast<std::size_t>(k)].second);
    SET_STRING_ELT(names, k, Rf_mkChar(values_[static_cast<std::size_t>(k)].first));
  }
  Rf_setAttrib(all, R_NamesSymbol, names);
  return all;
}

void throw_not_here(const char* tag) {
  throw UsageError(std::string("this ") + tag +
                   " is not in memory: it was saved by another session of R. Make it again");
}

namespace {

SEXP failure_of(const char* kind, const std::string& message, const std::string& setting = {}) {
  ListBuilder parts;
  parts.add("kind", std::string(kind)).add("message", message).add("setting", setting);
  Protected list(parts.list());
  Protected name(Rf_mkString("sgmcmc_failure"));
  Rf_setAttrib(list, R_ClassSymbol, name);
  return list;
}

}  // namespace

SEXP failure() {
  try {
    throw;
  } catch (const SettingError& error) {
    return failure_of("option", error.problem(), error.setting());
  } catch (const ShapeError& error) {
    return failure_of("shape", error.what());
  } catch (const DataError& error) {
    return failure_of("data", error.what());
  } catch (const ModelError& error) {
    return failure_of("model", error.what());
  } catch (const OptionError& error) {
    return failure_of("option", error.what());
  } catch (const UsageError& error) {
    return failure_of("usage", error.what());
  } catch (const DivergenceError& error) {
    return failure_of("divergence", error.what());
  } catch (const FileError& error) {
    return failure_of("file", error.what());
  } catch (const Error& error) {
    return failure_of(is_interruption(error) ? "interrupted" : "", error.what());
  } catch (const std::bad_alloc&) {
    return failure_of("memory", "there is not enough memory");
  } catch (const std::exception& error) {
    return failure_of("", std::string("unexpected: ") + error.what());
  } catch (...) {
    return failure_of("", "unexpected error");
  }
}

}  // namespace sgmcmc::r
