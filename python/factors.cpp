// Matrix factorisation of ratings given as arrays of users, items and values.
#include "arrays.hpp"
#include "interruptible.hpp"
#include "module.hpp"
#include "service/given/given_settings.hpp"
#include "settings/factorize.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/factorize.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sgmcmc::python {
namespace {

/// Users and items are numbers that are not negative and below those given.
Ratings ratings_of(std::uint32_t users, std::uint32_t items, const IntegerArray& user, const IntegerArray& item,
                   const RealArray& value) {
  Ratings::Builder builder(users, items);
  for (std::size_t i = 0; i < value.size(); ++i)
    builder.add(static_cast<std::uint32_t>(user.data()[i]), static_cast<std::uint32_t>(item.data()[i]),
                value.data()[i]);
  return builder.build();
}

nb::dict fit_factors(std::uint32_t users, std::uint32_t items, const IntegerArray& user, const IntegerArray& item,
                     const RealArray& value, const GivenSettings& given) {
  const Ratings ratings = ratings_of(users, items, user, item, value);
  FactorOptions options = factor_options(option_values(Command::factorize, given, false));
  const FactorResult result = interruptible([&](const std::atomic<bool>* interrupt) {
    options.interrupt = interrupt;
    return factorize(ratings, options);
  });
  nb::dict found;
  found["model"] = nb::cast(result.model);
  found["rmse"] = result.scores.rmse;
  found["log_predictive"] = result.scores.log_predictive;
  found["coverage"] = result.scores.coverage;
  found["noise_precision"] = result.mean_noise_precision;
  found["iterations"] = result.iterations;
  found["interrupted"] = result.interrupted;
  nb::list trace;
  for (const auto& point : result.trace) trace.append(nb::make_tuple(point.iteration, point.averaged.rmse));
  found["trace"] = trace;
  return found;
}

/// Means, standard deviations and ends of intervals, a row for each pair.
nb::object predict_pairs(const FactorModel& model, const IntegerArray& user, const IntegerArray& item) {
  std::vector<double> numbers(4 * user.size());
  {
    const nb::gil_scoped_release release;
    for (std::size_t i = 0; i < user.size(); ++i) {
      const FactorPrediction one = model.predict(static_cast<std::uint32_t>(user.data()[i]),
                                                 static_cast<std::uint32_t>(item.data()[i]));
      numbers[4 * i] = one.mean;
      numbers[4 * i + 1] = one.sd;
      numbers[4 * i + 2] = one.lower;
      numbers[4 * i + 3] = one.upper;
    }
  }
  return numpy_array(std::move(numbers), {user.size(), 4});
}

nb::list recommend(const FactorModel& model, std::uint32_t user, std::size_t count, const IntegerArray& excluded) {
  const std::vector<std::uint32_t> left_out(excluded.data(), excluded.data() + excluded.size());
  nb::list found;
  for (const auto& each : model.recommend(user, count, left_out))
    found.append(nb::make_tuple(each.item, each.prediction.mean, each.prediction.sd));
  return found;
}

}  // namespace

void add_factors(nb::module_& m) {
  nb::class_<FactorModel>(m, "FactorModel")
      .def("save", &FactorModel::save)
      .def_static("load", &FactorModel::load)
      .def_prop_ro("draws", &FactorModel::draws);
  m.def("fit_factors", &fit_factors);
  m.def("predict_pairs", &predict_pairs);
  m.def("recommend", &recommend);
}

}  // namespace sgmcmc::python
