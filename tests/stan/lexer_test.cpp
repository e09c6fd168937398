// Tokens, positions in lines, and how messages show a line: byte order marks, line ends, tabs, long lines.
#include "stan/syntax/lexer.hpp"

#include "errors/message_of.hpp"
#include "stan/parse_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sgmcmc::stan::testing {
namespace {

std::vector<std::string> words(const std::string& text) {
  const Source source("model.stan", text);
  const Tokens tokens = lex(source);
  std::vector<std::string> result;
  for (const Token& token : tokens.list) result.emplace_back(token.text);
  result.pop_back();
  return result;
}

TEST(Lexer, Symbols_AreTheLongestThatFit) {
  EXPECT_EQ(words("a.*=b./=c.^d%/%e"), (std::vector<std::string>{"a", ".*=", "b", "./=", "c", ".^", "d", "%/%", "e"}));
  EXPECT_EQ(words("<=<>=> ==!=!"), (std::vector<std::string>{"<=", "<", ">=", ">", "==", "!=", "!"}));
  EXPECT_EQ(words("||&&|a'"), (std::vector<std::string>{"||", "&&", "|", "a", "'"}));
  EXPECT_EQ(words("x[1:2]"), (std::vector<std::string>{"x", "[", "1", ":", "2", "]"}));
}

TEST(Lexer, EndToken_StandsWhereTheTextStops) {
  const Source good("model.stan", "a b ");
  EXPECT_EQ(lex(good).list.back().span.begin, 4u);
  const Source bad("model.stan", "a b # c");
  const Tokens tokens = lex(bad);
  EXPECT_TRUE(tokens.mistake.has_value());
  EXPECT_EQ(tokens.list.back().span.begin, 4u);
  EXPECT_EQ(tokens.list.back().kind, TokenKind::end);
}

TEST(Lexer, EarlierMistakeOfTheParser_IsReportedFirst) {
  const std::string message = sgmcmc::testing::message_of<StanError>([] { parse_text("model { real real; } # old"); });
  EXPECT_EQ(message.substr(0, message.find('\n')),
            "model.stan:1:14: error: 'real' is a reserved word and cannot be the name of a variable");
}

TEST(Source, ByteOrderMark_IsSkippedAndNotCounted) {
  EXPECT_EQ(statements(""), "");
  EXPECT_TRUE(parse_text("\xEF\xBB\xBFmodel { }").model.present);
  EXPECT_EQ(sgmcmc::testing::message_of<StanError>([] { parse_text("\xEF\xBB\xBFmodel # { }"); }),
            "model.stan:1:7: error: '#' no longer starts a comment in Stan\n"
            "  |\n"
            "1 | model # { }\n"
            "  |       ^\n"
            "help: write '//' instead of '#'");
}

TEST(Source, CarriageReturns_AreNeitherCountedNorShown) {
  EXPECT_EQ(sgmcmc::testing::message_of<StanError>([] { parse_text("model {\r\n  x = 1\r\n}\r\n"); }),
            "model.stan:2:8: error: expected ';' after the assignment to 'x', found '}'\n"
            "  |\n"
            "2 |   x = 1\n"
            "  |        ^\n"
            "help: add ';' here");
}

TEST(Source, Tabs_AreShownAsSpacesUpToTheNextStop) {
  EXPECT_EQ(sgmcmc::testing::message_of<StanError>([] { parse_text("model {\n\tx\t=\t$1;\n}"); }),
            "model.stan:2:6: error: unexpected character '$'\n"
            "  |\n"
            "2 |     x   =   $1;\n"
            "  |             ^\n"
            "help: remove it");
}

TEST(Source, Columns_AreCountedInCharacters) {
  const Source source("m.stan", "/* \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80 */ x\ny");
  const auto x = static_cast<std::uint32_t>(source.text().find('x'));
  EXPECT_EQ(source.where({x, x + 1}), "m.stan:1:11");
  EXPECT_EQ(source.where({x + 2, x + 3}), "m.stan:2:1");
  // The last of the three characters is two columns wide.
  EXPECT_EQ(source.render({x, x + 1}, "here"),
            "m.stan:1:11: error: here\n"
            "  |\n"
            "1 | /* \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80 */ x\n"
            "  |            ^");
}

TEST(Source, SpansOverSeveralLines_ShowTheirFirstLine) {
  const Source source("m.stan", "a bcd\nef\n");
  EXPECT_EQ(source.render({2, 8}, "here", "do this"),
            "m.stan:1:3: error: here\n"
            "  |\n"
            "1 | a bcd\n"
            "  |   ^^^\n"
            "help: do this");
}

TEST(Source, ManyLines_WidenTheMargin) {
  std::string text;
  for (int k = 1; k < 100; ++k) text += '\n';
  const Source source("m.stan", text + "here");
  EXPECT_EQ(source.render({99, 103}, "message"),
            "m.stan:100:1: error: message\n"
            "    |\n"
            "100 | here\n"
            "    | ^^^^");
}

TEST(Source, EndOfText_IsShownAsAnEmptyLine) {
  const Source source("m.stan", "a\n");
  EXPECT_EQ(source.render({2, 2}, "message"), "m.stan:2:1: error: message\n  |\n2 |\n  | ^");
  EXPECT_EQ(Source("m.stan", "").render({0, 0}, "message"), "m.stan:1:1: error: message\n  |\n1 |\n  | ^");
  EXPECT_EQ(Source("m.stan", "a").render({7, 9}, "message"), "m.stan:1:2: error: message\n  |\n1 | a\n  |  ^");
}

TEST(Source, LongLines_AreCutAroundTheCarets) {
  const std::string before(300, 'a'), after(300, 'c');
  const Source source("m.stan", before + "bbb" + after);
  EXPECT_EQ(source.render({300, 303}, "message"),
            "m.stan:1:301: error: message\n"
            "  |\n"
            "1 | ..." +
                std::string(33, 'a') + "bbb" + std::string(64, 'c') + "...\n" + "  |    " + std::string(33, ' ') +
                "^^^");
  EXPECT_EQ(source.render({0, 600}, "message"),
            "m.stan:1:1: error: message\n"
            "  |\n"
            "1 | " +
                std::string(100, 'a') + "...\n" + "  | " + std::string(100, '^'));
  EXPECT_EQ(source.render({603, 603}, "message"),
            "m.stan:1:604: error: message\n"
            "  |\n"
            "1 | ..." +
                std::string(100, 'c') + "\n" + "  |    " + std::string(100, ' ') + '^');
}

TEST(Source, BytesThatCannotBeShown_BecomeQuestionMarks) {
  const Source source("m.stan", std::string("a\0\x01\xFF\xC3;b", 7));
  EXPECT_EQ(source.render({6, 7}, "message"), "m.stan:1:7: error: message\n  |\n1 | a????;b\n  |       ^");
}

}  // namespace
}  // namespace sgmcmc::stan::testing
