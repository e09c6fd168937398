// Models written in tests, bound to data and evaluated.
#pragma once

#include "model/log_posterior.hpp"
#include "stan/binding/model_file.hpp"

#include <string>
#include <vector>

namespace sgmcmc::stan {

inline DataVariables numbers_y(const std::vector<double>& y) {
  DataVariables data;
  data.by_name["N"] = {DataArray::scalar(static_cast<std::int32_t>(y.size())), "test"};
  data.by_name["y"] = {DataArray::copy_of(std::span<const double>(y), Shape{static_cast<std::int64_t>(y.size())}),
                       "test"};
  return data;
}

inline BoundModel bound_text(const std::string& text, const DataVariables& data, const BindOptions& options = {}) {
  const ModelText model = read_model_text("m.stan", text);
  return BoundModel(model.source, model.program, data, options);
}

/// On the unconstrained scale.
inline double log_density_at(const BoundModel& bound, const std::vector<double>& theta) {
  const LogPosterior posterior(bound.model());
  const auto executor = posterior.executor(ProgramKind::value_and_gradient, {});
  std::vector<double> out(theta.size() + 1);
  executor->set_point(Point::current, theta);
  executor->run(posterior.all_rows(), out);
  return out[0];
}

}  // namespace sgmcmc::stan
