// Binds a program to data: finds the row axis, declares parameters, and collects the log density.
#include "stan/binding/model_file.hpp"

#include "data/store.hpp"
#include "model/gather_check.hpp"
#include "stan/builtins/draw_uniforms.hpp"
#include "stan/lowering/bind_data.hpp"
#include "stan/lowering/interpreter.hpp"
#include "stan/syntax/assigned_names.hpp"
#include "stan/syntax/include_files.hpp"
#include "stan/syntax/parse.hpp"
#include "stan/syntax/tree_walk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace sgmcmc::stan {
namespace {

Constraint constraint_of(Interpreter& interpreter, const ConstraintTree& tree) {
  auto bound = [&](const TreePointer& given) {
    Value value = interpreter.evaluate(*given);
    value.role = Role::plain;
    return expression_of(value);
  };
  using Kind = ConstraintTree::Kind;
  switch (tree.kind) {
    case Kind::simplex: return Constraint::simplex();
    case Kind::ordered: return Constraint::ordered();
    case Kind::positive_ordered: return Constraint::positive_ordered();
    case Kind::unit_vector: return Constraint::unit_vector();
    case Kind::cholesky_factor_corr: return Constraint::cholesky_factor_correlation();
    case Kind::cholesky_factor_cov: return Constraint::cholesky_factor_covariance();
    case Kind::corr_matrix: return Constraint::correlation_matrix();
    case Kind::cov_matrix: return Constraint::covariance_matrix();
    case Kind::none: break;
  }
  if (tree.lower && tree.upper) return Constraint::interval(bound(tree.lower), bound(tree.upper));
  if (tree.lower) return Constraint::lower(bound(tree.lower));
  if (tree.upper) return Constraint::upper(bound(tree.upper));
  if (tree.offset || tree.multiplier)
    return Constraint::offset_multiplier(tree.offset ? bound(tree.offset) : Expression(0.0),
                                         tree.multiplier ? bound(tree.multiplier) : Expression(1.0));
  return Constraint::unconstrained();
}

/// Whether the text of the block contains the word.
bool mentions(const ProgramBlock& block, const Source& source, const std::string& name) {
  if (!block.present) return false;
  const std::string_view text = source.text(block.span);
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

bool is_declared_in(const ProgramBlock& block, const std::string& name) {
  return std::any_of(block.statements.begin(), block.statements.end(), [&](const StatementPointer& statement) {
    const Declaration* declaration = declaration_of(statement);
    return declaration && declaration->name == name;
  });
}

/// Converts a sparse matrix that is not read row by row to dense form.
Value dense(const Value& value) {
  return number_value(value.type, value.dims, Numbers(std::make_shared<const DataArray>(value.sparse->to_real())));
}

bool is_number(const Value& value, std::int64_t number) {
  return value.type == Type{Base::integer, 0} && value.set && value.integer() == number;
}

/// A candidate for the row axis.
struct RowsTried {
  std::string name;  ///< of a size; empty: no row axis
  std::int64_t rows = 0;
  bool equal_sizes = false;  ///< other sizes of the same value also count rows
};

/// The result of lowering a program.
struct Lowered {
  std::unique_ptr<RowAxis> axis;
  Expression row;
  Expression plain;
  double constant = 0;
  std::vector<StatementReport> statements;
  std::vector<Warning> warnings;
  std::vector<Span> rejections;
  std::vector<Span> outside_rows;
  Model declared;  ///< parameters only
};

}  // namespace

struct BoundModel::Parts {
  std::shared_ptr<const Source> source;
  std::shared_ptr<const Program> program;
  Model model;
  std::string row_axis;
  std::vector<StatementReport> statements;
  std::vector<Span> outside_rows;
  std::optional<FewRows> few_rows;
  std::string why_not;
  std::vector<Warning> warnings;
  std::vector<std::pair<std::string, Value>> constants;  ///< data and transformed data
  bool random_data = false;
  std::vector<OutputVariable> outputs;
  std::size_t output_size = 0;
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(const std::string&)> print;
  bool model_prints = false;  ///< then the model block also runs at every draw
  std::vector<Span> rejections;

  bool finds_prints_in_model() const;
  void declare_parameters(Interpreter& interpreter, Model& into) const;
  Lowered lower(const RowsTried& tried) const;
  void find_outputs();
  std::vector<RowsTried> candidates(std::int64_t least = 2) const;
  void define_constants(Interpreter& interpreter, const RowsTried& tried) const;
  /// For the outputs of draws.
  void define_constants_of_outputs(Interpreter& interpreter) const;
  bool is_read_by_outputs(const std::string& name) const;
};

bool BoundModel::Parts::finds_prints_in_model() const {
  const auto& own = program->model.statements;
  if (std::any_of(own.begin(), own.end(), [](const auto& statement) { return prints(*statement); })) return true;
  const auto& functions = program->functions;
  return std::any_of(functions.begin(), functions.end(),
                     [](const Function& function) { return function.body && prints(*function.body); }) &&
         std::any_of(functions.begin(), functions.end(),
                     [&](const Function& function) { return mentions(program->model, *source, function.name); });
}

bool BoundModel::Parts::is_read_by_outputs(const std::string& name) const {
  if (model_prints && mentions(program->model, *source, name)) return true;
  return mentions(program->parameters, *source, name) || mentions(program->transformed_parameters, *source, name) ||
         mentions(program->generated_quantities, *source, name);
}

void BoundModel::Parts::define_constants_of_outputs(Interpreter& interpreter) const {
  // A sparse matrix that only the model block reads stays sparse: in dense form it may exceed memory.
  for (const auto& [name, value] : constants)
    interpreter.define(name, value.sparse && is_read_by_outputs(name) ? dense(value) : value);
}

void BoundModel::Parts::define_constants(Interpreter& interpreter, const RowsTried& tried) const {
  const std::string& axis_name = tried.name;
  for (const auto& [name, value] : constants) {
    Value defined = value;
    const bool equal = tried.equal_sizes && is_number(value, tried.rows);
    if (!axis_name.empty() && (name == axis_name || equal)) defined.counts_rows = defined.near_rows = true;
    if (defined.sparse && axis_name.empty()) defined = dense(defined);
    interpreter.define(name, std::move(defined));
  }
  if (axis_name.empty()) return;
  // Declarations determine which containers have a row axis.
  for (const auto* block : {&program->data, &program->transformed_data})
    for (const auto& statement : block->statements) {
      const Declaration* declaration = declaration_of(statement);
      if (!declaration) continue;
      const Value* known = interpreter.find(declaration->name);
      if (!known) continue;
      Value value = *known;
      if (declaration->value && declaration->type == Type{Base::integer, 0}) {
        const auto* copied = std::get_if<Name>(&declaration->value->form);
        const Value* from = copied ? interpreter.find(copied->name) : nullptr;
        if (from && from->counts_rows) value.counts_rows = value.near_rows = true;
      }
      if (!value.dims.empty() && interpreter.sizes(*declaration).over_rows) value.role = Role::rows;
      if (value.sparse && value.role != Role::rows) value = dense(value);
      interpreter.define(declaration->name, std::move(value));
    }
}

void BoundModel::Parts::declare_parameters(Interpreter& interpreter, Model& into) const {
  for (const auto& statement : program->parameters.statements) {
    const Declaration* declaration = declaration_of(statement);
    if (!declaration) continue;
    const auto sizes = interpreter.sizes(*declaration);
    const Dims& dims = sizes.dims;
    interpreter.require_memory(dims, declaration->name, declaration->name_span);
    if (size_of(dims) == 0) {
      interpreter.define(declaration->name, number_value(declaration->type, dims, Numbers(std::vector<double>())));
      continue;
    }
    const bool matrix = declaration->type.base == Base::matrix;
    const bool plain_matrix = matrix && declaration->constraint.kind == ConstraintTree::Kind::none;
    Expression made;
    try {
      made = into.parameter(declaration->name, shape_of(dims), constraint_of(interpreter, declaration->constraint),
                            plain_matrix ? MatrixOrder::by_column : MatrixOrder::by_row);
    } catch (const ShapeError& error) {
      throw StanError(*source, declaration->name_span, error.what());
    }
    Value value = symbol_value(declaration->type, dims, made);
    if (sizes.over_rows) {
      value.role = Role::rows;
      value.whole = true;
    }
    interpreter.define(declaration->name, std::move(value));
  }
}

Lowered BoundModel::Parts::lower(const RowsTried& tried) const {
  Lowered lowered;
  if (!tried.name.empty()) lowered.axis = std::make_unique<RowAxis>(tried.name, tried.rows);
  Interpreter interpreter(*source, *program, lowered.axis.get());
  interpreter.set_interrupt(interrupt);
  interpreter.keep_reserve();
  define_constants(interpreter, tried);
  if (lowered.axis)
    for (const auto& [name, value] : constants)
      lowered.axis->describe(
          value,
          (is_declared_in(program->data, name) ? "data: variable '" : "transformed data: variable '") + name + "'");
  declare_parameters(interpreter, lowered.declared);
  interpreter.run(program->transformed_parameters);
  for (const auto& statement : program->transformed_parameters.statements)
    if (const Declaration* declaration = declaration_of(statement)) interpreter.constrain_transformed(*declaration);
  interpreter.run(program->model);
  lowered.warnings = interpreter.warnings();
  lowered.rejections = interpreter.rejections();
  std::map<std::pair<std::uint32_t, std::uint32_t>, StatementReport> reports;
  for (const auto& term : interpreter.terms()) {
    if (term.row) lowered.row = lowered.row ? lowered.row + term.row : term.row;
    if (term.plain) lowered.plain = lowered.plain ? lowered.plain + term.plain : term.plain;
    lowered.constant += term.constant;
    StatementReport report;
    report.span = term.span;
    report.kind = term.row || (term.counted && term.uses_data) ? StatementReport::Kind::likelihood
                  : term.plain && term.uses_data               ? StatementReport::Kind::full
                                                               : StatementReport::Kind::prior;
    if (report.kind == StatementReport::Kind::likelihood && (term.plain || term.constant != 0))
      lowered.outside_rows.push_back(term.span);
    if (report.kind == StatementReport::Kind::prior && term.uses_data && term.constant != 0)
      lowered.outside_rows.push_back(term.span);
    auto [known, fresh] = reports.try_emplace({term.span.begin, term.span.end}, report);
    if (!fresh && report.kind == StatementReport::Kind::likelihood) known->second.kind = report.kind;
  }
  if (const auto& check = interpreter.row_checks(); check && lowered.row) lowered.row = lowered.row + check;
  if (const auto& check = interpreter.plain_checks(); check)
    lowered.plain = lowered.plain ? lowered.plain + check : check;
  for (auto& [place, report] : reports) {
    if (report.kind == StatementReport::Kind::full && lowered.axis)
      report.reason = "its data do not run over " + tried.name;
    lowered.statements.push_back(std::move(report));
  }
  return lowered;
}

std::vector<RowsTried> BoundModel::Parts::candidates(std::int64_t least) const {
  std::vector<RowsTried> found;
  auto add = [&](const std::string& name, std::int64_t rows) {
    const bool known = std::any_of(found.begin(), found.end(), [&](const auto& other) { return other.name == name; });
    if (rows >= least && !known) found.push_back({name, rows});
  };
  for (const auto& statement : program->data.statements) {
    const Declaration* declaration = declaration_of(statement);
    if (!declaration || declaration->sizes.empty()) continue;
    if (const auto* literal = std::get_if<IntegerLiteral>(&declaration->sizes[0]->form)) {
      add(std::to_string(literal->value), static_cast<std::int64_t>(literal->value));
      continue;
    }
    const auto* size = std::get_if<Name>(&declaration->sizes[0]->form);
    if (!size) continue;
    auto known = std::find_if(constants.begin(), constants.end(), [&](const auto& c) { return c.first == size->name; });
    if (known != constants.end() && known->second.dims.empty()) add(size->name, known->second.integer());
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.rows > b.rows; });
  return found;
}

BoundModel::BoundModel(std::shared_ptr<const Source> source, std::shared_ptr<const Program> program,
                       const DataVariables& data, const BindOptions& options)
    : parts_(std::make_unique<Parts>()) {
  Parts& parts = *parts_;
  parts.source = std::move(source);
  parts.program = std::move(program);
  parts.interrupt = options.interrupt;
  parts.print = options.print;
  parts.model_prints = parts.print && parts.finds_prints_in_model();
  const Program& text = *parts.program;
  DrawUniforms uniforms(1, 0, 0);
  {
    Interpreter interpreter(*parts.source, text, nullptr);
    interpreter.set_uniform_source(&uniforms);
    interpreter.set_interrupt(parts.interrupt);
    interpreter.keep_reserve();
    interpreter.set_printer(parts.print);
    bind_data(interpreter, text, *parts.source, data);
    interpreter.run(text.transformed_data);
    parts.random_data = uniforms.any_used();
    for (const auto* block : {&text.data, &text.transformed_data})
      for (const auto& statement : block->statements)
        if (const Declaration* declaration = declaration_of(statement)) {
          const Value* value = interpreter.find(declaration->name);
          if (block == &text.transformed_data && value->set)
            check_declared(interpreter, *declaration, *parts.source, *value,
                           "transformed data: variable '" + declaration->name + "'");
          parts.constants.emplace_back(declaration->name, *value);
        }
  }
  auto candidates = parts.candidates();
  if (!options.rows.empty()) {
    auto named = [&](const auto& candidate) { return candidate.name == options.rows; };
    const bool known = std::any_of(candidates.begin(), candidates.end(), named);
    if (!known) {
      for (const auto& few : parts.candidates(0))
        if (named(few))
          throw OptionError("rows = " + options.rows + ": " + few.name + " = " + std::to_string(few.rows) +
                            ", too few rows to draw minibatches from; omit it");
      std::string names;
      for (const auto& candidate : candidates) names += (names.empty() ? "" : ", ") + candidate.name;
      throw OptionError("rows = " + options.rows + ": no data are declared with that size first" +
                        (names.empty() ? "" : "; sizes that are: " + names));
    }
    std::erase_if(candidates, [&](const auto& candidate) { return !named(candidate); });
  }
  if (!options.minibatched) candidates.clear();
  // A model with several outcomes may have a size for each, all equal: treats them as one axis if a single one leaves
  // statements to evaluate in full.
  for (auto last = candidates.begin(); last != candidates.end(); ++last) {
    const bool of_size_done = std::next(last) == candidates.end() || std::next(last)->rows != last->rows;
    const auto equal = std::count_if(parts.constants.begin(), parts.constants.end(),
                                     [&](const auto& known) { return is_number(known.second, last->rows); });
    if (of_size_done && !last->equal_sizes && equal > 1) {
      RowsTried together = *std::find_if(candidates.begin(), candidates.end(),
                                         [&](const auto& first) { return first.rows == last->rows; });
      together.equal_sizes = true;
      last = candidates.insert(std::next(last), together);
    }
  }
  std::optional<Lowered> lowered;
  std::ptrdiff_t fewest_in_full = 0;
  for (const RowsTried& candidate : candidates) {
    if (lowered && (!candidate.equal_sizes || candidate.rows != lowered->axis->rows())) continue;
    try {
      Lowered tried = parts.lower(candidate);
      if (!tried.row) continue;
      // Accepts a shorter axis than one that failed only if it leaves no statement to evaluate in full.
      const auto in_full = std::count_if(tried.statements.begin(), tried.statements.end(),
                                         [](const auto& report) { return report.kind == StatementReport::Kind::full; });
      if (in_full > 0 && (lowered ? in_full >= fewest_in_full : !parts.why_not.empty())) continue;
      lowered = std::move(tried);
      parts.row_axis = candidate.name;
      fewest_in_full = in_full;
      if (in_full == 0) break;
    } catch (const NotSeparable& reason) {
      if (parts.why_not.empty() && !candidate.equal_sizes)
        parts.why_not = parts.source->render(
            reason.span, "the rows counted by " + candidate.name + " cannot be minibatched: " + reason.reason,
            "use a method that visits all data, such as nuts");
    }
  }
  if (lowered) {
    parts.why_not.clear();
  } else {
    try {
      lowered = parts.lower({});
    } catch (const NotSeparable& reason) {
      throw StanError(*parts.source, reason.span, reason.reason);
    }
    for (auto& report : lowered->statements)
      if (report.kind == StatementReport::Kind::full)
        report.reason = parts.why_not.empty() ? "there is no row axis" : "see why above";
  }
  if (!lowered->row && parts.why_not.empty())
    for (const RowsTried& size : parts.candidates(0))
      if (size.rows <= 1 && !parts.few_rows) parts.few_rows = FewRows{size.name, size.rows};
  Dataset rows;
  if (lowered->row) {
    // Packs data that only the likelihood reads and frees their arrays; generated quantities may need the rest.
    std::set<const void*> kept;
    for (const auto& [name, value] : parts.constants)
      if (value.numbers.array() && parts.is_read_by_outputs(name)) kept.insert(value.numbers.identity());
    const auto consumed = [&](const DataArray& array) {
      return options.consume_data && !kept.contains(array.identity());
    };
    rows = lowered->axis->dataset(lowered->row, options.precision, consumed,
                                  {options.memory_for_rows, options.share.get()});
    // Columns that were computed have the order of the rows, too.
    const auto is_grouped = [&](const DataArray* array) {
      return array && array->shape().rank() > 0 && array->shape()[0] == lowered->axis->rows() &&
             (array->order() == RowOrder::groups || array->order() == RowOrder::by_group);
    };
    if (!rows.store().group_by() && std::any_of(parts.constants.begin(), parts.constants.end(), [&](const auto& known) {
          return is_grouped(known.second.numbers.array());
        }))
      rows.store().set_group_by("");
  }
  parts.model = std::move(lowered->declared);
  parts.model.set_data(std::move(rows));
  {
    // An empty model block is valid: flat on the constrained scale.
    Expression prior = lowered->plain ? lowered->plain : Expression(0.0);
    if (lowered->constant != 0) prior = prior + lowered->constant;
    parts.model.prior(prior);
  }
  try {
    if (lowered->row) parts.model.likelihood(lowered->row);
  } catch (const GatherIndexError& error) {
    throw DataError(lowered->axis->place(error.column, error.row + 1) + " is used as an index, and " + error.reason);
  }
  parts.statements = std::move(lowered->statements);
  parts.warnings = std::move(lowered->warnings);
  parts.rejections = std::move(lowered->rejections);
  parts.outside_rows = std::move(lowered->outside_rows);
  parts.find_outputs();
}

BoundModel::BoundModel(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
BoundModel::~BoundModel() = default;

std::unique_ptr<BoundModel> BoundModel::subposterior(const Subposterior& which) const {
  auto parts = std::make_unique<Parts>(*parts_);
  parts->model = sgmcmc::subposterior(parts_->model, which);
  return std::unique_ptr<BoundModel>(new BoundModel(std::move(parts)));
}

const Model& BoundModel::model() const { return parts_->model; }
const Source& BoundModel::source() const { return *parts_->source; }
std::string BoundModel::row_axis() const { return parts_->row_axis; }
std::int64_t BoundModel::rows() const { return parts_->model.rows(); }
const std::vector<StatementReport>& BoundModel::statements() const { return parts_->statements; }
const std::optional<BoundModel::FewRows>& BoundModel::few_rows() const { return parts_->few_rows; }
const std::vector<Span>& BoundModel::likelihood_outside_rows() const { return parts_->outside_rows; }
std::string BoundModel::why_not_minibatched() const { return parts_->why_not; }
const std::vector<Warning>& BoundModel::warnings() const { return parts_->warnings; }
bool BoundModel::has_random_data() const { return parts_->random_data; }
const std::vector<OutputVariable>& BoundModel::outputs() const { return parts_->outputs; }
std::size_t BoundModel::output_size() const { return parts_->output_size; }
std::vector<std::string> BoundModel::rejections() const {
  std::set<std::string> texts;
  for (const Span span : parts_->rejections)
    texts.insert(parts_->source->where(span) + ": " + std::string(parts_->source->text(span)));
  return {texts.begin(), texts.end()};
}
bool BoundModel::runs_at_draws() const {
  return parts_->model_prints || !parts_->program->transformed_parameters.statements.empty() ||
         !parts_->program->generated_quantities.statements.empty();
}

void BoundModel::Parts::find_outputs() {
  Interpreter interpreter(*source, *program, nullptr);
  define_constants_of_outputs(interpreter);
  Model ignored;
  declare_parameters(interpreter, ignored);
  for (const auto* block : {&program->transformed_parameters, &program->generated_quantities})
    for (const auto& statement : block->statements) {
      const Declaration* declaration = declaration_of(statement);
      if (!declaration) continue;
      const Dims dims = interpreter.sizes(*declaration).dims;
      interpreter.require_memory(dims, declaration->name, declaration->name_span);
      const bool matrix = declaration->type.base == Base::matrix;
      outputs.push_back({declaration->name, shape_of(dims), matrix});
      output_size += static_cast<std::size_t>(size_of(dims));
    }
}

void BoundModel::evaluate_outputs(std::span<const double> constrained, std::uint64_t seed, std::uint32_t chain,
                                  std::uint64_t draw, std::span<double> values, std::set<std::string>* unknown_names) {
  Parts& parts = *parts_;
  if (!runs_at_draws()) return;
  Interpreter interpreter(*parts.source, *parts.program, nullptr);
  DrawUniforms uniforms(seed, chain, draw);
  interpreter.set_uniform_source(&uniforms);
  interpreter.set_interrupt(parts.interrupt, statements_after_interrupt);
  interpreter.set_printer(parts.print);
  parts.define_constants_of_outputs(interpreter);
  std::size_t at = 0;
  for (const auto& statement : parts.program->parameters.statements) {
    const Declaration* declaration = declaration_of(statement);
    if (!declaration) continue;
    const Dims dims = interpreter.sizes(*declaration).dims;
    const auto size = static_cast<std::size_t>(size_of(dims));
    const auto own = constrained.subspan(at, size);
    interpreter.define(declaration->name,
                       number_value(declaration->type, dims, Numbers(std::vector<double>(own.begin(), own.end()))));
    at += size;
  }
  const std::array blocks = {&parts.program->transformed_parameters, &parts.program->generated_quantities};
  std::array<std::size_t, 2> done{};
  std::exception_ptr failure;
  try {
    interpreter.run(*blocks[0], done[0]);
    if (parts.model_prints) interpreter.run_on_numbers(parts.program->model);
    interpreter.run(*blocks[1], done[1]);
  } catch (const RejectError&) {
    failure = std::current_exception();
    done[done[0] < blocks[0]->statements.size() ? 0 : 1] = 0;
  } catch (const Error&) {
    failure = std::current_exception();
  }
  std::set<std::string> unknown;
  // Checks the constraints of variables declared in blocks that ran.
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (done[b] < blocks[b]->statements.size()) break;
    for (const auto& statement : blocks[b]->statements) {
      const Declaration* declaration = declaration_of(statement);
      const Value* value = declaration ? interpreter.find(declaration->name) : nullptr;
      if (!value || !value->set) continue;
      try {
        check_declared(interpreter, *declaration, *parts.source, *value,
                       (b == 0 ? "transformed parameter '" : "generated quantity '") + declaration->name + "'");
      } catch (const Error&) {
        unknown.insert(declaration->name);
        if (!failure) failure = std::current_exception();
      }
    }
  }
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (std::size_t k = done[b]; k < blocks[b]->statements.size(); ++k)
      add_assigned_names(*blocks[b]->statements[k], unknown);
  std::size_t to = 0;
  for (const auto& output : parts.outputs) {
    const Value* value = unknown.contains(output.name) ? nullptr : interpreter.find(output.name);
    const auto size = static_cast<std::size_t>(output.shape.size());
    for (std::size_t i = 0; i < size; ++i) values[to++] = value && value->set ? value->numbers[i] : std::nan("");
  }
  if (unknown_names) *unknown_names = std::move(unknown);
  if (failure) std::rethrow_exception(failure);
}

ModelText read_model_text(std::string name, std::string text, const std::vector<std::string>& include) {
  ModelText made;
  IncludedText whole = include_files(std::move(name), text, include);
  made.included = std::move(whole.files);
  auto source = std::move(whole.source);
  auto program = std::make_shared<Program>(parse(*source));
  made.warnings = check(*program, *source);
  made.source = std::move(source);
  made.program = std::move(program);
  return made;
}

ModelText read_model(const std::string& path, const std::vector<std::string>& include) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw ModelError("'" + path + "' is a folder, not a model; give a file in the Stan language");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ModelError("cannot read the model file " + path + "; check the path");
  std::ostringstream text;
  text << file.rdbuf();
  return read_model_text(path, text.str(), include);
}

std::vector<Warning> all_warnings(const ModelText& text, const BoundModel& bound) {
  auto warnings = text.warnings;
  for (const auto& warning : bound.warnings())
    if (std::none_of(warnings.begin(), warnings.end(), [&](const auto& known) {
          return known.span.begin == warning.span.begin && known.message == warning.message;
        }))
      warnings.push_back(warning);
  return warnings;
}

std::vector<std::string> declared_data(const Program& program) {
  std::vector<std::string> names;
  for (const auto& statement : program.data.statements)
    if (const Declaration* declaration = declaration_of(statement)) names.push_back(declaration->name);
  return names;
}

}  // namespace sgmcmc::stan
