// Numbers that copies of their holder share: one per row of the data, they may be a large part of memory.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace sgmcmc {

/// As a vector, but copies share the memory until one of them is changed.
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
  /// The same for copies that share their memory; null where there are none.
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
