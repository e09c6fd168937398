// Compiles what eigen_instances.hpp declares.
#include "base/eigen_instances.hpp"

#ifdef SGMCMC_EIGEN_INSTANCES

namespace Eigen::internal {

SGMCMC_EIGEN_INSTANCES(template struct)

}  // namespace Eigen::internal

#endif
