// Chooses outputs by their shapes, and lp__ by its cost.
#include "service/sampling/outputs.hpp"

#include "dynamics/dynamics.hpp"
#include "stan/binding/model_variables.hpp"

#include <algorithm>

namespace sgmcmc {

ChosenOutputs choose_outputs(const stan::BoundModel& bound, KeptOutputs choice, const std::string& needed) {
  ChosenOutputs chosen;
  std::size_t position = 0;
  for (const auto& output : bound.outputs()) {
    const auto& dims = output.shape.dims();
    const bool by_rows = bound.rows() > 1000 && std::find(dims.begin(), dims.end(), bound.rows()) != dims.end();
    const auto size = static_cast<std::size_t>(output.shape.size());
    if (choice == KeptOutputs::all || (choice == KeptOutputs::automatic && !by_rows) || output.name == needed) {
      for (auto& name : stan::element_names(output.name, output.shape)) chosen.names.push_back(std::move(name));
      for (std::size_t i = 0; i < size; ++i) chosen.positions.push_back(position + i);
    } else {
      chosen.left_out.push_back(output.name);
    }
    position += size;
  }
  return chosen;
}

std::string words_on_few_rows(const stan::BoundModel& bound) {
  if (!bound.few_rows()) return "";
  const auto& [name, rows] = *bound.few_rows();
  const bool data_count = std::any_of(bound.statements().begin(), bound.statements().end(), [](const auto& statement) {
    return statement.kind != stan::StatementReport::Kind::prior;
  });
  if (rows == 1) return "the data have a single row, " + name + " = 1: every method uses all data at each step";
  return "the data have no rows, " + name + " = 0" +
         (data_count ? "" : ": no statement of the model depends on data, and the posterior is the prior");
}

bool log_density_wanted(LogDensityAtDraws choice, const SampleOptions& options, const Model& model,
                        std::uint64_t gradients_per_iteration) {
  if (is_exact(options.sampler) || is_marginal(options.sampler)) return false;  // exact samplers record it already
  if (choice != LogDensityAtDraws::automatic) return choice == LogDensityAtDraws::always;
  const auto rows = static_cast<double>(model.rows());
  const double per_gradient =
      options.gradient.estimator == Estimator::full ? rows : static_cast<double>(options.gradient.minibatch.batch_size);
  return rows <= per_gradient * static_cast<double>(gradients_per_iteration) * static_cast<double>(options.thin);
}

}  // namespace sgmcmc
