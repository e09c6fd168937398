// Loads libmpi and looks up its functions.
#include "ranks/mpi_library.hpp"

#if defined(SGMCMC_MPI_LIBRARY)

#include "ranks/communicator.hpp"

#include <dlfcn.h>

#include <string>
#include <type_traits>

namespace sgmcmc {

// SGMCMC_MPI_LIBRARY is the file name of the library whose header was compiled against.
MpiLibrary load_mpi_library() {
  // Loaded globally, because the components of the library look up each other's symbols in the whole program.
  void* handle = ::dlopen(SGMCMC_MPI_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
  if (!handle)
    throw RankError("the program was started by mpirun, but " SGMCMC_MPI_LIBRARY
                    " is not installed here; install it on every machine (Debian: openmpi-bin)");
  MpiLibrary library{};
  const auto address_of = [&](const char* name) {
    void* address = ::dlsym(handle, name);
    if (!address) throw RankError(SGMCMC_MPI_LIBRARY " has no " + std::string(name));
    return address;
  };
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address_of(name));
  };
  find(library.init_thread, "MPI_Init_thread");
  find(library.finalize, "MPI_Finalize");
  find(library.abort, "MPI_Abort");
  find(library.comm_rank, "MPI_Comm_rank");
  find(library.comm_size, "MPI_Comm_size");
  find(library.isend, "MPI_Isend");
  find(library.test, "MPI_Test");
  find(library.improbe, "MPI_Improbe");
  find(library.get_count, "MPI_Get_count");
  find(library.imrecv, "MPI_Imrecv");
  find(library.world, "ompi_mpi_comm_world");
  find(library.byte, "ompi_mpi_byte");
  return library;
}

}  // namespace sgmcmc

#endif
