// Loads libnetcdf and looks up its functions.
#include "draws/netcdf_library.hpp"

#include "draws/netcdf.hpp"

#include <sgmcmc/error.hpp>

#include <dlfcn.h>

#include <string>
#include <type_traits>

namespace sgmcmc {
namespace {

// SGMCMC_NETCDF_LIBRARY is the file name of the library whose header was compiled against.
NetcdfLibrary load() {
  void* handle = ::dlopen(SGMCMC_NETCDF_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw FileError("NetCDF files cannot be used: " SGMCMC_NETCDF_LIBRARY
                    " is not installed; install it (Debian: libnetcdf-dev), or do without");
  NetcdfLibrary library{};
  const auto find = [&](auto& function, const char* name) {
    void* address = ::dlsym(handle, name);
    if (!address) throw FileError("NetCDF files cannot be used: " SGMCMC_NETCDF_LIBRARY " has no " + std::string(name));
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
  };
  find(library.create, "nc_create");
  find(library.close, "nc_close");
  find(library.def_grp, "nc_def_grp");
  find(library.def_dim, "nc_def_dim");
  find(library.def_var, "nc_def_var");
  find(library.def_var_chunking, "nc_def_var_chunking");
  find(library.def_var_deflate, "nc_def_var_deflate");
  find(library.put_att_text, "nc_put_att_text");
  find(library.put_vara_double, "nc_put_vara_double");
  find(library.strerror, "nc_strerror");
  find(library.open, "nc_open");
  find(library.inq_grp_ncid, "nc_inq_grp_ncid");
  find(library.inq_att, "nc_inq_att");
  find(library.get_att_text, "nc_get_att_text");
  find(library.inq_dim, "nc_inq_dim");
  find(library.inq_nvars, "nc_inq_nvars");
  find(library.inq_var, "nc_inq_var");
  find(library.inq_varid, "nc_inq_varid");
  find(library.get_vara_double, "nc_get_vara_double");
  return library;
}

}  // namespace

bool netcdf_is_installed() {
  try {
    netcdf_library();
    return true;
  } catch (const FileError&) {
    return false;
  }
}

const NetcdfLibrary& netcdf_library() {
  static const NetcdfLibrary library = load();  // loaded once per process
  return library;
}

std::mutex& netcdf_mutex() {
  static std::mutex one_at_a_time;
  return one_at_a_time;
}

}  // namespace sgmcmc
