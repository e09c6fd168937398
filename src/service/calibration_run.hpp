// Simulation-based calibration of a model in the Stan language: simulated data are bound to the model and fitted.
#pragma once

#include "settings/values.hpp"

#include <sgmcmc/calibrate.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc {

class CalibrationRun {
 public:
  /// Reads model, simulator and data, simulates one data set and checks the options with it, so that mistakes are
  /// reported before the fits. Throws UsageError, ModelError and DataError.
  CalibrationRun(const OptionValues& values, const std::string& model_path);
  ~CalibrationRun();
  CalibrationRun(const CalibrationRun&) = delete;
  CalibrationRun& operator=(const CalibrationRun&) = delete;

  std::uint64_t replications() const;
  std::vector<std::string> warnings() const;  ///< of the model and its data: place, message and advice

  /// interrupt: once set, judges the fits that are finished. progress: called after each fit, from any thread, but
  /// never concurrently.
  Calibration run(const std::atomic<bool>* interrupt = nullptr,
                  const std::function<void(std::uint64_t finished)>& progress = {}) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace sgmcmc
