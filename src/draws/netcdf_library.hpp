// The functions of libnetcdf, loaded when a file is first written or read.
//
// The library is not linked, because it loads some forty others, which would slow down every program start.
#pragma once

#include <netcdf.h>

#include <mutex>

namespace sgmcmc {

struct NetcdfLibrary {
  decltype(&::nc_create) create;
  decltype(&::nc_close) close;
  decltype(&::nc_def_grp) def_grp;
  decltype(&::nc_def_dim) def_dim;
  decltype(&::nc_def_var) def_var;
  decltype(&::nc_def_var_chunking) def_var_chunking;
  decltype(&::nc_def_var_deflate) def_var_deflate;
  decltype(&::nc_put_att_text) put_att_text;
  decltype(&::nc_put_vara_double) put_vara_double;
  decltype(&::nc_strerror) strerror;
  decltype(&::nc_open) open;
  decltype(&::nc_inq_grp_ncid) inq_grp_ncid;
  decltype(&::nc_inq_att) inq_att;
  decltype(&::nc_get_att_text) get_att_text;
  decltype(&::nc_inq_dim) inq_dim;
  decltype(&::nc_inq_nvars) inq_nvars;
  decltype(&::nc_inq_var) inq_var;
  decltype(&::nc_inq_varid) inq_varid;
  decltype(&::nc_get_vara_double) get_vara_double;
};

/// Throws FileError when the library is not installed.
const NetcdfLibrary& netcdf_library();

/// Hold this mutex while using the library, which has global state and is not thread-safe.
std::mutex& netcdf_mutex();

}  // namespace sgmcmc
