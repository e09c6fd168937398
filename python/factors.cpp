// Matrix factorisation of ratings given as arrays of users, items and values.
#include "arrays.hpp"
#include "interruptible.hpp"
#include "module.hpp"
#include "service/factor_warnings.hpp"
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

/// One row for each user, or item; without columns: none.
std::optional<SideFeatures> features_of(const RealArray& numbers, std::size_t columns) {
  if (columns == 0) return std::nullopt;
  return SideFeatures::from_rows({numbers.data(), numbers.data() + numbers.size()}, columns);
}

nb::dict fit_factors(std::uint32_t users, std::uint32_t items, const IntegerArray& user, const IntegerArray& item,
                     const RealArray& value, const GivenSettings& given, const RealArray& user_features,
                     std::size_t user_columns, const RealArray& item_features, std::size_t item_columns) {
  const Ratings ratings = ratings_of(users, items, user, item, value);
  const FactorFeatures features{features_of(user_features, user_columns), features_of(item_features, item_columns)};
  const OptionValues values = option_values(Command::factorize, given, false);
  FactorOptions options = factor_options(values);
  const FactorResult result = interruptible([&](const std::atomic<bool>* interrupt) {
    options.interrupt = interrupt;
    return factorize(ratings, options, nullptr, features);
  });
  nb::dict found;
  found["model"] = nb::cast(result.model);
  found["rmse"] = result.scores.rmse;
  found["log_predictive"] = result.scores.log_predictive;
  found["coverage"] = result.scores.coverage;
  found["noise_precision"] = result.mean_noise_precision;
  found["iterations"] = result.iterations;
  found["interrupted"] = result.interrupted;
  found["usable"] = result.usable;
  found["warnings"] = factor_warnings(values, options, result);
  nb::list trace;
  for (const auto& point : result.trace) trace.append(nb::make_tuple(point.iteration, point.averaged.rmse));
  found["trace"] = trace;
  return found;
}

/// Means, standard deviations and ends of intervals, a row for each pair. Users and items beyond those of the model
/// have rows of the features, in order; no features: none.
nb::object predict_pairs(const FactorModel& model, const IntegerArray& user, const IntegerArray& item,
                         const RealArray& user_features, const RealArray& item_features) {
  const std::size_t user_columns = user_features.size() > 0 ? model.user_feature_names().size() : 0;
  const std::size_t item_columns = item_features.size() > 0 ? model.item_feature_names().size() : 0;
  const auto features = [](const RealArray& all, std::size_t columns, std::size_t number, std::uint32_t known) {
    if (number < known || columns == 0 || (number - known) * columns >= all.size()) return std::span<const double>();
    return std::span<const double>(all.data(), all.size()).subspan((number - known) * columns, columns);
  };
  std::vector<double> numbers(4 * user.size());
  {
    const nb::gil_scoped_release release;
    for (std::size_t i = 0; i < user.size(); ++i) {
      const auto of_user = static_cast<std::uint32_t>(user.data()[i]);
      const auto of_item = static_cast<std::uint32_t>(item.data()[i]);
      const FactorPrediction one =
          model.predict(of_user, of_item, features(user_features, user_columns, of_user, model.users()),
                        features(item_features, item_columns, of_item, model.items()));
      numbers[4 * i] = one.mean;
      numbers[4 * i + 1] = one.sd;
      numbers[4 * i + 2] = one.lower;
      numbers[4 * i + 3] = one.upper;
    }
  }
  return numpy_array(std::move(numbers), {user.size(), 4});
}

nb::list recommend(const FactorModel& model, std::uint32_t user, std::size_t count, const IntegerArray& excluded,
                   const RealArray& user_features) {
  const std::vector<std::uint32_t> left_out(excluded.data(), excluded.data() + excluded.size());
  nb::list found;
  for (const auto& each : model.recommend(user, count, left_out, {user_features.data(), user_features.size()}))
    found.append(nb::make_tuple(each.item, each.prediction.mean, each.prediction.sd));
  return found;
}

}  // namespace

void add_factors(nb::module_& m) {
  nb::class_<FactorModel>(m, "FactorModel")
      .def("save", &FactorModel::save)
      .def_static("load", &FactorModel::load)
      .def_prop_ro("draws", &FactorModel::draws)
      .def_prop_ro("user_features", [](const FactorModel& model) { return model.user_feature_names().size(); })
      .def_prop_ro("item_features", [](const FactorModel& model) { return model.item_feature_names().size(); });
  m.def("fit_factors", &fit_factors);
  m.def("predict_pairs", &predict_pairs);
  m.def("recommend", &recommend);
}

}  // namespace sgmcmc::python
