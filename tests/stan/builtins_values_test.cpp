// Built-in functions against values computed elsewhere (builtin_values.txt), as numbers and as expressions.
#include "graph/leaves.hpp"
#include "stan/builtins/signatures.hpp"
#include "stan/builtins/table.hpp"
#include "stan/read_value.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

namespace sgmcmc::stan {
namespace {

const std::filesystem::path folder = std::filesystem::path(__FILE__).parent_path();

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

void expect_equal(const Operand& found, const Operand& expected) {
  EXPECT_EQ(found.type, expected.type) << found.type.to_string() << ", expected " << expected.type.to_string();
  ASSERT_EQ(found.dims, expected.dims);
  for (std::size_t i = 0; i < expected.numbers.size(); ++i) {
    const double a = found.numbers[i], b = expected.numbers[i];
    if (std::isnan(b) || std::isinf(b)) {
      EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << a << ", expected " << b;
    } else {
      EXPECT_NEAR(a, b, 2e-12 * std::max(0.1, std::fabs(b))) << "element " << i;
    }
  }
}

TEST(BuiltinValues, EveryLineOfTheTable_Agrees) {
  const auto lines = lines_of(folder / "builtin_values.txt");
  ASSERT_GT(lines.size(), 900u);
  for (const auto& line : lines) {
    SCOPED_TRACE(line);
    const CallLine call = read_call(line);
    std::vector<Type> types;
    for (const auto& argument : call.arguments) types.push_back(argument.type);
    const auto type = result_type(call.name, types);
    EXPECT_TRUE(type && *type == call.value.type);
    try {
      expect_equal(apply_builtin(call.name, call.arguments), call.value);
    } catch (const ArgumentError& error) {
      ADD_FAILURE() << error.message;
    }
  }
}

TEST(BuiltinValues, EveryLineOfTheTable_AgreesOnExpressions) {
  for (const auto& line : lines_of(folder / "builtin_values.txt")) {
    SCOPED_TRACE(line);
    CallLine call = read_call(line);
    if (table().find(call.name)->data_only) continue;
    for (auto& argument : call.arguments) {
      if (argument.type.is_integer() || argument.size() == 0) continue;
      argument.symbol = constant(argument.numbers, Shape(argument.dims));
      argument.numbers.clear();
    }
    try {
      Operand result = apply_builtin(call.name, call.arguments);
      if (!result.is_data()) result.numbers = evaluate_constant(result.symbol);
      expect_equal(result, call.value);
    } catch (const ArgumentError& error) {
      ADD_FAILURE() << error.message;
    }
  }
}

TEST(BuiltinValues, EveryFunction_HasALine) {
  std::set<std::string> tried;
  for (const auto& line : lines_of(folder / "builtin_values.txt")) tried.insert(read_call(line).name);
  // Other names of the same functions, and functions whose results are tested differently
  // (builtins_properties_test.cpp).
  const std::set<std::string> elsewhere{"eigenvectors_sym", "svd_U", "svd_V", "qr_Q", "qr_R"};
  for (const auto& entry : table().all()) {
    if (entry->deprecated || !entry->apply || elsewhere.count(entry->name) != 0) continue;
    if (entry->name.ends_with("_lupdf") || entry->name.ends_with("_lupmf")) continue;
    EXPECT_TRUE(tried.count(entry->name) != 0) << entry->name;
  }
}

}  // namespace
}  // namespace sgmcmc::stan
