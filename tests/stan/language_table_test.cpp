// docs/language.md lists exactly what the tests cover: functions and constraints compared with Stan by fixtures, and
// tested random number generators.
#include "stan/builtins/signatures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace sgmcmc::stan {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const fs::path tests = SGMCMC_TEST_DATA, page = tests.parent_path() / "docs" / "language.md";

/// The models for which there are values from Stan, without comments.
std::vector<std::string> fixtures() {
  const std::regex comment(R"(//[^\n]*|/\*[\s\S]*?\*/)");
  std::vector<std::string> texts;
  for (const auto& entry : fs::directory_iterator(tests / "stan" / "fixtures")) {
    if (entry.path().extension() != ".stan") continue;
    if (!fs::exists(fs::path(entry.path()).replace_extension(".expected.json"))) continue;
    texts.push_back(std::regex_replace(text_of(entry.path()), comment, " "));
  }
  return texts;
}

/// The functions that fixtures call.
std::set<std::string> called_in_fixtures() {
  std::set<std::string> names;
  const std::regex call(R"(([A-Za-z]\w*)\s*\()"), sampling(R"(~\s*(\w+)\s*\()");
  for (const std::string& text : fixtures()) {
    for (std::sregex_iterator found(text.begin(), text.end(), call), end; found != end; ++found)
      names.insert((*found)[1]);
    for (std::sregex_iterator found(text.begin(), text.end(), sampling), end; found != end; ++found) {
      const std::string distribution = (*found)[1];
      if (is_distribution(distribution)) names.insert(distribution + std::string(density_suffix(distribution)));
    }
  }
  return names;
}

std::string paragraph(const std::vector<std::string>& names) {
  std::string text, line;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string word = "`" + names[i] + "`" + (i + 1 < names.size() ? "," : "");
    if (!line.empty() && line.size() + 1 + word.size() > 120) {
      text += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return text + line + "\n";
}

/// The internal names of operators, from the table of operators.
bool is_operator(const std::string& name) {
  static const std::set<std::string> names{"add",        "subtract", "multiply",   "divide",         "elt_multiply",
                                           "elt_divide", "elt_pow",  "minus",      "negate",         "plus",
                                           "modulus",    "modulo",   "int_divide", "integer_divide", "transpose"};
  return names.contains(name) || name.starts_with("logical_");
}

TEST(LanguageTable, Lists_AreWhatTheTestsCompare) {
  const auto called = called_in_fixtures();
  std::vector<std::string> compared, random;
  for (const auto& name : function_names()) {
    // _lupdf is _lpdf here.
    if (is_operator(name) || name.ends_with("_lupdf") || name.ends_with("_lupmf")) continue;
    if (name.ends_with("_rng")) {
      random.push_back(name);
      continue;
    }
    EXPECT_TRUE(called.contains(name)) << name << ": no fixture calls it (tests/stan/fixtures)";
    compared.push_back(name);
  }
  const std::string text = text_of(page);
  const auto start = text.find("<!-- compared -->"), end = text.find("<!-- end -->");
  ASSERT_NE(start, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::string expected = "<!-- compared -->\nCompared with Stan:\n" + paragraph(compared) +
                               "\n<!-- random -->\nRandom numbers:\n" + paragraph(random) + "\n";
  if (text.substr(start, end - start) != expected) {
    const fs::path proposed = fs::path(::testing::TempDir()) / "language.md";
    std::ofstream(proposed) << text.substr(0, start) << expected << text.substr(end);
    FAIL() << "the lists in docs/language.md are out of date; what they should be is in " << proposed;
  }
  EXPECT_GT(compared.size(), 350u);
}

TEST(LanguageTable, Generators_HaveTheirLawsTested) {
  const std::string laws = text_of(tests / "stan" / "builtins_rng_test.cpp");
  for (const auto& name : function_names()) {
    if (!name.ends_with("_rng")) continue;
    const std::string law = name.substr(0, name.size() - 4);
    EXPECT_TRUE(laws.find("{\"" + law + "\", ") != std::string::npos ||
                laws.find("(\"" + name + "\", ") != std::string::npos)
        << name;
  }
}

TEST(LanguageTable, Constraints_AreThoseOfFixtures) {
  std::smatch row;
  const std::string text = text_of(page);
  ASSERT_TRUE(std::regex_search(text, row, std::regex(R"(\| constraints \|([^|]*)\|)")));
  std::string parameters;
  for (const std::string& fixture : fixtures()) {
    std::smatch block;
    // A closing brace ends a block in the first column, or on the same line.
    if (std::regex_search(fixture, block, std::regex(R"((^|\n)parameters\s*\{([^}]*)\})"))) parameters += block[2];
  }
  const std::string supported = row[1];
  const std::regex quoted("`(\\w+)`");
  int count = 0;
  for (std::sregex_iterator found(supported.begin(), supported.end(), quoted), last; found != last; ++found, ++count) {
    const std::string name = (*found)[1];
    EXPECT_TRUE(std::regex_search(parameters, std::regex("[<,]\\s*" + name + "\\s*=|\\b" + name + "\\s*\\["))) << name;
  }
  EXPECT_EQ(count, 12);
}

}  // namespace
}  // namespace sgmcmc::stan
