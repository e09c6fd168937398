// The names in scope of a statement, and their origin.
#pragma once

#include "stan/syntax/tree.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sgmcmc::stan {

enum class BlockKind : std::uint8_t {
  functions,
  data,
  transformed_data,
  parameters,
  transformed_parameters,
  model,
  generated_quantities,
};
/// "the transformed data block".
std::string block_text(BlockKind block);

struct Variable {
  enum class Kind : std::uint8_t { declared, argument, loop };
  std::string name;
  Type type;
  Kind kind = Kind::declared;
  BlockKind block = BlockKind::functions;  ///< where it was declared
  bool top_level = false;                  ///< not inside braces, a loop or a function
  bool data_only = false;                  ///< does not depend on parameters, judged by assignments
  Span span;                               ///< of its name where it is declared
  const Declaration* declaration = nullptr;

  bool is_parameter() const { return kind == Kind::declared && block == BlockKind::parameters; }
  /// "data", "a parameter", "a loop variable", ...: what it is, for messages.
  std::string description() const;
};

/// Names by nested scope. Names are unique: Stan has no shadowing.
class Scopes {
 public:
  Variable* find(std::string_view name);
  Variable& declare(Variable variable);
  std::vector<std::string> names() const;
  void open() { marks_.push_back(variables_.size()); }
  void close();

 private:
  std::vector<Variable> variables_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// A scope with the lifetime of the object.
class OpenScope {
 public:
  explicit OpenScope(Scopes& scopes) : scopes_(scopes) { scopes_.open(); }
  ~OpenScope() { scopes_.close(); }
  OpenScope(const OpenScope&) = delete;
  OpenScope& operator=(const OpenScope&) = delete;

 private:
  Scopes& scopes_;
};

}  // namespace sgmcmc::stan
