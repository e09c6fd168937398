// The lists of functions in docs/language.md say what the fixtures compare with Stan, no more and no less.
#include "stan/signatures.hpp"

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

/// The functions that fixtures with expected values call, comments left out.
std::set<std::string> called_in_fixtures() {
  std::set<std::string> names;
  const std::regex call(R"(([A-Za-z]\w*)\s*\()"), sampling(R"(~\s*(\w+)\s*\()"), comment(R"(//[^\n]*|/\*[\s\S]*?\*/)");
  for (const auto& entry : fs::directory_iterator(fs::path(SGMCMC_TEST_DATA) / "stan" / "fixtures")) {
    if (entry.path().extension() != ".stan") continue;
    if (!fs::exists(fs::path(entry.path()).replace_extension(".expected.json"))) continue;
    const std::string text = std::regex_replace(text_of(entry.path()), comment, " ");
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

/// What operators are called inside; the table of operators names them.
bool is_operator(const std::string& name) {
  static const std::set<std::string> names{"add",        "subtract", "multiply",   "divide",         "elt_multiply",
                                           "elt_divide", "elt_pow",  "minus",      "negate",         "plus",
                                           "modulus",    "modulo",   "int_divide", "integer_divide", "transpose"};
  return names.contains(name) || name.starts_with("logical_");
}

TEST(LanguageTable, Lists_AreWhatTheFixturesCompare) {
  const auto called = called_in_fixtures();
  std::vector<std::string> compared, values;
  for (const auto& name : function_names()) {
    // _lupdf is _lpdf here.
    if (is_operator(name) || name.ends_with("_lupdf") || name.ends_with("_lupmf")) continue;
    (called.contains(name) ? compared : values).push_back(name);
  }
  const fs::path docs = fs::path(SGMCMC_TEST_DATA).parent_path() / "docs" / "language.md";
  const std::string text = text_of(docs);
  const auto start = text.find("<!-- compared -->"), end = text.find("<!-- end -->");
  ASSERT_NE(start, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::string expected = "<!-- compared -->\nCompared with Stan:\n" + paragraph(compared) +
                               "\n<!-- values -->\nChecked by values:\n" + paragraph(values) + "\n";
  if (text.substr(start, end - start) != expected) {
    const fs::path proposed = fs::path(::testing::TempDir()) / "language.md";
    std::ofstream(proposed) << text.substr(0, start) << expected << text.substr(end);
    FAIL() << "the lists in docs/language.md are out of date; what they should be is in " << proposed;
  }
  EXPECT_GT(compared.size(), 250u);
}

}  // namespace
}  // namespace sgmcmc::stan
