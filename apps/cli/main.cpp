// The program `sgmcmc`.
#include "cli/commands.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

int main(int count, char** words) {
#if defined(__GLIBC__)
  // Large arrays go back to the system at once; by default the limit grows with the arrays that were freed.
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
#endif
  return sgmcmc::cli::run_program(std::vector<std::string>(words + (count > 0 ? 1 : 0), words + count));
}
