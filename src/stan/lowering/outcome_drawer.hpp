// Runs `x ~ distribution(...)` forwards: draws x, a parameter or data, instead of adding to the log density.
#pragma once

#include "stan/lowering/interpreter.hpp"

#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sgmcmc::stan {

/// A variable that statements draw.
struct DrawnVariable {
  const Declaration* declaration = nullptr;
  bool parameter = false;
  std::vector<bool> drawn;  ///< by element
  Numbers given;            ///< data: as they were read
};
using DrawnVariables = std::map<std::string, DrawnVariable>;

/// The distribution that one element was drawn from.
struct ElementLaw {
  std::string name;                                         ///< "normal"
  std::vector<double> arguments;                            ///< in the order of the density's parameters
  double lower = -std::numeric_limits<double>::infinity();  ///< truncation
  double upper = std::numeric_limits<double>::infinity();

  bool operator==(const ElementLaw&) const = default;
};
/// Receives the distribution of every parameter element that is drawn on its own, not jointly with others.
using LawObserver = std::function<void(const std::string& parameter, std::size_t element, ElementLaw law)>;

/// Values not yet drawn are NaN. A statement draws the outcomes whose arguments are known, re-evaluates the arguments,
/// and repeats: this also runs vectorised time series, y[2:T] ~ normal(phi * y[1:(T - 1)], 1).
class OutcomeDrawer {
 public:
  /// `varying`: names of variables whose values differ between simulations.
  OutcomeDrawer(Interpreter& interpreter, DrawnVariables& variables, const std::set<std::string>& varying,
                UniformSource& uniform)
      : interpreter_(interpreter), variables_(variables), varying_(varying), uniform_(uniform) {}

  void set_observer(LawObserver observer) { observer_ = std::move(observer); }
  void draw(const Sampling& form, Span span);
  /// Draws a parameter that no statement draws: uniform if its declaration bounds it. Throws StanError otherwise.
  void draw_flat(const Declaration& declaration);

 private:
  struct Outcome;    ///< the left side, resolved
  struct Arguments;  ///< the right side, evaluated
  struct Limits;     ///< where outcomes must lie

  Outcome outcome_of(const Sampling& form);
  void check_kind(const Outcome& outcome, const Sampling& form) const;
  bool is_fixed(const Tree& tree) const;  ///< the same in every simulation
  bool has_fixed_law(const Outcome& outcome, const Sampling& form) const;
  Limits limits_of(const Outcome& outcome, const Sampling& form, const Arguments& arguments);
  Arguments arguments_of(const Outcome& outcome, const Sampling& form, Span span);
  bool draw_known(const Outcome& outcome, const Arguments& arguments, const Limits& limits, Span span);
  std::vector<double> scalar_draws(const Arguments& arguments, const Limits& limits,
                                   const std::vector<std::size_t>& which, Span span);
  std::vector<double> joint_draw(const Arguments& arguments, const Limits& limits, std::size_t which, Span span);
  void draw_in_order(const Outcome& outcome, const Arguments& arguments, const Limits& limits, Span span);
  Operand random(const std::string& function, const std::vector<Operand>& arguments, Span span);
  void store(const Outcome& outcome, std::size_t element, double number);
  void observe(const Outcome& outcome, const Arguments& arguments, const Limits& limits, std::size_t element) const;
  [[noreturn]] void refuse_unknown(const Sampling& form, Span span);
  [[noreturn]] void refuse_rejection(Span span) const;
  [[noreturn]] void fail(Span span, const std::string& message, const std::string& help) const {
    interpreter_.fail(span, message, help);
  }

  Interpreter& interpreter_;
  DrawnVariables& variables_;
  const std::set<std::string>& varying_;
  UniformSource& uniform_;
  LawObserver observer_;
};

/// Advice for a model that cannot be run forwards.
extern const char* const write_simulator;

}  // namespace sgmcmc::stan
