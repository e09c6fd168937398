// Binds a term's programs to the memory of a chunk, and distributes their outputs by row and by group.
#include "groups/term_rows.hpp"

#include <algorithm>

namespace sgmcmc {
namespace {

/// Keeps per-row outputs: component c of row i at to[c * stride + i].
class KeepRows final : public RowConsumer {
 public:
  KeepRows(double* to, std::size_t stride, std::size_t components)
      : to_(to), stride_(stride), components_(components) {}
  void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) override {
    for (std::size_t c = 0; c < components_; ++c)
      std::copy_n(values + static_cast<std::int64_t>(c) * stride, count, to_ + c * stride_ + position);
  }

 private:
  double* to_;
  std::size_t stride_, components_;
};

/// Writes per-row outputs into columns of row data, element by element of each row.
class FillColumns final : public RowConsumer {
 public:
  explicit FillColumns(const std::vector<std::pair<double*, std::size_t>>& columns) : columns_(columns) {}
  void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) override {
    for (const auto& [to, width] : columns_)
      for (std::size_t k = 0; k < width; ++k, values += stride)
        for (std::uint32_t i = 0; i < count; ++i) to[(position + i) * width + k] = values[i];
  }

 private:
  const std::vector<std::pair<double*, std::size_t>>& columns_;
};

/// Adds gradients up by group, each component at its place in phi.
class SumGradients final : public RowConsumer {
 public:
  SumGradients(const std::uint32_t* group_of, const std::vector<std::int64_t>& places, double* sums,
               std::size_t dimension)
      : group_of_(group_of), places_(places), sums_(sums), dimension_(dimension) {}
  void consume(std::uint32_t position, std::uint32_t count, const double* values, std::int64_t stride) override {
    for (std::size_t c = 0; c < places_.size(); ++c) {
      const double* lanes = values + static_cast<std::int64_t>(c) * stride;
      double* to = sums_ + places_[c];
      for (std::uint32_t i = 0; i < count; ++i)
        to[(group_of_ ? group_of_[position + i] : position + i) * dimension_] += lanes[i];
    }
  }

 private:
  const std::uint32_t* group_of_;
  const std::vector<std::int64_t>& places_;
  double* sums_;
  std::size_t dimension_;
};

template <class From, class To>
void copy_column(const std::byte* base, std::size_t stride, std::size_t width, const std::uint32_t* rows,
                 std::uint32_t first, std::uint32_t count, To* to) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t row = rows ? rows[first + i] : first + i;
    const auto* numbers = reinterpret_cast<const From*>(base + row * stride);
    for (std::size_t k = 0; k < width; ++k) *to++ = static_cast<To>(numbers[k]);
  }
}

}  // namespace

TermRows::TermRows(const MarginalPosterior& posterior, const TermPrograms& programs, bool of_rows, std::size_t capacity)
    : programs_(programs),
      pages_(posterior.model().data().store().pages()),
      capacity_(capacity),
      dimension_(posterior.dimension()),
      points_(std::max(static_cast<std::int64_t>(posterior.dimension()), programs.shared)) {
  const auto& groups = posterior.groups();
  Dataset::Builder builder;
  const auto real_column = [&](const std::string& name, const Shape& shape, AlignedBuffer<double>& memory) {
    memory = AlignedBuffer<double>(capacity_ * static_cast<std::size_t>(shape.size()));
    builder.borrow_real(name, std::span<const double>(memory.data(), memory.size()), shape);
  };
  const auto integer_column = [&](const std::string& name, const Shape& shape, AlignedBuffer<std::int32_t>& memory) {
    memory = AlignedBuffer<std::int32_t>(capacity_ * static_cast<std::size_t>(shape.size()));
    builder.borrow_integer(name, std::span<const std::int32_t>(memory.data(), memory.size()), shape);
  };
  locals_.resize(groups.width);
  for (std::size_t k = 0; k < groups.width; ++k) real_column(Slicer::local_name(k), Shape{}, locals_[k]);
  if (of_rows) {
    copied_.resize(posterior.row_columns().size());
    for (std::size_t c = 0; c < copied_.size(); ++c) {
      Copied& column = copied_[c];
      column.from = &posterior.model().data().store().column(posterior.row_columns()[c]);
      // Rows from all over a file would take a call of the system each.
      if (pages_ && !posterior.row_order()) column.on_disk = pages_->column_at(column.from->base);
      column.width = static_cast<std::size_t>(column.from->row_shape.size());
      if (is_integer(column.from->type))
        integer_column(column.from->name, column.from->row_shape, column.integer);
      else
        real_column(column.from->name, column.from->row_shape, column.real);
    }
  }
  by_group_.resize(groups.group_columns.size());
  for (std::size_t c = 0; c < by_group_.size(); ++c) {
    ByGroup& column = by_group_[c];
    column.from = &groups.group_columns[c];
    const Shape shape = column.from->width == 1 ? Shape{} : Shape{column.from->width};
    if (column.from->integer)
      integer_column(column.from->name, shape, column.integer);
    else
      real_column(column.from->name, shape, column.real);
  }
  computed_.resize(programs_.columns.size());
  slopes_.resize(programs_.columns.size());
  for (std::size_t c = 0; c < programs_.columns.size(); ++c) {
    real_column(programs_.columns[c].name, programs_.columns[c].shape, computed_[c]);
    columns_to_fill_.emplace_back(computed_[c].data(), static_cast<std::size_t>(programs_.columns[c].shape.size()));
    real_column(programs_.columns[c].slope_name, programs_.columns[c].shape, slopes_[c]);
  }
  data_ = builder.build();
  const auto executor = [&](const std::shared_ptr<const Program>& program) {
    return program ? make_executor(program, data_, points_) : nullptr;
  };
  column_values_ = executor(programs_.column_values);
  shared_values_ = executor(programs_.shared_values);
  gradient_ = executor(programs_.gradient);
  value_ = executor(programs_.value);
  derivatives_ = executor(programs_.derivatives);
  value_and_slopes_ = executor(programs_.value_and_slopes);
  outputs_.resize(std::max(programs_.places.size(), programs_.shared_places.size()));
  shared_.resize(static_cast<std::size_t>(programs_.shared));
  shared_slopes_.resize(shared_.size());
  phi_.resize(dimension_);
}

void TermRows::set_phi(std::span<const double> point) {
  std::copy(point.begin(), point.end(), phi_.begin());
  for (auto* executor : {column_values_.get(), shared_values_.get(), gradient_.get(), row_gradients_.get()})
    if (executor) executor->set_point(Point::current, phi_);
  if (!shared_values_) return;
  shared_values_->run(RowBatch{}, shared_);
  for (auto* executor : {value_.get(), derivatives_.get(), value_and_slopes_.get()})
    if (executor) executor->set_point(Point::current, shared_);
}

void TermRows::compute_columns(std::size_t rows) {
  if (!column_values_ || rows == 0) return;
  FillColumns fill(columns_to_fill_);
  column_values_->run_rows(first_rows(rows), fill);
}

void TermRows::run_node(std::size_t node, std::size_t nodes, std::size_t rows, const std::uint32_t* group_of,
                        const std::uint32_t* ends, double* sums) {
  const std::size_t components = 1 + programs_.slopes;
  if (kept_.size() < nodes * components * capacity_) kept_ = AlignedBuffer<double>(nodes * components * capacity_);
  double* own = kept_.data() + node * components * capacity_;
  KeepRows keep(own, capacity_, components);
  value_and_slopes_->run_rows(first_rows(rows), keep);
  SumByGroup sum(group_of, ends, sums, 1);
  if (sums) sum.consume(0, static_cast<std::uint32_t>(rows), own, static_cast<std::int64_t>(capacity_));
}

void TermRows::average_slopes(std::size_t nodes, std::size_t rows, const std::uint32_t* group_of,
                              const double* weights) {
  const std::size_t components = 1 + programs_.slopes;
  mean_slopes_.resize(programs_.slopes * capacity_);
  for (std::size_t c = 0; c < programs_.slopes; ++c) {
    double* to = mean_slopes_.data() + c * capacity_;
    std::fill_n(to, rows, 0.0);
    for (std::size_t node = 0; node < nodes; ++node) {
      const double* from = kept_.data() + (node * components + 1 + c) * capacity_;
      if (group_of)
        for (std::size_t i = 0; i < rows; ++i) to[i] += weights[group_of[i] * nodes + node] * from[i];
      else
        for (std::size_t i = 0; i < rows; ++i) to[i] += weights[i * nodes + node] * from[i];
    }
  }
  std::size_t component = 0;
  for (std::size_t c = 0; c < programs_.columns.size(); ++c) {
    if (!programs_.columns[c].has_gradient) continue;
    const auto width = static_cast<std::size_t>(programs_.columns[c].shape.size());
    for (std::size_t k = 0; k < width; ++k, ++component)
      for (std::size_t i = 0; i < rows; ++i) slopes_[c].data()[i * width + k] = mean_slopes_[component * capacity_ + i];
  }
  first_shared_ = component;
}

void TermRows::add_gradient(std::size_t rows, std::span<double> to) {
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    const double* from = mean_slopes_.data() + (first_shared_ + k) * capacity_;
    shared_slopes_[k] = 0;
    for (std::size_t i = 0; i < rows; ++i) shared_slopes_[k] += from[i];
  }
  gradient_->set_point(Point::direction, shared_slopes_);
  gradient_->run(first_rows(rows), std::span<double>(outputs_).first(programs_.places.size()));
  for (std::size_t c = 0; c < programs_.places.size(); ++c)
    to[static_cast<std::size_t>(programs_.places[c])] += outputs_[c];
}

void TermRows::add_gradients(std::size_t rows, std::size_t groups, const std::uint32_t* group_of, double* each) {
  if (programs_.row_gradients) {
    if (!row_gradients_) {
      row_gradients_ = make_executor(programs_.row_gradients, data_, points_);
      row_gradients_->set_point(Point::current, phi_);
    }
    SumGradients sums(group_of, programs_.row_places, each, dimension_);
    row_gradients_->run_rows(first_rows(rows), sums);
  }
  if (!programs_.shared_gradient) return;
  const auto of_shared = make_executor(programs_.shared_gradient, Dataset{}, points_);
  of_shared->set_point(Point::current, phi_);
  std::vector<double> by_group_slope(groups);
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    std::vector<double> unit(shared_.size(), 0.0);
    unit[k] = 1.0;
    of_shared->set_point(Point::direction, unit);
    of_shared->run(RowBatch{}, std::span<double>(outputs_).first(programs_.shared_places.size()));
    std::fill(by_group_slope.begin(), by_group_slope.end(), 0.0);
    const double* from = mean_slopes_.data() + (first_shared_ + k) * capacity_;
    for (std::size_t i = 0; i < rows; ++i) by_group_slope[group_of ? group_of[i] : i] += from[i];
    for (std::size_t c = 0; c < programs_.shared_places.size(); ++c)
      for (std::size_t s = 0; s < groups; ++s)
        each[s * dimension_ + static_cast<std::size_t>(programs_.shared_places[c])] += outputs_[c] * by_group_slope[s];
  }
}

void TermRows::copy_rows(const std::uint32_t* rows, std::uint32_t first, std::uint32_t count, std::size_t to_row) {
  for (auto& column : copied_) {
    const std::size_t at = to_row * column.width;
    const auto copy = [&]<class From>(From, auto* to) {
      if (!column.on_disk)
        return copy_column<From>(column.from->base, column.from->stride_bytes, column.width, rows, first, count, to);
      const std::size_t stride = column.on_disk->stride;
      if (read_.size() < count * stride) read_.resize(count * stride);
      pages_->read(*column.on_disk, first, count, read_.data());
      copy_column<From>(read_.data(), stride, column.width, nullptr, 0, count, to);
    };
    if (is_integer(column.from->type))
      visit_integer_type(column.from->type, [&](auto zero) { copy(zero, column.integer.data() + at); });
    else if (column.from->type == StorageType::float64)
      copy(double{}, column.real.data() + at);
    else
      copy(float{}, column.real.data() + at);
  }
}

void TermRows::copy_group(std::uint32_t group, std::size_t to_row) {
  for (auto& column : by_group_) {
    const auto width = static_cast<std::size_t>(column.from->width);
    const double* from = column.from->values.data() + group * width;
    for (std::size_t k = 0; k < width; ++k)
      if (column.from->integer)
        column.integer.data()[to_row * width + k] = static_cast<std::int32_t>(from[k]);
      else
        column.real.data()[to_row * width + k] = from[k];
  }
}

}  // namespace sgmcmc
