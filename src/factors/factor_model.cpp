// Predictions from draws: a rating is a mixture of distributions, one of each draw.
#include "factors/factor_draws.hpp"

#include "base/decompositions.hpp"
#include "base/normal_cdf.hpp"
#include "base/state_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace sgmcmc {

namespace {

struct NormalPart {
  double mean = 0, sd = 0;
};

/// Of an equal mixture; start: near it.
double mixture_quantile(const std::vector<NormalPart>& parts, double probability, double start) {
  double low = parts.front().mean, high = low, widest = 0;
  for (const NormalPart& part : parts) {
    low = std::min(low, part.mean);
    high = std::max(high, part.mean);
    widest = std::max(widest, part.sd);
  }
  low -= 40 * widest;
  high += 40 * widest;
  // Newton's steps, or halves of the range where they leave it.
  double x = start;
  for (int step = 0; step < 60; ++step) {
    double below = 0, density = 0;
    for (const NormalPart& part : parts) {
      const double z = (x - part.mean) / part.sd;
      below += normal_cdf(z) / static_cast<double>(parts.size());
      density += std::exp(-0.5 * z * z) / part.sd / std::sqrt(2 * std::numbers::pi) / static_cast<double>(parts.size());
    }
    (below < probability ? low : high) = x;
    const double next = x - (below - probability) / density;
    const double to = next > low && next < high ? next : 0.5 * (low + high);
    const bool is_there = std::abs(to - x) <= 1e-9 * widest;
    x = to;
    if (is_there) break;
  }
  return x;
}

/// A row of one side in one draw: known, or a normal distribution.
struct RowLaw {
  const float* known = nullptr;
  const double* mean = nullptr;
  const double* covariance = nullptr;
  double number(std::size_t k) const { return known != nullptr ? static_cast<double>(known[k]) : mean[k]; }
};

/// Adds weights' x to a mean, where x are the features of a row, of a draw.
std::vector<double> shifted_mean(const double* mean, const FactorModel::Parts::Features& features, std::size_t draw,
                                 std::size_t size, std::span<const double> values) {
  std::vector<double> result(mean, mean + size);
  const double* weights = features.weights.data() + draw * values.size() * size;
  for (std::size_t f = 0; f < values.size(); ++f, weights += size) {
    const double x = features.scale.scaled(f, values[f]);
    for (std::size_t k = 0; k < size; ++k) result[k] += x * weights[k];
  }
  return result;
}

void check_count(const char* what, std::span<const double> values, const FeatureScale& scale) {
  if (values.empty() || values.size() == scale.columns()) return;
  throw DataError(std::string(what) + ": there are " + std::to_string(values.size()) +
                  " side features; the model has " + std::to_string(scale.columns()));
}

/// Mean and variance of a + b + u . v for independent rows.
NormalPart product_law(const RowShape& shape, const RowLaw& user, const RowLaw& item) {
  const std::size_t size = shape.size(), factors = shape.factors;
  double mean = shape.biases ? user.number(factors) + item.number(factors) : 0.0, variance = 0;
  for (std::size_t k = 0; k < factors; ++k) mean += user.number(k) * item.number(k);
  const auto weight = [&](const RowLaw& row, std::size_t k) { return k < factors ? row.number(k) : 1.0; };
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t l = 0; l < size; ++l) {
      const double of_user = user.covariance != nullptr ? user.covariance[k * size + l] : 0.0;
      const double of_item = item.covariance != nullptr ? item.covariance[k * size + l] : 0.0;
      variance += of_user * weight(item, k) * weight(item, l) + of_item * weight(user, k) * weight(user, l);
      if (k < factors && l < factors) variance += of_user * of_item;
    }
  return {mean, variance};
}

FactorPrediction mixture_of(const ObservationLaw& law, std::span<const ObservationLaw::Uncertain> parts,
                            double interval) {
  const auto count = static_cast<double>(parts.size());
  double mean = 0, square = 0;
  for (const auto& part : parts) mean += law.mean(part) / count;
  for (const auto& part : parts)
    square += (law.variance(part) + (law.mean(part) - mean) * (law.mean(part) - mean)) / count;
  return {mean, std::sqrt(square), law.quantile(parts, 0.5 * (1 - interval)),
          law.quantile(parts, 0.5 * (1 + interval))};
}

}  // namespace

void FactorModel::Parts::add(const FactorState& draw) {
  const std::size_t size = shape.size();
  offset = draw.offset;
  scale = draw.scale;
  const auto add_rows = [&](const FactorSide& side, std::vector<float>& to) {
    for (std::size_t i = 0; i < side.count; ++i)
      for (std::size_t k = 0; k < size; ++k) to.push_back(static_cast<float>(side.row(i)[k]));
  };
  add_rows(draw.users, user_rows);
  add_rows(draw.items, item_rows);
  priors.push_back(draw.noise_precision);
  for (const FactorSide* side : {&draw.users, &draw.items}) {
    priors.insert(priors.end(), side->prior.mean.begin(), side->prior.mean.end());
    const Eigen::MatrixXd covariance = Cholesky(side->prior.precision).inverse();
    priors.insert(priors.end(), covariance.data(), covariance.data() + covariance.size());
    auto& weights = (side == &draw.users ? user_features : item_features).weights;
    for (Eigen::Index f = 0; f < side->weights.rows(); ++f)
      for (Eigen::Index k = 0; k < side->weights.cols(); ++k) weights.push_back(side->weights(f, k));
  }
  ++draws;
}

void FactorModel::Parts::visit_state(StateVisitor& visitor) {
  std::uint64_t count = draws;
  visitor.visit("kept_draws", count);
  draws = static_cast<std::uint32_t>(count);
  visit_packed(visitor, "kept_users", user_rows);
  visit_packed(visitor, "kept_items", item_rows);
  visitor.visit("kept_priors", priors);
  visitor.visit("kept_offset", offset);
  visitor.visit("kept_scale", scale);
  for (Features* features : {&user_features, &item_features}) {
    if (features->scale.columns() == 0) continue;
    visitor.visit("kept_weights", features->weights);
    if (features->weights.size() != count * features->scale.columns() * shape.size()) refuse_state("kept_weights");
  }
  if (user_rows.size() != count * users * shape.size() || item_rows.size() != count * items * shape.size() ||
      priors.size() != count * numbers_of_prior())
    refuse_state("kept_users");
}

FactorModel::FactorModel(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)), interval_(parts_->interval) {}

std::uint32_t FactorModel::users() const { return parts_->users; }
std::uint32_t FactorModel::items() const { return parts_->items; }
std::uint32_t FactorModel::draws() const { return parts_->draws; }
std::uint32_t FactorModel::factors() const { return static_cast<std::uint32_t>(parts_->shape.factors); }
Observations FactorModel::observations() const { return parts_->law.kind(); }
double FactorModel::interval() const { return interval_; }
void FactorModel::set_interval(double probability) {
  check_interval(probability);
  interval_ = probability;
}
const Ratings& FactorModel::ids() const { return parts_->ids; }
std::string FactorModel::user_name(std::uint32_t user) const { return parts_->ids.user_name(user); }
std::string FactorModel::item_name(std::uint32_t item) const { return parts_->ids.item_name(item); }

const std::vector<std::string>& FactorModel::user_feature_names() const { return parts_->user_features.scale.names; }
const std::vector<std::string>& FactorModel::item_feature_names() const { return parts_->item_features.scale.names; }

FactorPrediction FactorModel::predict(std::uint32_t user, std::uint32_t item, std::span<const double> user_features,
                                      std::span<const double> item_features) const {
  const Parts& all = *parts_;
  check_count("user_features", user_features, all.user_features.scale);
  check_count("item_features", item_features, all.item_features.scale);
  const std::size_t size = all.shape.size();
  const bool is_normal = all.law.kind() == Observations::gaussian;
  std::vector<NormalPart> parts(is_normal ? all.draws : 0);
  std::vector<ObservationLaw::Uncertain> uncertain(is_normal ? 0 : all.draws);
  double mean = 0, square = 0;
  for (std::size_t d = 0; d < all.draws; ++d) {
    const double* const prior = all.priors.data() + d * all.numbers_of_prior();
    const auto row = [&](const std::vector<float>& rows, std::size_t count, std::size_t i, const double* law) {
      return i < count ? RowLaw{rows.data() + (d * count + i) * size, nullptr, nullptr}
                       : RowLaw{nullptr, law, law + size};
    };
    RowLaw of_user = row(all.user_rows, all.users, user, prior + 1);
    RowLaw of_item = row(all.item_rows, all.items, item, prior + 1 + size * (1 + size));
    std::vector<double> user_mean, item_mean;
    if (of_user.known == nullptr && !user_features.empty()) {
      user_mean = shifted_mean(of_user.mean, all.user_features, d, size, user_features);
      of_user.mean = user_mean.data();
    }
    if (of_item.known == nullptr && !item_features.empty()) {
      item_mean = shifted_mean(of_item.mean, all.item_features, d, size, item_features);
      of_item.mean = item_mean.data();
    }
    const NormalPart product = product_law(all.shape, of_user, of_item);
    if (!is_normal) {
      uncertain[d] = {all.offset + all.scale * product.mean, all.scale * all.scale * product.sd};
      continue;
    }
    parts[d] = {all.offset + all.scale * product.mean, all.scale * std::sqrt(product.sd + 1.0 / prior[0])};
    mean += parts[d].mean / all.draws;
    square += parts[d].sd * parts[d].sd / all.draws;
  }
  if (!is_normal) return mixture_of(all.law, uncertain, interval_);
  for (const NormalPart& part : parts) square += (part.mean - mean) * (part.mean - mean) / all.draws;
  const double sd = std::sqrt(square);
  return {mean, sd, mixture_quantile(parts, 0.5 * (1 - interval_), mean - 1.5 * sd),
          mixture_quantile(parts, 0.5 * (1 + interval_), mean + 1.5 * sd)};
}

std::vector<double> FactorModel::means(std::uint32_t user, std::span<const double> user_features) const {
  check_count("user_features", user_features, parts_->user_features.scale);
  const Parts& all = *parts_;
  const std::size_t size = all.shape.size(), factors = all.shape.factors;
  std::vector<double> result(all.items, 0.0), row(size);
  const bool is_linear = all.law.kind() == Observations::gaussian || all.law.kind() == Observations::poisson;
  if (!is_linear && user >= all.users) {
    for (std::uint32_t i = 0; i < all.items; ++i) result[i] = predict(user, i, user_features).mean;
    return result;
  }
  for (std::size_t d = 0; d < all.draws; ++d) {
    const double* const prior = all.priors.data() + d * all.numbers_of_prior();
    for (std::size_t k = 0; k < size; ++k)
      row[k] = user < all.users ? static_cast<double>(all.user_rows[(d * all.users + user) * size + k]) : prior[1 + k];
    if (user >= all.users && !user_features.empty())
      row = shifted_mean(prior + 1, all.user_features, d, size, user_features);
    const float* item = all.item_rows.data() + d * all.items * size;
    for (std::size_t i = 0; i < all.items; ++i, item += size) {
      double sum = all.shape.biases ? row[factors] + static_cast<double>(item[factors]) : 0.0;
      for (std::size_t k = 0; k < factors; ++k) sum += row[k] * static_cast<double>(item[k]);
      result[i] += (is_linear ? sum : all.law.mean(all.offset + all.scale * sum)) / all.draws;
    }
  }
  for (double& x : result) x = is_linear ? all.offset + all.scale * x : x;
  return result;
}

std::vector<Recommendation> FactorModel::recommend(std::uint32_t user, std::size_t count,
                                                   std::span<const std::uint32_t> excluded,
                                                   std::span<const double> user_features) const {
  const std::vector<double> mean = means(user, user_features);
  std::vector<char> left_out(mean.size(), 0);
  for (const std::uint32_t item : excluded)
    if (item < left_out.size()) left_out[item] = 1;
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < mean.size(); ++i)
    if (left_out[i] == 0) order.push_back(i);
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return mean[a] != mean[b] ? mean[a] > mean[b] : a < b; });
  std::vector<Recommendation> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back({order[i], predict(user, order[i], user_features)});
  return result;
}

}  // namespace sgmcmc
