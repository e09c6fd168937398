// A copy-on-write vector, for numbers that take much memory, such as one per row of the data.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace sgmcmc {

/// Like a vector, but copies share memory until one of them is modified.
class SharedNumbers {
 public:
  SharedNumbers() = default;
  SharedNumbers(std::vector<double> values)
      : values_(std::make_shared<std::vector<double>>(std::move(values))) {}  // NOLINT: as a vector

  const std::vector<double>& values() const {
    static const std::vector<double> none;
    return values_ ? *values_ : none;
  }
  operator const std::vector<double>&() const { return values(); }
  std::size_t size() const { return values().size(); }
  bool empty() const { return values().empty(); }
  const double* data() const { return values().data(); }
  double operator[](std::size_t i) const { return values()[i]; }
  auto begin() const { return values().begin(); }
  auto end() const { return values().end(); }
  /// Equal for copies that share memory; null if no numbers were ever set.
  const void* identity() const { return values_.get(); }

  double& operator[](std::size_t i) { return own()[i]; }
  void push_back(double value) { own().push_back(value); }
  void assign(std::size_t count, double value) { own().assign(count, value); }

 private:
  std::vector<double>& own() {
    if (!values_ || values_.use_count() > 1) values_ = std::make_shared<std::vector<double>>(values());
    return *values_;
  }

  std::shared_ptr<std::vector<double>> values_;
};

}  // namespace sgmcmc
