// The table of built-in functions: one entry holds a name, its signatures and what it does.
#pragma once

#include "stan/builtins/builtins.hpp"
#include "stan/builtins/patterns.hpp"

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sgmcmc::stan {

/// The arguments of one call; messages begin with `name`.
struct BuiltinCall {
  std::string_view name;
  std::span<const Operand> arguments;

  const Operand& operator[](std::size_t i) const { return arguments[i]; }
  std::size_t size() const { return arguments.size(); }
};

/// May return a symbol for data arguments, which is then evaluated.
using Apply = std::function<Operand(const BuiltinCall&)>;
using Draw = std::function<Operand(const BuiltinCall&, UniformSource&)>;

struct Builtin {
  std::string name;
  std::string label;  ///< for messages: "normal" for "normal_lpdf", "operator +" for "add"
  std::vector<Signature> signatures;
  Apply apply;                         ///< empty for generators
  Draw draw;                           ///< generators
  std::vector<int> outcome_ranks;      ///< densities
  int lower_end = -1, upper_end = -1;  ///< of densities: parameters that bound the outcome; -1: none
  bool elementwise = false;
  bool data_only = false;    ///< refuses symbols
  bool checks_data = false;  ///< data arguments must lie in the domains of the signature
  bool deprecated = false;   ///< an old name: works, but is not suggested
};

class Table {
 public:
  Builtin& add(std::string name, std::initializer_list<std::string_view> signatures, Apply apply);
  Builtin& add(std::string name, std::vector<Signature> signatures, Apply apply);
  /// Another name of a function that is in the table.
  void alias(std::string name, std::string_view of, bool deprecated = false);
  const Builtin* find(std::string_view name) const;
  const std::vector<std::unique_ptr<Builtin>>& all() const { return all_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::vector<std::unique_ptr<Builtin>> all_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> index_;
};

/// Made on first use; immutable.
const Table& table();

// The files of the table.
void add_operators(Table& table);
void add_products(Table& table);
void add_elementwise(Table& table);
void add_special(Table& table);
void add_integers(Table& table);
void add_reductions(Table& table);
void add_containers(Table& table);
void add_arrangements(Table& table);
void add_sorting(Table& table);
void add_linear_algebra(Table& table);
void add_decompositions(Table& table);
void add_kernels(Table& table);
void add_continuous(Table& table);
void add_discrete(Table& table);
void add_multivariate(Table& table);
void add_glm(Table& table);
void add_series(Table& table);
void add_multivariate_generators(Table& table);
void add_old_names(Table& table);

}  // namespace sgmcmc::stan
