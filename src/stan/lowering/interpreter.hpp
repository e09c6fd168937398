// Runs a checked program on data, with parameters as numbers or as expressions.
//
// One interpreter runs all blocks. If every value is a number, it computes numbers (transformed data, generated
// quantities). If parameters are expressions, it builds the log density: loops and vectorised statements over the row
// axis become the expression of one row, other loops are unrolled. A value that couples rows throws NotSeparable; the
// caller then runs the program again without a row axis.
#pragma once

#include "stan/check/check.hpp"
#include "stan/lowering/limits.hpp"
#include "stan/lowering/ranges.hpp"
#include "stan/lowering/row_axis.hpp"
#include "stan/lowering/value.hpp"
#include "stan/syntax/tree.hpp"

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace sgmcmc::stan {

struct NotSeparable {
  Span span;
  std::string reason;
  Numbers split;  ///< one per row: rows with equal values can be handled together; empty: no such split
};

/// Thrown by a reject statement.
class RejectError : public StanError {
 public:
  using StanError::StanError;
};

/// One term of the log density, from one statement.
struct TargetTerm {
  Expression row;    ///< summed over rows; empty: none
  Expression plain;  ///< added once; empty: none
  double constant = 0;
  bool uses_data = false;  ///< its outcome is data
  bool counted = false;    ///< all rows add the same term: added once, times the number of rows
  Span span;
};

class OutcomeDrawer;

class Interpreter {
 public:
  Interpreter(const Source& source, const Program& program, RowAxis* axis);

  void define(const std::string& name, Value value);  ///< in the outermost scope
  const Value* find(const std::string& name) const;   ///< in the outermost scope
  void run(const ProgramBlock& block);
  /// The same on numbers, in a new scope that is removed afterwards. target() can be read.
  void run_on_numbers(const ProgramBlock& block);
  /// Like run(), but counts completed statements, also if one throws.
  void run(const ProgramBlock& block, std::size_t& done);
  Value evaluate(const Tree& tree);
  /// Sizes of a declaration; remembers whether the first one counts the rows.
  struct Sizes {
    Dims dims;
    bool over_rows = false;
  };
  Sizes sizes(const Declaration& declaration);
  /// Checks declared sizes and bounds; throws StanError with the place of a violation.
  void check_constraint(const Declaration& declaration, const Value& value);

  std::vector<TargetTerm>& terms() { return terms_; }
  /// A transformed parameter that violates its constraint makes the log density -infinity: adds a term unless the range
  /// of the expression guarantees the constraint. Throws DataError for violations that depend on no parameter.
  void constrain_transformed(const Declaration& declaration);
  /// These terms, per row and global; may be empty.
  const Expression& row_checks() const { return row_checks_; }
  const Expression& plain_checks() const { return plain_checks_; }
  /// reject statements under conditions on parameters.
  const std::vector<Span>& rejections() const { return rejections_; }
  /// Places where the log density is -infinity for all parameters.
  const std::vector<Warning>& warnings() const { return warnings_; }
  void set_uniform_source(UniformSource* uniform) { uniform_ = uniform; }
  /// Runs the model forwards: draws the outcomes of `~`, adds nothing to the log density.
  void set_drawer(OutcomeDrawer* drawer) { drawer_ = drawer; }
  void set_printer(std::function<void(const std::string&)> printer) { printer_ = std::move(printer); }
  /// Once the flag is set, ends with InterruptedError, but not within the first statements.
  void set_interrupt(const std::atomic<bool>* flag, std::uint64_t statements = 0) {
    interrupt_ = flag;
    statements_before_interrupt_ = statements;
  }
  /// Reserves some memory, to be freed when memory runs out, for the error message.
  void keep_reserve() { reserve_ = std::make_unique_for_overwrite<char[]>(reserve_bytes); }
  /// Throws LimitError if a container of this name would be larger than the memory.
  void require_memory(const Dims& dims, const std::string& name, Span span) const;

 private:
  friend class OutcomeDrawer;
  static constexpr std::size_t reserve_bytes = std::size_t{1} << 20;
  struct Rejected {};  ///< thrown by a reject under a condition on parameters, caught at that condition
  enum class Flow : std::uint8_t { normal, broke, continued, returned };
  /// Rows: none, some or all.
  struct Covered {
    bool all = false;
    std::vector<bool> rows;  ///< empty: none
  };
  struct Variable {
    Value value;
    Type type;
    Dims dims;
    bool over_rows = false;
    bool from_data = false;  ///< a container of data, or computed from one
    int context = 0;         ///< the rows it was declared for; 0: outside the loops over rows
    bool filled = false;     ///< a container over rows that the enclosing loop assigns row by row
    /// A variable from outside the enclosing row loop, which assigns it: only values assigned in the same iteration may
    /// be read; others would couple rows.
    bool carried = false;
    bool added_to = false;          ///< carried, and a sum over iterations
    std::vector<Covered> assigned;  ///< carried: for each element, the rows whose iteration assigned it
  };
  using Scope = std::unordered_map<std::string, Variable>;
  struct Frame {
    std::deque<Scope> scopes;
    const Function* function = nullptr;
    Value result;
  };
  /// The rows for which statements run: all, or those for which the enclosing conditions hold. Other rows are replaced
  /// by one of these, so that every expression is evaluated at values of an actual row.
  struct RowContext {
    Numbers index;  ///< row number (from 1) that each row reads
    Numbers mask;   ///< 1 if the row itself counts; empty: all rows
    int id = 0;
  };

  struct Place;  ///< an evaluated index of x[...]: indexing.hpp

  // interpreter.cpp: scopes and targets
  Variable* lookup(const std::string& name);
  Variable& declare(const std::string& name, Span span, Type type, Dims dims, bool over_rows);
  [[noreturn]] void fail(Span span, const std::string& message, const std::string& help = {}) const;
  [[noreturn]] void tie(Span span, const std::string& reason, const Numbers& split = {}) const;
  bool touches_data(const Tree& tree);
  bool outcome_is_data(const Tree& value);
  /// infinite: also for rows excluded by the enclosing conditions.
  void add_target(const Value& value, Span span, bool uses_data, bool infinite = false);
  bool in_rows() const { return !contexts_.empty(); }
  RowContext& context() { return contexts_.back(); }
  Expression mask_expression();
  double mask_count() const;

  // interpret_statement.cpp
  using Continuation = std::function<Flow()>;
  Flow execute(const Statement& statement);
  Flow execute_form(const Statement& statement);
  [[noreturn]] void fail_for_memory(Span span);
  void require_turns(std::int64_t from, std::int64_t to, const Statement& body, Span span);
  /// Runs statements in order, then `rest`, the remainder of the function.
  Flow execute_all(const std::vector<StatementPointer>& statements, std::size_t from = 0,
                   const Continuation& rest = {});
  Flow execute_then(const Statement& statement, const Continuation& rest);
  Flow branch(const Tree& condition, const Continuation& then, const Continuation& otherwise);
  Flow branch_on_rows(const Value& condition, const Continuation& then, const Continuation& otherwise, Span span);
  Flow branch_on_symbol(const Value& condition, const Continuation& then, const Continuation& otherwise, Span span);
  bool unless_rejected(const std::function<void()>& body);
  void run_reject(const Reject& form, Span span);
  std::optional<Flow> in_masked_rows(const Numbers& condition, bool negate, const Continuation& body);
  Value select_filled(const Expression& condition, const Value& if_true, const Value& if_false, Span span);
  bool leaves(const Statement& statement);
  Flow run_loop(const For& form, Span span);
  Flow run_loop_by_row(const For& form, const Value& from, const Value& to, Span span);
  Flow run_split(const Continuation& body, int& runs);
  Flow run_row_loop(const Statement& body, const std::string& variable, Span variable_span, std::int64_t from,
                    std::int64_t to, const std::function<Value()>& element);
  Flow run_for_each(const ForEach& form, Span span);
  Flow run_while(const While& form, Span span);
  void run_declaration(const Declaration& form, Span span);
  void run_increment(const Tree& value, Span span);
  void run_sampling(const Sampling& form, Span span);
  std::vector<Value> density_arguments(const std::vector<const Tree*>& trees);
  std::string message_text(const std::vector<TreePointer>& arguments);

  // assign.cpp
  void assign(const Assignment& form, Span span);
  bool add_over_rows(const Assignment& form, Variable& variable, const std::string& name, Span span);
  void assign_whole(Variable& variable, const std::string& name, Value value, Span span);
  void assign_at(Variable& variable, const std::string& name, std::vector<Place> places, Value value, Span span);
  void assign_to_rows(Variable& variable, const std::string& name, std::vector<Place> places, Value value, Span span);
  void assign_elements(Value& base, const std::vector<Place>& places, Value value, const std::string& name, Span span);
  Value sum_of_rows(const Value& term, Span span);
  Value fit(Value value, const Type& type, const Dims& dims, const std::string& name, Span span);
  Value merged(const Value& value, const Value& before, int label, Span span);
  void mark_assigned(Variable& variable, const std::vector<std::int64_t>* flat);
  bool is_assigned(const Variable& variable, const std::vector<std::int64_t>* flat) const;
  void require_assigned(const Variable& variable, const std::string& name, const std::vector<Place>* places, Span span);

  // interpret_expression.cpp
  static const char* function_of(Operator op);  ///< the built-in behind an operator
  static std::string function_of(Operator op, const Value& left, const Value& right);
  Value evaluate_unary(const Unary& form, const Tree& tree);
  Value evaluate_binary(const Binary& form, const Tree& tree);
  Value evaluate_conditional(const Conditional& form, const Tree& tree);
  Value evaluate_logical_by_row(const Binary& form, const Value& left, const Tree& tree);
  Value evaluate_literal(const std::vector<TreePointer>& elements, const Tree& tree);
  Value evaluate_name(const std::string& name, Span span);
  Value read(Variable& variable, const std::string& name, Span span);
  Value select_value(const Value& condition, const Value& if_true, const Value& if_false, const Type& type, Span span);

  // interpret_slices.cpp
  std::int64_t stretch_length(const std::vector<const Tree*>& trees);
  std::optional<Value> element_of_stretch(const Tree& tree, std::int64_t length);
  bool add_stretch(const std::string& density_name, const std::vector<const Tree*>& trees, Span span, bool uses_data);

  // interpret_constraints.cpp
  void add_check(const Expression& holds);
  void check_bound(const Expression& x, const TreePointer& bound, bool lower);

  // interpret_call.cpp: functions of the program, sizes, repetitions; apply.cpp: built-ins
  Value evaluate_call(const Call& form, const Tree& tree);
  Value call_user(const Function& function, std::vector<Value> arguments, Span span);
  const Function* user_function(const std::string& name, const std::vector<const Tree*>& arguments) const;
  Value apply(const std::string& name, std::vector<Value> arguments, const Type& type, Span span);
  Value apply_plain(const std::string& name, const std::vector<Value>& arguments, Span span);
  std::string call_key(const std::string& name, const std::vector<Value>& arguments) const;
  Value apply_in_row(const std::string& name, std::vector<Value> arguments, const Type& type, Span span);
  Value apply_to_row_data(const std::string& name, const std::vector<Value>& arguments, const Type& type, Span span);
  Value apply_over_rows(const std::string& name, std::vector<Value> arguments, const Type& type, Span span);
  std::optional<Value> apply_as_index(const std::string& name, const std::vector<Value>& arguments, const Type& type,
                                      Span span);
  void check_numbers_of_rows(const std::string& function, std::size_t place, const Value& data) const;
  void check_row_data(const std::string& name, const std::vector<Value>& arguments, Span span);
  Value apply_to_sums(const std::string& name, const std::vector<Value>& arguments, Span span);
  Value density(const std::string& name, std::vector<Value> arguments, Span span);
  Value truncation(const std::string& distribution, const Truncation& cut, const std::vector<Value>& arguments,
                   Span span);
  void check_truncation_bound(const std::string& distribution, const Value& bound, bool lower, Span span);
  Value infinite_beyond_support(Value mass, const std::string& distribution, const Value& bound, Span span);
  Value infinite_outside(Value mass, const Value& outcome, const Value* lower, const Value* upper, Span span);
  Value call_lifted(const std::string& name, const std::vector<Value>& elements, const Type& type, Span span);
  Value repeated(const std::string& name, const std::vector<Value>& arguments, const Type& type, Span span);
  void check_made_size(const std::string& name, const std::vector<Value>& arguments, Span span) const;
  std::optional<Value> size_function(const std::string& name, const std::vector<Value>& arguments);
  Value glm_over_rows(const std::string& name, const std::vector<Value>& elements, Span span);

  // rows.cpp: conversions between containers over rows and values of one row
  Value element_of_rows(const Value& container, Span span);
  Value rows_of_element(Value element, const Type& type);
  Expression row_expression(const Value& value);
  Value as_rows(Value value);
  bool runs_over_rows(const Value& value) const;
  Value to_context(const Value& value, Span span);

  // indexing.cpp
  std::vector<Place> evaluate_indices(const std::vector<Index>& indices);
  Value index(const Value& base, std::vector<Place> places, const Type& type, const std::string& name, Span span);
  Value index_plain(const Value& base, const std::vector<Place>& places, const Type& type, const std::string& name,
                    Span span);
  Value index_by_row(const Value& base, const std::vector<Place>& places, const Type& type, const std::string& name,
                     Span span);
  Value index_rows(const Value& base, std::vector<Place> places, const Type& type, const std::string& name, Span span);
  std::vector<std::int64_t> positions(const Dims& dims, const std::vector<Place>& places, Dims& result,
                                      const std::string& name, Span span) const;
  std::int64_t plain_integer(const Value& value, const std::string& reason, Span span) const;
  Value at_row(const Value& base, std::int64_t row);
  std::optional<Value> at_some_rows(const Value& base, const Place& place, const std::string& name, Span span);
  Expression element(const Expression& symbol, std::int64_t flat);
  bool is_own_row(const Value& index) const;
  bool sees_all_rows() const;

  const Source& source_;
  const Program& program_;
  RowAxis* axis_;
  std::deque<Frame> frames_;
  std::vector<RowContext> contexts_;
  int next_context_ = 1;
  std::vector<TargetTerm> terms_;
  std::vector<Span> rejections_;
  std::vector<Warning> warnings_;
  Ranges ranges_;
  bool infinite_cut_ = false;  ///< the current truncation may have probability 0
  Expression row_checks_, plain_checks_;
  UniformSource* uniform_ = nullptr;
  OutcomeDrawer* drawer_ = nullptr;
  std::function<void(const std::string&)> printer_;
  bool on_numbers_ = false;         ///< the log density so far is a number
  int data_conditions_ = 0;         ///< number of enclosing conditions on data
  std::vector<Expression> guards_;  ///< enclosing conditions on parameters: terms count where all are non-zero
  std::unordered_map<const Statement*, bool> leaves_;
  std::uint64_t statements_run_ = 0;
  std::uint64_t changes_ = 0;  ///< number of assignments and random numbers so far, to detect endless loops
  const std::atomic<bool>* interrupt_ = nullptr;
  std::uint64_t statements_before_interrupt_ = 0;
  std::unique_ptr<char[]> reserve_;
  /// Cached results of scalar functions by name and arguments, because unrolled loops repeat calls. Keeps the arguments
  /// alive so that their addresses stay unique.
  struct Known {
    Value result;
    std::vector<Value> arguments;
  };
  std::unordered_map<std::string, Known> known_calls_;
  std::map<std::pair<const Node*, std::int64_t>, std::pair<Expression, Expression>> known_elements_;
};

/// Whether a statement contains a return, break or continue that would leave it.
bool may_leave(const Statement& statement);
/// Whether a statement contains a print.
bool prints(const Statement& statement);
/// Names of variables a statement assigns to.
std::vector<std::string> assigned_names(const Statement& statement);

}  // namespace sgmcmc::stan
