// The functions of libnetcdf, found when a file is first written.
//
// The library is not linked: it brings some forty others along, for which every start of every program would wait.
#pragma once

#include <netcdf.h>

namespace sgmcmc {

struct NetcdfLibrary {
  decltype(&::nc_create) create;
  decltype(&::nc_close) close;
  decltype(&::nc_def_grp) def_grp;
  decltype(&::nc_def_dim) def_dim;
  decltype(&::nc_def_var) def_var;
  decltype(&::nc_put_att_text) put_att_text;
  decltype(&::nc_put_vara_double) put_vara_double;
  decltype(&::nc_strerror) strerror;
};

/// Throws FileError when the library is not installed.
const NetcdfLibrary& netcdf_library();

}  // namespace sgmcmc
