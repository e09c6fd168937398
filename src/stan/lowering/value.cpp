// Makes and converts values.
#include "stan/lowering/value.hpp"

#include <limits>
#include <mutex>
#include <numeric>

namespace sgmcmc::stan {

Numbers::Numbers(std::vector<double> values) : size_(values.size()) {
  if (size_ == 1) {
    single_ = values[0];
    return;
  }
  own_ = std::make_shared<std::vector<double>>(std::move(values));
  owner_ = own_;
  view_ = own_->data();
}

Numbers::Numbers(std::span<const double> values, std::shared_ptr<const void> owner) : size_(values.size()) {
  if (size_ == 1) {
    single_ = values[0];
    return;
  }
  owner_ = std::move(owner);
  view_ = values.data();
}

Numbers::Numbers(std::shared_ptr<const DataArray> array) {
  size_ = static_cast<std::size_t>(array->size());
  if (size_ == 1) {
    single_ = (*array)[0];
    return;
  }
  owner_ = array;
  if (array->is_integer() && array->type() != StorageType::int32)
    narrow_ = static_cast<const std::byte*>(array->identity());
  else if (array->is_integer())
    integers_ = array->integers().data();
  else if (!array->floats().empty())
    floats_ = array->floats().data();
  else
    view_ = array->reals().data();
  array_ = std::move(array);
}

struct Numbers::Sequence {
  mutable std::once_flag once;
  mutable std::vector<double> written;
};

Numbers Numbers::up_to(std::int64_t count) {
  Numbers numbers;
  numbers.size_ = static_cast<std::size_t>(count);
  numbers.sequence_ = std::make_shared<const Sequence>();
  return numbers;
}

const double* Numbers::widened() const {
  if (!sequence_) return array_->reals().data();
  std::call_once(sequence_->once, [this] {
    sequence_->written.resize(size_);
    std::iota(sequence_->written.begin(), sequence_->written.end(), 1.0);
  });
  return sequence_->written.data();
}

double* Numbers::writable() {
  if (!view_ && !is_narrow()) return &single_;
  // own_ and owner_ are two counts of one copy of this object.
  if (!own_ || own_.use_count() > 2) {
    own_ = std::make_shared<std::vector<double>>(data(), data() + size_);
    floats_ = nullptr;
    integers_ = nullptr;
    sequence_.reset();
    owner_ = own_;
    view_ = own_->data();
    array_.reset();
  }
  return own_->data();
}

std::int64_t size_of(const Dims& dims) {
  std::int64_t size = 1;
  for (auto dim : dims) size *= dim;
  return size;
}

Shape shape_of(const Dims& dims) { return Shape(dims); }

Value real_value(double value) {
  Value made;
  made.type = {Base::real, 0};
  made.numbers = Numbers(value);
  return made;
}

Value integer_value(std::int64_t value) {
  Value made;
  made.type = {Base::integer, 0};
  made.numbers = Numbers(static_cast<double>(value));
  return made;
}

Value number_value(Type type, Dims dims, Numbers numbers) {
  Value made;
  made.type = type;
  made.dims = std::move(dims);
  made.numbers = std::move(numbers);
  return made;
}

Value symbol_value(Type type, Dims dims, Expression symbol) {
  Value made;
  made.type = type;
  made.dims = std::move(dims);
  made.symbol = std::move(symbol);
  return made;
}

Value unset_value(Type type, Dims dims) {
  Value made;
  made.type = type;
  made.dims = std::move(dims);
  made.set = false;
  return made;
}

Type element_type(const Type& type) {
  if (type.array_rank > 0) return {type.base, type.array_rank - 1};
  if (type.base == Base::matrix) return {Base::row_vector, 0};
  return {Base::real, 0};
}

Expression symbol_of(const Value& value) {
  if (!value.pieces) return value.symbol;
  std::vector<Expression> parts;
  parts.reserve(value.pieces->size());
  for (const auto& piece : *value.pieces)
    parts.push_back(piece ? piece : Expression(std::numeric_limits<double>::quiet_NaN()));
  return reshape(concatenate(parts), shape_of(value.dims));
}

Expression expression_of(const Value& value) {
  if (!value.is_data()) return symbol_of(value);
  if (value.dims.empty()) return Expression(value.numbers[0]);
  return constant(std::vector<double>(value.numbers.view().begin(), value.numbers.view().end()), shape_of(value.dims));
}

Operand operand_of(const Value& value) {
  Operand made;
  made.type = value.type;
  made.dims = value.dims;
  if (value.is_data())
    made.numbers.assign(value.numbers.view().begin(), value.numbers.view().end());
  else
    made.symbol = symbol_of(value);
  return made;
}

Value value_of(const Operand& operand) {
  if (operand.symbol) return symbol_value(operand.type, operand.dims, operand.symbol);
  return number_value(operand.type, operand.dims, Numbers(operand.numbers));
}

}  // namespace sgmcmc::stan
