// The data sets of the examples: which files are missing, checking those that R has downloaded, and their numbers.
#include "routines.hpp"

#include "service/datasets/contents.hpp"
#include "service/datasets/data_folder.hpp"

#include <algorithm>

namespace sgmcmc::r {
namespace {

SEXP matrix_of(std::size_t rows, std::size_t columns) {
  return Rf_allocMatrix(REALSXP, static_cast<int>(rows), static_cast<int>(columns));
}

/// Bytes by row to numbers by column, times a factor.
SEXP digits_matrix(const DigitBytes& digits, double factor) {
  Protected matrix(matrix_of(digits.rows, digits.columns));
  double* const to = REAL(matrix);
  constexpr std::size_t block = 64;
  for (std::size_t first = 0; first < digits.rows; first += block)
    for (std::size_t column = 0; column < digits.columns; ++column)
      for (std::size_t row = first; row < std::min(digits.rows, first + block); ++row)
        to[column * digits.rows + row] =
            factor * static_cast<unsigned char>(digits.bytes[row * digits.columns + column]);
  return matrix;
}

}  // namespace

SEXP data_missing(SEXP name, SEXP folder) {
  return guarded([&] {
    const NamedDataSet& set = data_set_named(text(name));
    const DataFolder place = data_folder(text(folder));
    const auto missing = missing_files(set, place);
    Protected list(Rf_allocVector(VECSXP, static_cast<R_xlen_t>(missing.size())));
    for (std::size_t k = 0; k < missing.size(); ++k) {
      ListBuilder one;
      one.add("file", missing[k].file->names.front())
          .add("target", missing[k].target.string())
          .add("addresses", missing[k].addresses);
      SET_VECTOR_ELT(list, static_cast<R_xlen_t>(k), one.list());
    }
    return static_cast<SEXP>(list);
  });
}

SEXP data_accept(SEXP name, SEXP file, SEXP partial) {
  return guarded([&] {
    for (const auto& missing : missing_files(data_set_named(text(name)), data_folder("")))
      if (missing.file->names.front() == text(file)) accept_download(missing, text(partial));
    return R_NilValue;
  });
}

SEXP data_read(SEXP name, SEXP folder) {
  return guarded([&]() -> SEXP {
    const NamedDataSet& set = data_set_named(text(name));
    const DataFolder place = data_folder(text(folder));
    if (set.name == "covertype") {
      const std::string content = checked_content(set, set.files.front(), place);
      const std::size_t rows = forest_cover::rows(content);
      Protected matrix(matrix_of(rows, forest_cover::columns));
      forest_cover::read(content, {REAL(matrix), rows * forest_cover::columns});
      return matrix;
    }
    ListBuilder list;
    for (const auto& file : set.files) {
      const std::string content = checked_content(set, file, place);
      const DigitBytes digits = digit_bytes(content);
      list.add_value(file.name.c_str(), digits_matrix(digits, digits.columns > 1 ? 1.0 / 255.0 : 1.0));
    }
    return list.list();
  });
}

}  // namespace sgmcmc::r
