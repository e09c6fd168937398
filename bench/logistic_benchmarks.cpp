// Logistic regression at covertype's size, and at ten thousand and ten million rows: the engine compared with
// hand-written loops.
#include "benchmarks.hpp"
#include "check.hpp"
#include "engine.hpp"
#include "hand/bandwidth.hpp"
#include "hand/logistic_sgld.hpp"
#include "problems.hpp"
#include "timing.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sgmcmc::bench {
namespace {

constexpr double gigabyte = 1e9;

template <class Real, int features>
hand::LogisticRows<Real, features> hand_rows(const LogisticProblem& problem) {
  return {std::span<const double>(problem.x), std::span<const std::int32_t>(problem.y)};
}

template <class Real>
using CovertypeChain = hand::LogisticSgld<Real, covertype_features>;

/// The truth as centre, with the gradient of the log posterior there.
template <class Real>
typename CovertypeChain<Real>::Centre hand_centre(const LogisticProblem& problem,
                                                  const hand::LogisticRows<Real, covertype_features>& rows) {
  typename CovertypeChain<Real>::Centre centre;
  for (int j = 0; j < covertype_features; ++j) centre.point.value[j] = static_cast<Real>(problem.truth[j]);
  hand::logistic_full_gradient(rows, centre.point, 2, centre.gradient);
  for (int j = 0; j < covertype_features; ++j) {
    centre.gradient.value[j] -= std::copysign(Real{1}, centre.point.value[j]);
  }
  return centre;
}

template <class Real>
void run_logistic(Results& results, const Effort& effort, const std::string& name, bool with_control_variates) {
  const LogisticProblem problem = make_logistic_problem(covertype_rows, covertype_features);
  const auto rows = hand_rows<Real, covertype_features>(problem);
  const EngineLogistic engine(problem, sizeof(Real) == 8 ? Precision::float64 : Precision::float32);
  ChainSettings plain;
  ChainSettings centred;
  centred.centre = problem.truth;
  centred.seed =
      plain.seed + 1;  // other rows than the plain chains, so that neither finds the other's rows in the caches
  const auto step_size = static_cast<Real>(plain.step_size);
  CovertypeChain<Real> hand_plain(rows, plain.seed, plain.batch_size, step_size);
  CovertypeChain<Real> hand_centred(rows, centred.seed, centred.batch_size, step_size,
                                    hand_centre<Real>(problem, rows));
  const EngineChain engine_plain = engine.sgld(plain);
  const EngineChain engine_centred = engine.sgld(centred);
  for (int step = 0; step < 20; ++step) {
    engine_plain.step();
    engine_centred.step();
    hand_plain.step();
    hand_centred.step();
  }
  const double tolerance = sizeof(Real) == 8 ? 1e-10 : 1e-3;
  check_same_place(engine_plain.theta(), hand_plain.theta(), tolerance);
  check_same_place(engine_centred.theta(), hand_centred.theta(), tolerance);

  constexpr int steps = 25;  // about a millisecond: shorter than the time between interruptions
  const Timings timings({{engine_plain.step, steps},
                         {[&] { hand_plain.step(); }, steps},
                         {engine_centred.step, steps},
                         {[&] { hand_centred.step(); }, steps}},
                        effort.rounds);
  results.judge(name, timings.ratio(0, 1), Results::Goal::at_most, 1.15, "sgld step over the one by hand");
  results.note(name + "_us", timings.best(0));
  results.note(name + "_hand_us", timings.best(1));
  const std::string centred_name = with_control_variates ? "sgld_cv_over_plain" : name + "_cv_over_plain";
  results.judge(centred_name, timings.ratio(2, 0), Results::Goal::at_most, 1.5,
                "control-variate step over the plain one");
  results.note(centred_name + "_us", timings.best(2));
  results.note(centred_name + "_hand_us", timings.best(3));
  results.note(centred_name + "_hand", timings.ratio(3, 1));
  results.note(name + "_cv_over_hand", timings.ratio(2, 3));
}

}  // namespace

void run_logistic_double(Results& results, const Effort& effort) {
  run_logistic<double>(results, effort, "sgld_logistic_double", true);
}

void run_logistic_float(Results& results, const Effort& effort) {
  run_logistic<float>(results, effort, "sgld_logistic_float", false);
}

void run_full_gradient(Results& results, const Effort& effort) {
  constexpr int threads = 2;
  const LogisticProblem problem = make_logistic_problem(covertype_rows, covertype_features);
  const auto rows = hand_rows<double, covertype_features>(problem);
  const EngineLogistic engine(problem, Precision::float64);
  hand::LogisticPoint<double, covertype_features> point;
  hand::LogisticPoint<double, covertype_features> gradient;
  std::copy(problem.truth.begin(), problem.truth.end(), point.value);
  hand::LogisticPoint<double, covertype_features> same;
  hand::logistic_full_gradient(rows, point, threads, gradient);
  hand::logistic_full_gradient_in_blocks(rows, point, threads, same);
  for (int j = 0; j < covertype_features; ++j)
    if (!(std::abs(gradient.value[j] - same.value[j]) < 1e-8)) throw std::logic_error("the two passes by hand differ");
  volatile double sink = 0;
  const Timings timings(
      {{engine.full_gradient(threads), 1},
       {[&] { hand::logistic_full_gradient(rows, point, threads, gradient); }, 1},
       {[&] { sink = sink + hand::plain_read(rows.row(0), rows.bytes() / sizeof(double), threads); }, 1},
       {[&] { hand::logistic_full_gradient_in_blocks(rows, point, threads, gradient); }, 1}},
      effort.rounds / 4 + 1);
  const auto rate = [&](std::size_t who) {
    return static_cast<double>(rows.bytes()) / gigabyte / (timings.best(who) * 1e-6);
  };
  const std::size_t by_hand = timings.best(1) < timings.best(3) ? 1 : 3;
  // The floor: a row is 448 bytes, 108 multiplications with an addition and one logistic function. If the arithmetic
  // takes longer than reading the bytes, as with 16-byte vectors, even the hand-written loop is slower than memory, and
  // is the reference.
  const double hand_bandwidth = 1 / timings.ratio(by_hand, 2);
  if (hand_bandwidth >= 0.8) {
    results.judge("full_gradient_bandwidth", 1 / timings.ratio(0, 2), Results::Goal::at_least, 0.8,
                  "full pass on 2 threads over a plain read");
    results.note("full_gradient_over_hand", timings.ratio(0, by_hand));
  } else {
    results.note("full_gradient_bandwidth", 1 / timings.ratio(0, 2));
    results.judge("full_gradient_over_hand", timings.ratio(0, by_hand), Results::Goal::at_most, 1.1,
                  "full pass on 2 threads over the best by hand, itself slower than 0.8 of memory");
  }
  results.note("full_gradient_bandwidth_us", timings.best(0));
  results.note("full_gradient_bandwidth_hand_us", timings.best(by_hand));
  results.note("full_gradient_bandwidth_hand", hand_bandwidth);
  results.note("full_gradient_gb_per_s", rate(0));
  results.note("full_gradient_hand_gb_per_s", rate(by_hand));
  results.note("plain_read_gb_per_s", rate(2));
}

void run_nuts(Results& results, const Effort& effort) {
  constexpr int threads = 2, leapfrog_steps = 15;
  const LogisticProblem problem = make_logistic_problem(100'000, covertype_features);
  const auto rows = hand_rows<double, covertype_features>(problem);
  const EngineLogistic engine(problem, Precision::float64);
  hand::LogisticPoint<double, covertype_features> point;
  hand::LogisticPoint<double, covertype_features> gradient;
  const auto nuts = engine.nuts(threads, leapfrog_steps);
  nuts();
  volatile double density = 0;
  // nuts needs the log density with every gradient. There are hand-written loops for the gradient alone and for both.
  // The lower bound for all three: 44.8 MB of rows read once, 22 million multiplications and additions.
  const Timings timings({{nuts, 1},
                         {[&] {
                            for (int k = 0; k < leapfrog_steps; ++k)
                              hand::logistic_full_gradient(rows, point, threads, gradient);
                          },
                          1},
                         {[&] {
                            for (int k = 0; k < leapfrog_steps; ++k)
                              density = hand::logistic_full_gradient<true>(rows, point, threads, gradient);
                          },
                          1}},
                        effort.rounds / 8 + 1);
  if (const double expected = -std::log(2.0) * static_cast<double>(rows.rows());
      !(std::abs(density / expected - 1) < 1e-12))
    throw std::logic_error("the log density by hand is wrong");
  results.judge("nuts_gradient_speed", 1 / timings.ratio(0, 1), Results::Goal::at_least, 0.8,
                "gradients per second inside nuts over a loop by hand without log density, 10^5 rows on 2 threads");
  results.note("nuts_gradient_us", timings.best(0) / leapfrog_steps);
  results.note("nuts_gradient_hand_us", timings.best(1) / leapfrog_steps);
  results.note("nuts_gradient_speed_with_density", 1 / timings.ratio(0, 2));
  results.note("nuts_gradient_hand_with_density_us", timings.best(2) / leapfrog_steps);
}

void run_first_step(Results& results, const Effort& effort) {
  const LogisticProblem problem = make_logistic_problem(covertype_rows, covertype_features);
  const EngineLogistic engine(problem, Precision::float64);
  std::vector<double> milliseconds;
  for (int round = 0; round < effort.rounds / 4 + 1; ++round) milliseconds.push_back(engine.model_to_first_step_ms());
  results.judge("model_to_first_step_ms", median(milliseconds), Results::Goal::at_most, 20,
                "from the first line of a model to the first step");
  results.note("model_to_first_step_first_ms", milliseconds.front());
}

void run_row_count(Results& results, const Effort& effort) {
  constexpr int features = 8;
  const LogisticProblem small = make_logistic_problem(10'000, features);
  const auto small_rows = hand_rows<double, features>(small);
  const EngineLogistic small_engine(small, Precision::float64);
  LogisticProblem large = make_logistic_problem(10'000'000, features);
  const auto large_rows = hand_rows<double, features>(large);
  const EngineLogistic large_engine(large, Precision::float64);
  large = {};
  ChainSettings settings;
  settings.step_size = 1e-8;
  const EngineChain small_chain = small_engine.sgld(settings);
  const EngineChain large_chain = large_engine.sgld(settings);
  hand::LogisticSgld<double, features> small_hand(small_rows, settings.seed, settings.batch_size, settings.step_size);
  hand::LogisticSgld<double, features> large_hand(large_rows, settings.seed, settings.batch_size, settings.step_size);
  constexpr int steps = 50;
  const Timings timings({{large_chain.step, steps},
                         {small_chain.step, steps},
                         {[&] { large_hand.step(); }, steps},
                         {[&] { small_hand.step(); }, steps}},
                        effort.rounds);
  results.judge("step_1e7_over_1e4_rows", timings.ratio_of_ratios(0, 1, 2, 3), Results::Goal::at_most, 1.5,
                "step at 10^7 rows over 10^4, over the same by hand");
  results.note("step_1e7_over_1e4_rows_engine", timings.ratio(0, 1));
  results.note("step_1e7_over_1e4_rows_hand", timings.ratio(2, 3));
  results.note("step_1e7_over_1e4_rows_us", timings.best(0));
  results.note("step_1e7_over_1e4_rows_hand_us", timings.best(2));
  results.note("step_1e4_rows_us", timings.best(1));
  results.note("step_1e4_rows_hand_us", timings.best(3));
}

}  // namespace sgmcmc::bench
