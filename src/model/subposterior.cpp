// Deals rows into parts and builds the model of one part.
#include "base/permutation.hpp"
#include "data/select_rows.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/subposterior.hpp>

#include <algorithm>
#include <array>

namespace sgmcmc {
namespace {

/// The caller's likelihood restricted to the rows of one part.
class PartOfGiven final : public GivenLikelihood {
 public:
  PartOfGiven(std::shared_ptr<const GivenLikelihood> whole, std::vector<std::uint32_t> rows)
      : whole_(std::move(whole)), rows_(std::move(rows)) {}

  double add(std::span<const double> values, std::span<const std::uint32_t> rows,
             std::span<double> gradient) const override {
    return whole_->add(values, in_whole(rows), gradient);
  }
  void each(std::span<const double> values, std::span<const std::uint32_t> rows, std::span<double> log_likelihoods,
            std::span<double> gradients) const override {
    whole_->each(values, in_whole(rows), log_likelihoods, gradients);
  }

 private:
  std::vector<std::uint32_t> in_whole(std::span<const std::uint32_t> rows) const {
    std::vector<std::uint32_t> whole(rows.size());
    std::transform(rows.begin(), rows.end(), whole.begin(), [&](std::uint32_t row) { return rows_[row]; });
    return whole;
  }

  std::shared_ptr<const GivenLikelihood> whole_;
  std::vector<std::uint32_t> rows_;
};

void check(const Subposterior& which, std::int64_t rows) {
  if (which.parts < 1 || which.part < 1 || which.part > which.parts)
    throw OptionError("subposterior: part " + std::to_string(which.part) + " of " + std::to_string(which.parts) +
                      " does not exist; parts are counted from 1");
  if (rows == 0)
    throw OptionError("subposterior: the model has no rows that could be dealt into " + std::to_string(which.parts) +
                      " parts");
  if (which.parts > static_cast<std::uint64_t>(rows))
    throw OptionError("subposterior: " + std::to_string(rows) + " rows cannot be dealt into " +
                      std::to_string(which.parts) + " parts; use fewer parts");
}

}  // namespace

std::string Subposterior::text() const {
  return (part == 0 ? "all" : std::to_string(part)) + "/" + std::to_string(parts);
}

std::vector<std::uint32_t> rows_of_part(std::int64_t rows, const Subposterior& which) {
  check(which, rows);
  constexpr std::uint64_t seed = 0x5061727469746573;  // the same for all runs
  const auto count = static_cast<std::uint32_t>(rows);
  const Permutation order(count, {seed, static_cast<std::uint32_t>(which.parts), 0, Purpose::data});
  // A part is a contiguous range of the shuffled rows.
  const auto bound = [&](std::uint64_t part) { return static_cast<std::uint32_t>(count * part / which.parts); };
  std::vector<std::uint32_t> own(bound(which.part) - bound(which.part - 1));
  order.fill(bound(which.part - 1), own);
  std::sort(own.begin(), own.end());
  return own;
}

Model subposterior(const Model& model, const Subposterior& which) {
  const bool has_rows = model.given_likelihood() || model.row_log_likelihood();
  auto rows = rows_of_part(has_rows ? model.rows() : 0, which);
  Model part = model.with_densities({}, {});
  if (!model.given_likelihood()) part.set_data(select_rows(model.data(), rows));
  const double power = 1.0 / static_cast<double>(which.parts);
  if (model.log_prior()) part.prior(power * model.log_prior());
  if (model.log_jacobian() && which.parts > 1) part.prior((power - 1.0) * sum(model.log_jacobian()));
  if (model.given_likelihood()) {
    const auto count = static_cast<std::int64_t>(rows.size());
    part.likelihood(std::make_shared<PartOfGiven>(model.given_likelihood(), std::move(rows)), count);
  } else {
    part.likelihood(model.row_log_likelihood());
  }
  return part;
}

std::uint64_t seed_of_part(std::uint64_t seed, const Subposterior& which) {
  std::array<std::uint32_t, 2> bits{};
  fill_below({seed, static_cast<std::uint32_t>(which.part), which.parts, Purpose::data}, 1U << 31, bits);
  return (static_cast<std::uint64_t>(bits[0]) << 31) | bits[1];
}

}  // namespace sgmcmc
