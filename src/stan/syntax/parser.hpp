// The recursive-descent parser: one function per syntactic form, in the files parse*.cpp.
#pragma once

#include "stan/syntax/lexer.hpp"
#include "stan/syntax/tree.hpp"
#include "stan/syntax/words.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sgmcmc::stan {

class Parser {
 public:
  explicit Parser(const Source& source) : source_(source), tokens_(lex(source)) {}
  Program parse_program();

 private:
  // Tokens and messages (parser.cpp).
  const Token& current() const;                    ///< throws the error that stopped the lexer
  const Token& ahead(std::size_t distance) const;  ///< never throws; repeats the last token beyond the end
  bool at(std::string_view text) const;            ///< whether the current token is this word or symbol
  bool at(TokenKind kind) const { return current().kind == kind; }
  bool ahead_is(std::size_t distance, std::string_view text) const;
  Token take();  ///< returns the current token and advances
  bool take_if(std::string_view text);
  std::string found() const;                 ///< the current token as messages name it
  Span after_previous() const;               ///< the position after the last token taken
  Span since(std::uint32_t begin) const;     ///< up to the token taken last
  std::string line_column(Span span) const;  ///< "12:5"
  /// The text of a span for a suggestion; `otherwise` if it is long or spans several lines.
  std::string excerpt(Span span, std::string_view otherwise = "...") const;
  [[noreturn]] void fail(Span span, const std::string& message, const std::string& help = {}) const;
  [[noreturn]] void fail_here(const std::string& expected, const std::string& help = {}) const;
  void expect(std::string_view symbol, const std::string& purpose);
  void expect_semicolon(const std::string& after, bool expression_before = false);
  void expect_close(std::string_view symbol, const Token& open, const std::string& help = {});
  Token expect_name(const std::string& what);  ///< "a variable": a word that is not reserved

  /// Counts the recursion depth, so that no text can exhaust the stack.
  class Nested {
   public:
    explicit Nested(Parser& parser);
    ~Nested() { --parser_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
  };

  // Program blocks and functions (parse.cpp).
  std::size_t parse_block_name();
  void parse_block(Program& program, std::size_t which, Span name);
  Function parse_function();
  Argument parse_argument();
  Type parse_unsized_type(const std::string& of);

  // Declarations (parse_declaration.cpp).
  struct SizedType {
    Type type;
    std::vector<TreePointer> array_sizes, base_sizes;
    ConstraintTree constraint;
    bool new_array = false;  ///< array[...] stands before
    Span span;
  };
  bool at_declaration() const;
  SizedType parse_sized_type();
  void parse_constraint(const TypeWord& word, ConstraintTree& constraint);
  void parse_base_sizes(const TypeWord& word, SizedType& type);
  std::vector<TreePointer> parse_sizes(const std::string& of);
  /// All names of one declaration, one statement each. block: a block in which values are not allowed, or empty.
  void parse_declaration(std::vector<StatementPointer>& statements, std::string_view block);
  Declaration parse_declared_name(const SizedType& type, std::string_view block);

  // Statements (parse_statement.cpp).
  void parse_statements(std::vector<StatementPointer>& statements, const Token& open);  ///< up to and including '}'
  [[noreturn]] void fail_unclosed(const Token& open) const;
  StatementPointer parse_statement();
  StatementPointer parse_body(const std::string& of);  ///< of a loop or an if: no bare declaration
  Statement::Form parse_keyword_statement(std::string_view word);
  Statement::Form parse_for();
  Statement::Form parse_if();
  Statement::Form parse_profile();
  Statement::Form parse_target_increment();
  Statement::Form parse_expression_statement();
  Statement::Form parse_sampling(TreePointer left);
  Statement::Form parse_assignment(TreePointer target);
  TreePointer parse_condition(const std::string& of);
  void check_misspelt_statement() const;
  [[noreturn]] void fail_not_a_statement(const Tree& expression, const Token& first) const;
  std::vector<TreePointer> parse_printed();

  // Expressions (parse_expression.cpp).
  TreePointer parse_expression();
  TreePointer parse_binary(int weakest);
  TreePointer parse_bound();  ///< an expression inside <...>, where '>' ends it
  TreePointer parse_unary();
  TreePointer parse_postfix();
  TreePointer parse_primary();
  TreePointer parse_number();
  TreePointer parse_word();
  TreePointer parse_call(const Token& name);
  TreePointer parse_indexed(TreePointer container);
  Index parse_index();
  std::vector<TreePointer> parse_list(std::string_view close);  ///< may be empty; does not take `close`
  TreePointer make(Tree::Form form, Span span) const;           ///< throws if the tree becomes too high
  void check_call(const Call& call, Span span) const;
  void check_arrow(const Tree& left) const;
  [[noreturn]] void fail_no_expression() const;

  const Source& source_;
  Tokens tokens_;
  std::size_t position_ = 0;
  int depth_ = 0;
  std::uint32_t statement_begin_ = ~0u;  ///< start of a statement that may be an assignment
};

}  // namespace sgmcmc::stan
