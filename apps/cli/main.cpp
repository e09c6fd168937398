// The program `sgmcmc`.
#include "cli/commands.hpp"

int main(int count, char** words) {
  return sgmcmc::cli::run_program(std::vector<std::string>(words + (count > 0 ? 1 : 0), words + count));
}
