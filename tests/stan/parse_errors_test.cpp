// Invalid programs and the full text of their errors (parse_errors.txt), and valid ones that must parse.
#include "errors/message_of.hpp"
#include "stan/case_file.hpp"
#include "stan/parse_text.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace sgmcmc::stan::testing {
namespace {

const std::filesystem::path tests_folder = std::filesystem::path(__FILE__).parent_path();

TEST(ParseErrors, WrongPrograms_AreExplainedInFull) {
  const std::vector<FileCase> cases = read_case_file(tests_folder / "parse_errors.txt");
  EXPECT_GE(cases.size(), 100u);
  for (const FileCase& wrong : cases) {
    SCOPED_TRACE(wrong.name);
    EXPECT_EQ(sgmcmc::testing::message_of<StanError>([&] { parse_text(wrong.program); }) + '\n', wrong.message);
  }
}

TEST(ParseErrors, SpanOfAnError_IsThePlaceItShows) {
  try {
    parse_text("model {\n  x = 2y;\n}");
    FAIL() << "no error";
  } catch (const StanError& error) {
    EXPECT_EQ(error.span().begin, 14u);
    EXPECT_EQ(error.span().end, 16u);
  }
}

TEST(ParseErrors, DeepStatements_AreAnErrorAndNotACrash) {
  std::string braces(20000, '{'), loops, elses;
  for (int k = 0; k < 20000; ++k) loops += "while (1) ";
  for (int k = 0; k < 20000; ++k) elses += "if (1) ; else ";
  for (const std::string& deep : {braces, loops, elses}) {
    const std::string message = sgmcmc::testing::message_of<StanError>([&] { statements(deep + ";"); });
    EXPECT_NE(message.find("error: nested more than 500 levels deep"), std::string::npos) << message;
  }
}

TEST(ParseModels, EveryModelOfTheProject_Parses) {
  std::size_t count = 0;
  for (const auto& folder : {tests_folder / "fixtures", tests_folder.parent_path().parent_path() / "models"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".stan") continue;
      std::ifstream file(entry.path());
      std::ostringstream text;
      text << file.rdbuf();
      EXPECT_NO_THROW(parse(Source(entry.path().filename().string(), text.str()))) << entry.path();
      ++count;
    }
  }
  EXPECT_GE(count, 250u);
}

}  // namespace
}  // namespace sgmcmc::stan::testing
