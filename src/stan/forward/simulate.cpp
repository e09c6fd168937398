// Simulates from a model run forwards, or from the generated quantities of another program.
#include "stan/forward/simulate.hpp"

#include "stan/builtins/draw_uniforms.hpp"
#include "stan/forward/forward_constants.hpp"
#include "stan/forward/forward_program.hpp"
#include "stan/lowering/bind_data.hpp"
#include "stan/lowering/forward_order.hpp"
#include "stan/lowering/outcome_drawer.hpp"
#include "stan/lowering/outcome_parts.hpp"

#include <sgmcmc/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sgmcmc::stan {
namespace {

DataArray array_of(const Value& value) {
  const auto numbers = value.numbers.view();
  if (!value.type.is_integer()) return DataArray::copy_of(numbers, shape_of(value.dims));
  std::vector<std::int32_t> integers;
  for (const double number : numbers) integers.push_back(static_cast<std::int32_t>(number));
  return DataArray::copy_of(std::span<const std::int32_t>(integers), shape_of(value.dims));
}

void append(std::vector<double>& numbers, const Value& value) {
  numbers.insert(numbers.end(), value.numbers.view().begin(), value.numbers.view().end());
}

}  // namespace

struct Simulator::Parts {
  Parts(const ModelText& model, DataVariables given) : text(model), data(std::move(given)) {}
  virtual ~Parts() = default;
  virtual Simulated draw(UniformSource& uniforms) const = 0;

  ModelText text;
  DataVariables data;
  std::vector<std::string> drawn_data;
};

/// The model itself.
struct Simulator::Forwards final : Simulator::Parts {
  Forwards(const ModelText& model, DataVariables given)
      : Parts(model, std::move(given)), forward(model), constants(constants_of(model, data, forward.drawn)) {
    write_out_sparse(constants);
    for (const auto* declaration : declarations_in(forward.program.data))
      if (forward.drawn.count(declaration->name)) drawn_data.push_back(declaration->name);
    // A first run detects errors, and finds which elements of the data are drawn.
    DrawUniforms uniforms(0, 0, 0, DrawPurpose::simulation);
    DrawnVariables variables;
    run(uniforms, variables);
    for (const auto& name : drawn_data) elements[name] = variables.at(name).drawn;
  }

  Simulated draw(UniformSource& uniforms) const override {
    DrawnVariables variables;
    return run(uniforms, variables);
  }

 private:
  Simulated run(UniformSource& uniforms, DrawnVariables& variables) const {
    const Program& program = forward.program;
    Interpreter interpreter(*text.source, program, nullptr);
    interpreter.set_uniform_source(&uniforms);
    OutcomeDrawer drawer(interpreter, variables, forward.varying, uniforms);
    interpreter.set_drawer(&drawer);
    for (const auto& [name, value] : constants) interpreter.define(name, value);
    for (const auto* declaration : declarations_in(program.data))
      if (forward.drawn.count(declaration->name)) define_data(*declaration, interpreter, variables);
    define_parameters(interpreter, variables);
    for (const auto* declaration : declarations_in(program.parameters))
      if (!forward.drawn.count(declaration->name)) drawer.draw_flat(*declaration);
    interpreter.run(program.model);
    return result(interpreter, variables);
  }

  void define_data(const Declaration& declaration, Interpreter& interpreter, DrawnVariables& variables) const {
    Value value = *interpreter.find(declaration.name);
    variables[declaration.name] = {&declaration, false, std::vector<bool>(value.numbers.size(), false), value.numbers};
    const auto known = elements.find(declaration.name);
    if (known != elements.end()) {
      double* numbers = value.numbers.writable();
      for (std::size_t i = 0; i < known->second.size(); ++i)
        if (known->second[i]) numbers[i] = std::numeric_limits<double>::quiet_NaN();
    }
    interpreter.define(declaration.name, std::move(value));
  }

  void define_parameters(Interpreter& interpreter, DrawnVariables& variables) const {
    for (const auto* declaration : declarations_in(forward.program.parameters)) {
      const Dims dims = interpreter.sizes(*declaration).dims;
      const auto size = static_cast<std::size_t>(size_of(dims));
      const double nan = std::numeric_limits<double>::quiet_NaN();
      interpreter.define(declaration->name,
                         number_value(declaration->type, dims, Numbers(std::vector<double>(size, nan))));
      variables[declaration->name] = {declaration, true, std::vector<bool>(size, false), {}};
    }
  }

  Simulated result(Interpreter& interpreter, const DrawnVariables& variables) const {
    Simulated made;
    made.data = data;
    for (const auto* declaration : declarations_in(forward.program.parameters)) {
      const auto& drawn = variables.at(declaration->name).drawn;
      const auto missing = std::find(drawn.begin(), drawn.end(), false);
      if (missing != drawn.end())
        throw StanError(*text.source, declaration->name_span,
                        "element " + std::to_string(missing - drawn.begin() + 1) + " of '" + declaration->name +
                            "' has no prior: a flat prior cannot be drawn from",
                        std::string("write one, or ") + write_simulator);
      const Value& value = *interpreter.find(declaration->name);
      check_declared(interpreter, *declaration, *text.source, value, "simulated parameter '" + declaration->name + "'");
      append(made.parameters, value);
    }
    for (const auto* declaration : declarations_in(forward.program.data)) {
      if (!forward.drawn.count(declaration->name)) continue;
      const Value& value = *interpreter.find(declaration->name);
      if (has_unknown(value))
        throw StanError(*text.source, declaration->name_span,
                        "'" + declaration->name +
                            "' has elements that no statement draws in every run, and that the data do not give",
                        write_simulator);
      check_declared(interpreter, *declaration, *text.source, value,
                     "simulated data: variable '" + declaration->name + "'");
      made.data.by_name[declaration->name] = {array_of(value), "simulated"};
    }
    return made;
  }

  ForwardProgram forward;
  Constants constants;
  std::map<std::string, std::vector<bool>> elements;  ///< of the data: which are drawn; empty in the first run
};

/// Another program.
struct Simulator::Generated final : Simulator::Parts {
  Generated(const ModelText& model, const ModelText& other, DataVariables given)
      : Parts(model, std::move(given)), simulator(other) {
    const Program& program = *simulator.program;
    for (const auto* block : {&program.parameters, &program.transformed_parameters, &program.model})
      if (block->present && !block->statements.empty())
        throw StanError(*simulator.source, block->span, "a simulator has no parameters and no model",
                        "draw all values in generated quantities, with functions such as normal_rng");
    constants = constants_of(simulator, data);
    write_out_sparse(constants);
    std::set<std::string> generated;
    for (const auto* declaration : declarations_in(program.generated_quantities)) generated.insert(declaration->name);
    for (const auto* declaration : declarations_in(text.program->parameters))
      if (!generated.count(declaration->name))
        throw StanError(*text.source, declaration->name_span,
                        simulator.source->name() + " does not draw the parameter '" + declaration->name + "'",
                        "declare it in its generated quantities, with the same type and sizes");
    for (const auto* declaration : declarations_in(text.program->data))
      if (generated.count(declaration->name)) drawn_data.push_back(declaration->name);
    DrawUniforms uniforms(0, 0, 0, DrawPurpose::simulation);
    draw(uniforms);  // detects errors
  }

  Simulated draw(UniformSource& uniforms) const override {
    Interpreter interpreter(*simulator.source, *simulator.program, nullptr);
    interpreter.set_uniform_source(&uniforms);
    for (const auto& [name, value] : constants) interpreter.define(name, value);
    interpreter.run(simulator.program->generated_quantities);
    Simulated made;
    made.data = data;
    for (const auto& name : drawn_data) {
      const Value& value = *interpreter.find(name);
      require_values(name, value);
      made.data.by_name[name] = {array_of(value), simulator.source->name()};
    }
    // Sizes and constraints of the model's parameters may depend on the data just drawn.
    Interpreter own(*text.source, *text.program, nullptr);
    DrawUniforms transformed(1, 0, 0);
    own.set_uniform_source(&transformed);
    bind_data(own, *text.program, *text.source, made.data);
    own.run(text.program->transformed_data);
    for (const auto* declaration : declarations_in(text.program->parameters)) {
      Value value = *interpreter.find(declaration->name);
      require_values(declaration->name, value);
      const Dims dims = own.sizes(*declaration).dims;
      if (value.dims != dims || value.type.array_rank != declaration->type.array_rank ||
          value.type.base_rank() != declaration->type.base_rank())
        throw DataError(simulator.source->name() + ": '" + declaration->name + "' is " + value.type.to_string() +
                        " of shape " + Shape(value.dims).to_string() + ", the model declares " +
                        declaration->type.to_string() + " of shape " + Shape(dims).to_string() + " at " +
                        text.source->where(declaration->name_span));
      own.define(declaration->name, value);
      check_declared(own, *declaration, *text.source, value, "simulated parameter '" + declaration->name + "'");
      append(made.parameters, value);
    }
    return made;
  }

 private:
  void require_values(const std::string& name, const Value& value) const {
    if ((value.set && !has_unknown(value)) || size_of(value.dims) == 0) return;
    throw DataError(simulator.source->name() + ": '" + name + "' has elements without a value, or NaN, after a run");
  }

  ModelText simulator;
  Constants constants;
};

Simulator::Simulator(const ModelText& model, DataVariables data)
    : parts_(std::make_unique<Forwards>(model, std::move(data))) {}
Simulator::Simulator(const ModelText& model, const ModelText& simulator, DataVariables data)
    : parts_(std::make_unique<Generated>(model, simulator, std::move(data))) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;

Simulated Simulator::draw(std::uint64_t seed, std::uint64_t replication) const {
  DrawUniforms uniforms(seed, 1, replication, DrawPurpose::simulation);
  return parts_->draw(uniforms);
}

const std::vector<std::string>& Simulator::drawn_data() const { return parts_->drawn_data; }

}  // namespace sgmcmc::stan
