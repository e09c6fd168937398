// Calls Python functions from the threads of chains.
#include "given_likelihood.hpp"

#include "arrays.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace sgmcmc::python {
namespace {

nb::object row_numbers(std::span<const std::uint32_t> rows) {
  auto* owned = new std::vector<std::int64_t>(rows.begin(), rows.end());
  nb::capsule owner(owned, [](void* held) noexcept { delete static_cast<std::vector<std::int64_t>*>(held); });
  const std::size_t size = owned->size();
  return nb::ndarray<nb::numpy, std::int64_t>(owned->data(), 1, &size, owner).cast();
}

/// Throws ModelError unless there are `size` numbers; the package has checked shapes and types.
RealArray numbers_of(nb::handle result, std::size_t size) {
  auto numbers = nb::cast<RealArray>(result);
  if (numbers.size() != size)
    throw ModelError("the function of the likelihood gave " + std::to_string(numbers.size()) + " numbers instead of " +
                     std::to_string(size));
  return numbers;
}

class PythonLikelihood final : public GivenLikelihood {
 public:
  PythonLikelihood(nb::object sum, nb::object each) : sum_(std::move(sum)), each_(std::move(each)) {}

  double add(std::span<const double> values, std::span<const std::uint32_t> rows,
             std::span<double> gradient) const override {
    const nb::gil_scoped_acquire interpreter;
    const nb::object both = sum_(numpy_vector({values.begin(), values.end()}), row_numbers(rows));
    const auto found = numbers_of(both[1], gradient.size());
    for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += found.data()[k];
    return nb::cast<double>(both[0]);
  }

  void each(std::span<const double> values, std::span<const std::uint32_t> rows, std::span<double> log_likelihoods,
            std::span<double> gradients) const override {
    const nb::gil_scoped_acquire interpreter;
    const nb::object both = each_(numpy_vector({values.begin(), values.end()}), row_numbers(rows));
    if (both.is_none()) return GivenLikelihood::each(values, rows, log_likelihoods, gradients);
    const auto numbers = numbers_of(both[0], log_likelihoods.size());
    const auto found = numbers_of(both[1], gradients.size());
    std::copy_n(numbers.data(), numbers.size(), log_likelihoods.begin());
    std::copy_n(found.data(), found.size(), gradients.begin());
  }

 private:
  nb::object sum_, each_;
};

}  // namespace

std::shared_ptr<const GivenLikelihood> given_likelihood(nb::object sum, nb::object each) {
  // A function keeps the globals of its module alive, and with them the model that calls it: a reference cycle that the
  // garbage collector cannot see. It is broken when the name is rebound, but not at exit, so no leak warning is given.
  nb::set_leak_warnings(false);
  return std::shared_ptr<const PythonLikelihood>(new PythonLikelihood(std::move(sum), std::move(each)),
                                                 [](const PythonLikelihood* held) {
                                                   if (!nb::is_alive()) return;
                                                   const nb::gil_scoped_acquire interpreter;
                                                   delete held;
                                                 });
}

}  // namespace sgmcmc::python
