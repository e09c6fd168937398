// Every function of the table, with every signature: types and sizes as declared, numbers and expressions agreeing.
#include "graph/leaves.hpp"
#include "stan/builtin_arguments.hpp"
#include "stan/builtins/signatures.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sgmcmc::stan {
namespace {

/// How the arguments are given.
enum class Given { constants, parameters };

std::vector<Operand> given_as(const std::vector<Operand>& data, Given given, bool integers) {
  std::vector<Operand> arguments = data;
  std::int64_t offset = 0;
  for (auto& argument : arguments) {
    if (argument.type.is_integer() && !integers) continue;
    const Shape shape(argument.dims);
    argument.symbol =
        given == Given::constants ? constant(argument.numbers, shape) : parameter_leaf("theta", shape, offset);
    argument.numbers.clear();
    offset += shape.size();
  }
  return arguments;
}

std::string call_text(const Builtin& builtin, const std::vector<Type>& types) {
  std::string text = builtin.name + "(";
  for (const auto& type : types) text += (text.back() == '(' ? "" : ", ") + type.to_string();
  return text + ")";
}

std::vector<double> numbers_of(const Operand& result) {
  return result.is_data() ? result.numbers : evaluate_constant(result.symbol);
}

bool close(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= 1e-11 * std::max(1.0, std::fabs(b));
}

void check_call(const Builtin& builtin, const Signature& signature, const std::vector<Type>& types) {
  SCOPED_TRACE(call_text(builtin, types));
  const auto expected_type = result_type(builtin.name, types);
  ASSERT_TRUE(expected_type.has_value());
  const auto data = argument_values(builtin.name, signature, types);
  try {
    const Operand numbers = apply_builtin(builtin.name, data);
    ASSERT_TRUE(numbers.is_data());
    EXPECT_EQ(numbers.type, *expected_type) << numbers.type.to_string() << " for " << expected_type->to_string();
    EXPECT_EQ(static_cast<int>(numbers.dims.size()), expected_type->rank());
    ASSERT_EQ(static_cast<std::int64_t>(numbers.numbers.size()), numbers.size());
    if (builtin.data_only || types.empty()) return;
    // Ints of densities may be expressions, unless they pick an outcome: those are constants or columns of the row.
    // The distribution function of the beta-binomial adds up probabilities, as many as its data say.
    const bool adds_up = builtin.name.starts_with("beta_binomial_") && builtin.name.ends_with("cdf");
    const bool density = !builtin.outcome_ranks.empty() && signature.arguments[0].domain != Domain::natural && !adds_up;
    const Operand symbol = apply_builtin(builtin.name, given_as(data, Given::constants, density));
    EXPECT_EQ(symbol.type, numbers.type);
    ASSERT_EQ(symbol.dims, numbers.dims);
    const auto values = numbers_of(symbol);
    ASSERT_EQ(values.size(), numbers.numbers.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_TRUE(close(values[i], numbers.numbers[i])) << values[i] << " and " << numbers.numbers[i] << " at " << i;
    const Operand of_parameters = apply_builtin(builtin.name, given_as(data, Given::parameters, false));
    EXPECT_EQ(of_parameters.type, numbers.type);
    EXPECT_EQ(of_parameters.dims, numbers.dims);
    EXPECT_TRUE(of_parameters.is_data() || of_parameters.symbol.shape() == Shape(numbers.dims));
  } catch (const ArgumentError& error) {
    ADD_FAILURE() << error.message;
  }
}

TEST(Builtins, EverySignature_NumbersAndExpressionsAgree) {
  for (const auto& entry : table().all()) {
    if (entry->deprecated || !entry->apply) continue;
    for (const auto& signature : entry->signatures) {
      const auto choices = argument_types(signature);
      EXPECT_FALSE(choices.empty()) << entry->name << signature.text;
      for (const auto& types : choices) check_call(*entry, signature, types);
    }
  }
}

class Counter final : public UniformSource {
 public:
  double next() override {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (static_cast<double>(state_ >> 12) + 0.5) * 0x1p-52;
  }

 private:
  std::uint64_t state_ = 1;
};

TEST(Builtins, EveryGenerator_HasDeclaredTypeAndSize) {
  Counter uniform;
  for (const auto& entry : table().all()) {
    if (!entry->draw) continue;
    for (const auto& signature : entry->signatures) {
      for (const auto& types : argument_types(signature)) {
        SCOPED_TRACE(call_text(*entry, types));
        const auto expected = result_type(entry->name, types);
        ASSERT_TRUE(expected.has_value());
        auto data = argument_values(entry->name, signature, types);
        if (entry->name.find("wishart") != std::string::npos) data[0].numbers[0] = 7;
        try {
          const Operand drawn = apply_rng(entry->name, data, uniform);
          EXPECT_EQ(drawn.type, *expected);
          EXPECT_EQ(static_cast<int>(drawn.dims.size()), expected->rank());
          ASSERT_EQ(static_cast<std::int64_t>(drawn.numbers.size()), drawn.size());
          for (const double value : drawn.numbers) {
            EXPECT_TRUE(std::isfinite(value));
            EXPECT_TRUE(!expected->is_integer() || value == std::floor(value));
          }
        } catch (const ArgumentError& error) {
          ADD_FAILURE() << error.message;
        }
      }
    }
  }
}

}  // namespace
}  // namespace sgmcmc::stan
