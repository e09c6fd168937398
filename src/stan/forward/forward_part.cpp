// Decides which statements belong to a part of a model.
#include "stan/forward/forward_part.hpp"

#include "stan/lowering/forward_order.hpp"
#include "stan/lowering/outcome_drawer.hpp"

#include <algorithm>

namespace sgmcmc::stan {
namespace {

using Kind = ConstraintTree::Kind;

/// Containers of data, and variables computed from them.
std::set<std::string> names_of_data(const Program& program) {
  std::set<std::string> names;
  for (const auto& statement : program.data.statements)
    if (const auto* declaration = declaration_of(statement); declaration && declaration->type.rank() > 0)
      names.insert(declaration->name);
  for (bool more = true; more;) {
    more = false;
    for (const auto* block : {&program.transformed_data, &program.transformed_parameters, &program.model})
      for (const auto& statement : block->statements) {
        const Uses uses = uses_of(*statement);
        if (!share_any(uses.reads, names)) continue;
        for (const auto& name : uses.writes) more = names.insert(name).second || more;
      }
  }
  return names;
}

/// Decides for each statement, including those inside loops and branches.
class PartKeeper {
 public:
  PartKeeper(const Program& program, const Source& source, ForwardPart part, const LikelihoodSpans& likelihood)
      : source_(source),
        part_(part),
        likelihood_(likelihood),
        parameters_(names_declared(program.parameters)),
        outcomes_(names_declared(program.data)),
        from_data_(names_of_data(program)) {
    const auto computed = names_declared(program.transformed_data);
    outcomes_.insert(computed.begin(), computed.end());
  }

  void keep(StatementPointer& statement) const {
    if (!statement) return;
    auto& form = statement->form;
    if (const auto* sampling = std::get_if<Sampling>(&form)) {
      if (!belongs(*sampling, statement->span)) statement = nothing(statement->span);
    } else if (const auto* increment = std::get_if<TargetIncrement>(&form)) {
      refuse_unless_outside(*increment->value, statement->span);
      statement = nothing(statement->span);
    } else if (const auto* called = std::get_if<CallStatement>(&form); called && adds_to_target(*called)) {
      refuse_unless_outside(*called->call, statement->span);
      statement = nothing(statement->span);
    } else if (std::holds_alternative<Reject>(form) && part_ == ForwardPart::parameters) {
      throw StanError(source_, statement->span, "this rejects parameters, so that the priors are not those written",
                      write_simulator);
    } else if (auto* branch = std::get_if<If>(&form)) {
      keep(branch->then);
      keep(branch->otherwise);
    } else if (auto* loop = std::get_if<While>(&form)) {
      keep(loop->body);
    } else if (auto* counted = std::get_if<For>(&form)) {
      keep(counted->body);
    } else if (auto* each = std::get_if<ForEach>(&form)) {
      keep(each->body);
    } else if (auto* block = std::get_if<Block>(&form)) {
      for (auto& inner : block->statements) keep(inner);
    } else if (auto* profile = std::get_if<Profile>(&form)) {
      for (auto& inner : profile->body.statements) keep(inner);
    }
  }

 private:
  static StatementPointer nothing(Span span) { return std::make_unique<Statement>(Statement{Block{}, span}); }

  static bool adds_to_target(const CallStatement& form) {
    const auto* call = std::get_if<Call>(&form.call->form);
    return call && call->name.ends_with("_lp");
  }

  bool is_likelihood(Span span) const {
    return std::any_of(likelihood_.begin(), likelihood_.end(),
                       [&](Span one) { return one.begin <= span.begin && span.end <= one.end; });
  }

  bool reads_data(const Tree& tree) const {
    std::set<std::string> names;
    collect_names(tree, names);
    return share_any(names, from_data_);
  }

  bool belongs(const Sampling& form, Span span) const {
    const Name* name = drawn_name(*form.left);
    if (name && parameters_.count(name->name)) return part_ == ForwardPart::parameters;
    if (name && outcomes_.count(name->name)) return part_ == ForwardPart::data;
    // A distribution of a computed quantity: refused later, unless it clearly belongs to the other part.
    if (part_ == ForwardPart::data) return reads_data(*form.left);
    return !form.left->data_only && !is_likelihood(span);
  }

  void refuse_unless_outside(const Tree& value, Span span) const {
    const bool outside = part_ == ForwardPart::data ? !reads_data(value) : is_likelihood(span);
    if (!outside)
      throw StanError(source_, span, "this adds to the log density without saying how to draw",
                      std::string("write it as `y ~ law(...)`, or ") + write_simulator);
  }

  const Source& source_;
  ForwardPart part_;
  const LikelihoodSpans& likelihood_;
  std::set<std::string> parameters_, outcomes_, from_data_;
};

/// Whether a parameter that no statement draws has an improper prior, according to its declaration.
bool is_flat(const Declaration& declaration) {
  const auto& constraint = declaration.constraint;
  switch (constraint.kind) {
    case Kind::none: return !constraint.lower || !constraint.upper;
    case Kind::simplex:
    case Kind::unit_vector:
    case Kind::corr_matrix:
    case Kind::cholesky_factor_corr: return false;
    default: return true;
  }
}

}  // namespace

bool share_any(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& name) { return b.count(name) > 0; });
}

std::set<std::string> names_declared(const ProgramBlock& block) {
  std::set<std::string> names;
  for (const auto& statement : block.statements)
    if (const auto* declaration = declaration_of(statement)) names.insert(declaration->name);
  return names;
}

void keep_part(Program& program, const Source& source, ForwardPart part, const LikelihoodSpans& likelihood) {
  if (part == ForwardPart::everything) return;
  const PartKeeper keeper(program, source, part, likelihood);
  for (auto& statement : program.transformed_parameters.statements) keeper.keep(statement);
  for (auto& statement : program.model.statements) keeper.keep(statement);
}

std::set<std::string> remove_improper(Program& program) {
  std::set<std::string> drawn, improper;
  for (const auto& statement : program.model.statements) {
    const Uses uses = uses_of(*statement);
    drawn.insert(uses.draws.begin(), uses.draws.end());
  }
  for (const auto& statement : program.parameters.statements)
    if (const auto* declaration = declaration_of(statement))
      if (!drawn.count(declaration->name) && is_flat(*declaration)) improper.insert(declaration->name);
  std::vector<bool> removed(program.model.statements.size(), false);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t k = 0; k < removed.size(); ++k) {
      const Uses uses = uses_of(*program.model.statements[k]);
      if (removed[k] ||
          (!share_any(uses.reads, improper) && !share_any(uses.draws, improper) && !share_any(uses.writes, improper)))
        continue;
      removed[k] = more = true;
      improper.insert(uses.draws.begin(), uses.draws.end());
      improper.insert(uses.writes.begin(), uses.writes.end());
    }
  }
  std::vector<StatementPointer> kept;
  for (std::size_t k = 0; k < removed.size(); ++k)
    if (!removed[k]) kept.push_back(std::move(program.model.statements[k]));
  program.model.statements = std::move(kept);
  return improper;
}

void remove_unneeded(std::vector<StatementPointer>& statements) {
  std::vector<bool> needed(statements.size(), false);
  std::set<std::string> names;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t k = 0; k < statements.size(); ++k) {
      if (needed[k]) continue;
      const Uses uses = uses_of(*statements[k]);
      if (uses.draws.empty() && !share_any(uses.writes, names)) continue;
      needed[k] = more = true;
      names.insert(uses.reads.begin(), uses.reads.end());
      names.insert(uses.writes.begin(), uses.writes.end());
    }
  }
  std::vector<StatementPointer> kept;
  for (std::size_t k = 0; k < statements.size(); ++k)
    if (needed[k]) kept.push_back(std::move(statements[k]));
  statements = std::move(kept);
}

}  // namespace sgmcmc::stan
