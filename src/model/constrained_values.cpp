// Evaluates the constrained parameters by running their compiled program.
#include "model/constrained_values.hpp"

namespace sgmcmc {

std::vector<double> constrained_values(const LogPosterior& posterior, std::span<const double> theta) {
  const auto executor = posterior.executor(ProgramKind::constrained, {});
  std::vector<double> values(static_cast<std::size_t>(executor->output_size()));
  executor->set_point(Point::current, theta);
  executor->run(RowBatch{}, values);
  return values;
}

}  // namespace sgmcmc
