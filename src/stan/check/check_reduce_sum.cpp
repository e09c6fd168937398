// Rewrites reduce_sum(f, x, grainsize, ...) as f(x, 1, size(x), ...): threads split the rows however the sum is
// written.
#include "stan/check/checker.hpp"

namespace sgmcmc::stan {
namespace {

TreePointer made_tree(Tree::Form form, Span span) {
  auto tree = std::make_unique<Tree>();
  tree->form = std::move(form);
  tree->span = span;
  return tree;
}

}  // namespace

bool is_reduce_sum(const Call& call) { return call.name == "reduce_sum" || call.name == "reduce_sum_static"; }

void Checker::expand_reduce_sum(Tree& tree) {
  Call call = std::move(std::get<Call>(tree.form));
  const std::string usage =
      "write " + call.name + "(f, x, grainsize, ...) with real f(array[] T x, int start, int end, ...)";
  if (call.arguments.size() < 3)
    fail(tree.span,
         "'" + call.name + "' needs a function, an array and a grain size; found " +
             std::to_string(call.arguments.size()) + (call.arguments.size() == 1 ? " argument" : " arguments"),
         usage);
  const Tree& first = *call.arguments[0];
  const auto* function = std::get_if<Name>(&first.form);
  if (!function || !has_user_function(defined_name(function->name)))
    fail(first.span, "the first argument of '" + call.name + "' must be a function of the program", usage);
  if (ends_with(function->name, "_rng") || ends_with(function->name, "_lp"))
    fail(first.span, "'" + call.name + "' cannot call a function whose name ends in _rng or _lp", usage);
  check(*call.arguments[1]);
  if (call.arguments[1]->type.array_rank == 0)
    fail(call.arguments[1]->span,
         "the second argument of '" + call.name + "' must be an array; found " + call.arguments[1]->type.to_string(),
         "write to_array_1d(...), or pass it after the grain size and index it with start:end");
  require_integer(*call.arguments[2], "the grain size of '" + call.name + "'");

  const Span span = call.arguments[1]->span;
  auto size_of_it = [&] {
    Call size{"size", span, {}, false};
    size.arguments.push_back(copy(call.arguments[1]));
    return made_tree(std::move(size), span);
  };
  Call whole{defined_name(function->name), first.span, {}, false};
  Binary empty{Operator::equal, size_of_it(), made_tree(IntegerLiteral{0}, span)};
  auto end = size_of_it();
  whole.arguments.push_back(std::move(call.arguments[1]));
  whole.arguments.push_back(made_tree(IntegerLiteral{1}, span));
  whole.arguments.push_back(std::move(end));
  for (std::size_t k = 3; k < call.arguments.size(); ++k) whole.arguments.push_back(std::move(call.arguments[k]));
  tree.form = Conditional{made_tree(std::move(empty), span), made_tree(RealLiteral{0}, span),
                          made_tree(std::move(whole), tree.span)};
}

}  // namespace sgmcmc::stan
