// Fuzz target: any bytes are side features or an error; every id has a row of finite numbers.
#include "factors/ratings/side_features.hpp"
#include "outcome.hpp"

#include <cmath>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sgmcmc;
  const std::span<const char> text(reinterpret_cast<const char*>(data), size);
  const auto read = [&] {
    return fuzz::outcome_of([&] {
      Input input("features", text);
      const SideFeatures features = read_side_features(input);
      std::string result;
      for (std::uint32_t row = 0; row < features.rows(); ++row) {
        const auto found = features.find(features.id(row));
        if (!found || found->size() != features.columns() || features.columns() == 0) std::abort();
        for (const double value : *found) {
          if (!std::isfinite(value)) std::abort();
          result += std::to_string(value) + " ";
        }
      }
      return result;
    });
  };
  fuzz::expect_same(read(), read());
  return 0;
}
