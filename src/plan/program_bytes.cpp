// Writes the expressions of all values, then the place of each value and the order of execution.
#include "plan/program_bytes.hpp"

#include "graph/graph_bytes.hpp"
#include "ranks/message.hpp"

namespace sgmcmc {
namespace {

void put_instructions(MessageWriter& writer, const std::vector<Instruction>& instructions) {
  writer.put<std::uint64_t>(instructions.size());
  for (const auto& instruction : instructions) writer.put_all(std::span<const int>(instruction.values));
}

std::vector<Instruction> take_instructions(MessageReader& reader) {
  std::vector<Instruction> instructions;
  for (auto count = reader.take<std::uint64_t>(); count > 0; --count) instructions.push_back({reader.take_all<int>()});
  return instructions;
}

}  // namespace

std::string bytes_of_program(const Program& program) {
  MessageWriter writer;
  std::vector<Expression> expressions;
  for (const auto& value : program.values) expressions.push_back(value.expression);
  writer.put_text(bytes_of_expressions(expressions));
  for (const auto& value : program.values) {
    writer.put_all(std::span<const int>(value.inputs)).put(value.size).put(value.per_row).put(value.stage);
    writer.put(value.place).put(value.offset).put(value.loaded);
  }
  writer.put_all(std::span<const double>(program.constants));
  for (const auto* part : {&program.centre, &program.before, &program.rows, &program.after})
    put_instructions(writer, *part);
  writer.put_all(std::span<const int>(program.outputs)).put(program.globals_size).put(program.accumulators_size);
  writer.put(program.tile_components).put(program.has_products).put(program.row_block);
  writer.put<std::uint64_t>(program.row_columns.size());
  for (const auto& column : program.row_columns) writer.put_text(column);
  return writer.bytes();
}

Program program_of_bytes(std::string_view bytes) {
  MessageReader reader(bytes);
  Program program;
  for (auto& expression : expressions_of_bytes(reader.take_text())) {
    Value value;
    value.expression = std::move(expression);
    program.values.push_back(std::move(value));
  }
  for (auto& value : program.values) {
    value.inputs = reader.take_all<int>();
    value.size = reader.take<std::int64_t>();
    value.per_row = reader.take<bool>();
    value.stage = reader.take<Stage>();
    value.place = reader.take<Place>();
    value.offset = reader.take<std::int64_t>();
    value.loaded = reader.take<bool>();
  }
  program.constants = reader.take_all<double>();
  for (auto* part : {&program.centre, &program.before, &program.rows, &program.after})
    *part = take_instructions(reader);
  program.outputs = reader.take_all<int>();
  program.globals_size = reader.take<std::int64_t>();
  program.accumulators_size = reader.take<std::int64_t>();
  program.tile_components = reader.take<std::int64_t>();
  program.has_products = reader.take<bool>();
  program.row_block = reader.take<int>();
  for (auto count = reader.take<std::uint64_t>(); count > 0; --count)
    program.row_columns.emplace_back(reader.take_text());
  return program;
}

}  // namespace sgmcmc
