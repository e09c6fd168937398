// Evaluates the blocks before the parameters.
#include "stan/forward/forward_constants.hpp"

#include "stan/builtins/draw_uniforms.hpp"
#include "stan/lowering/bind_data.hpp"

#include <sgmcmc/error.hpp>

namespace sgmcmc::stan {

std::vector<const Declaration*> declarations_in(const ProgramBlock& block) {
  std::vector<const Declaration*> found;
  for (const auto& statement : block.statements)
    if (const auto* declaration = declaration_of(statement)) found.push_back(declaration);
  return found;
}

Constants constants_of(const ModelText& text, const DataVariables& data, const std::set<std::string>& drawn) {
  const Program& program = *text.program;
  Interpreter interpreter(*text.source, program, nullptr);
  DrawUniforms uniforms(1, 0, 0);
  interpreter.set_uniform_source(&uniforms);
  bind_data(interpreter, program, *text.source, data, drawn);
  interpreter.run(program.transformed_data);
  Constants constants;
  for (const auto* block : {&program.data, &program.transformed_data})
    for (const auto* declaration : declarations_in(*block))
      constants.emplace_back(declaration->name, *interpreter.find(declaration->name));
  return constants;
}

void write_out_sparse(Constants& constants) {
  constexpr std::int64_t most_numbers = 50'000'000;
  for (auto& [name, value] : constants) {
    if (!value.sparse) continue;
    if (size_of(value.dims) > most_numbers)
      throw DataError("'" + name + "' is a sparse matrix that is too large to be written out");
    value = number_value(value.type, value.dims, Numbers(std::make_shared<const DataArray>(value.sparse->to_real())));
  }
}

std::vector<std::string> element_names(const std::string& variable, const Dims& dims) {
  if (dims.empty()) return {variable};
  std::vector<std::string> names;
  const auto count = static_cast<std::size_t>(size_of(dims));
  names.reserve(count);
  for (std::size_t element = 0; element < count; ++element) {
    std::string places;
    for (auto [rest, axis] = std::pair(element, dims.size()); axis-- > 0;) {
      const auto size = static_cast<std::size_t>(dims[axis]);
      places = std::to_string(rest % size + 1) + (places.empty() ? "" : "," + places);
      rest /= size;
    }
    names.push_back(variable + "[" + places + "]");
  }
  return names;
}

}  // namespace sgmcmc::stan
