// The functions of MPI, loaded if the program was started by mpirun.
//
// Like libnetcdf, the library is not linked: it loads some twenty others, which most runs do not need. If the program
// was compiled without mpi.h, it reports that when it is started by mpirun.
#pragma once

#if defined(SGMCMC_MPI_LIBRARY)

#include <mpi.h>

namespace sgmcmc {

struct MpiLibrary {
  decltype(&::MPI_Init_thread) init_thread;
  decltype(&::MPI_Finalize) finalize;
  decltype(&::MPI_Abort) abort;
  decltype(&::MPI_Comm_rank) comm_rank;
  decltype(&::MPI_Comm_size) comm_size;
  decltype(&::MPI_Isend) isend;
  decltype(&::MPI_Test) test;
  decltype(&::MPI_Improbe) improbe;
  decltype(&::MPI_Get_count) get_count;
  decltype(&::MPI_Imrecv) imrecv;
  MPI_Comm world;  ///< objects, not functions: macros of mpi.h would need the library at link time
  MPI_Datatype byte;
};

/// Throws RankError when the library is not installed.
MpiLibrary load_mpi_library();

}  // namespace sgmcmc

#endif
