// sgmcmc plot: draws one figure of a run, as SVG.
#include "cli/commands.hpp"
#include "report/json_text.hpp"
#include "service/reports/run_plot.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace sgmcmc::cli {

int run_plot(const OptionValues& values) {
  if (values.operands.empty())
    throw UsageError("name the folder of a run: sgmcmc plot DIR --what trace --out trace.svg");
  const RunPlot plot = plot_run(values);
  for (const auto& warning : plot.warnings) std::cerr << "sgmcmc: warning: " << warning << "\n";
  if (values.flag("json"))
    std::cout << json_text({{"file", plot.file.string()}}, 1) << "\n";
  else
    std::cout << plot.file.string() << "\n";
  return 0;
}

}  // namespace sgmcmc::cli
