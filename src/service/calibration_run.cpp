// Reads the options of a calibration, simulates data and runs the fits.
#include "service/calibration_run.hpp"

#include "base/thread_pool.hpp"
#include "service/given/option_settings.hpp"
#include "settings/chosen_names.hpp"
#include "stan/binding/model_variables.hpp"
#include "stan/forward/simulate.hpp"

#include <sgmcmc/error.hpp>

namespace sgmcmc {
namespace {

CalibrateOptions calibrate_options(const OptionValues& values) {
  CalibrateOptions options;
  const auto count = [&](const char* name, std::uint64_t most) {
    const auto number = values.count(name);
    if (number == 0 || number > most)
      throw UsageError(values.where(name) + ": a number from 1 to " + std::to_string(most) + " is expected");
    return number;
  };
  options.replications = count("replications", 10'000'000);
  options.draws = static_cast<std::uint32_t>(count("draws", 100'000));
  options.longest = static_cast<std::uint32_t>(count("longest", 1'000'000));
  options.level = values.number("level");
  if (!(options.level > 0 && options.level < 1))
    throw UsageError(values.where("level") + ": a number between 0 and 1 is expected");
  options.threads = values.threads();
  return options;
}

/// The variables in the files of option `data` that any of these programs declares as data.
DataVariables read_data_of(const OptionValues& values, const std::vector<stan::ModelText>& programs) {
  std::vector<WantedVariable> wanted;
  for (const auto& text : programs) stan::add_wanted(*text.program, wanted);
  ThreadPool pool(values.threads());
  return read_data(values.texts("data"), wanted, &pool);
}

stan::Simulator simulator_for(const OptionValues& values, const stan::ModelText& model) {
  if (!values.given("simulate")) return {model, read_data_of(values, {model})};
  const stan::ModelText simulator = stan::read_model(values.text("simulate"), values.texts("include"));
  return {model, simulator, read_data_of(values, {simulator, model})};
}

stan::BindOptions options_of_binding(const OptionValues& values) {
  stan::BindOptions options;
  options.rows = values.text("rows");
  options.precision = precision_of(values);
  return options;
}

}  // namespace

struct CalibrationRun::Parts {
  CalibrateOptions how;
  stan::ModelText text;
  stan::Simulator simulator;
  stan::BindOptions binding;
  std::uint64_t seed;
  std::unique_ptr<stan::BoundModel> first;  // bound to the first simulated data
  SampleOptions options;

  Parts(const OptionValues& values, const std::string& model_path)
      : how(calibrate_options(values)),
        text(stan::read_model(model_path, values.texts("include"))),
        simulator(simulator_for(values, text)),
        binding(options_of_binding(values)),
        seed(values.count("seed")),
        first(bind_to(simulator.draw(seed, 0).data)) {
    const Model& model = first->model();
    if (model.dimension() == 0)
      throw ModelError(model_path + ": the model has no parameters, so there is nothing to calibrate");
    options = sample_options(values, method_for(values, *first), *first);
    options.validate(model);
    auto names = model.constrained_names();
    names.push_back("lp__");
    chosen_names(values, names);  // throws for names that do not exist
  }

  std::unique_ptr<stan::BoundModel> bind_to(const DataVariables& data) const {
    return std::make_unique<stan::BoundModel>(text.source, text.program, data, binding);
  }
};

CalibrationRun::CalibrationRun(const OptionValues& values, const std::string& model_path)
    : parts_(std::make_unique<const Parts>(values, model_path)) {}

CalibrationRun::~CalibrationRun() = default;

std::uint64_t CalibrationRun::replications() const { return parts_->how.replications; }

std::vector<std::string> CalibrationRun::warnings() const {
  std::vector<std::string> texts;
  for (const auto& warning : stan::all_warnings(parts_->text, *parts_->first))
    texts.push_back(stan::render(*parts_->text.source, warning));
  return texts;
}

Calibration CalibrationRun::run(const std::atomic<bool>* interrupt,
                                const std::function<void(std::uint64_t finished)>& progress) const {
  CalibrateOptions how = parts_->how;
  how.interrupt = interrupt;
  how.progress = progress;
  const Simulation simulate = [this](std::uint64_t replication) {
    auto drawn = parts_->simulator.draw(parts_->seed, replication);
    const std::shared_ptr<const stan::BoundModel> bound = parts_->bind_to(drawn.data);
    return SimulatedModel{std::shared_ptr<const Model>(bound, &bound->model()), std::move(drawn.parameters)};
  };
  return calibrate(simulate, parts_->options, how);
}

}  // namespace sgmcmc
