// Invalid programs and the full text of their errors (check_errors.txt), found before anything runs.
#include "errors/message_of.hpp"
#include "stan/case_file.hpp"
#include "stan/check/check.hpp"
#include "stan/syntax/parse.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

namespace sgmcmc::stan::testing {
namespace {

std::vector<Warning> check_text(const std::string& text) {
  const Source source("model.stan", text);
  Program program = parse(source);
  return check(program, source);
}

TEST(CheckErrors, WrongPrograms_AreExplainedInFull) {
  const auto cases = read_case_file(std::filesystem::path(__FILE__).parent_path() / "check_errors.txt");
  EXPECT_GE(cases.size(), 150u);
  std::set<std::string> names;
  for (const FileCase& wrong : cases) {
    SCOPED_TRACE(wrong.name);
    EXPECT_TRUE(names.insert(wrong.name).second) << "two cases of one name";
    EXPECT_EQ(sgmcmc::testing::message_of<StanError>([&] { check_text(wrong.program); }) + '\n', wrong.message);
  }
}

TEST(CheckErrors, SpanOfAnError_IsThePlaceItShows) {
  try {
    check_text("parameters { real a; }\nmodel { a ~ normal(b, 1); }");
    FAIL() << "no error";
  } catch (const StanError& error) {
    EXPECT_EQ(error.span().begin, 42u);
    EXPECT_EQ(error.span().end, 43u);
  }
}

TEST(CheckErrors, LongSignatureLists_AreCut) {
  const std::string message =
      sgmcmc::testing::message_of<StanError>([] { check_text("transformed data { real x = multiply({1}, 2); }"); });
  EXPECT_NE(message.find("\nhelp: signatures:\n  multiply("), std::string::npos) << message;
  EXPECT_LE(std::count(message.begin(), message.end(), '\n'), 16) << message;
}

}  // namespace
}  // namespace sgmcmc::stan::testing
