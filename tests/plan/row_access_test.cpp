// Reading rows: every width around the size of a pack, both precisions of data and arithmetic, nothing beyond a row's
// end.
#include "plan/row_access.hpp"

#include "plan/executor_backend.hpp"
#include "plan/models.hpp"
#include "reference/gradient_cases.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace sgmcmc::testing {
namespace {

/// Numbers in an allocation of exactly their size, so that a sanitizer sees every read beyond the last row.
template <class Real>
class ExactArray {
 public:
  explicit ExactArray(const std::vector<double>& values) : size_(values.size()), values_(new Real[values.size()]) {
    for (std::size_t i = 0; i < size_; ++i) values_[i] = static_cast<Real>(values[i]);
  }
  std::span<const Real> span() const { return {values_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<Real[]> values_;
};

/// The same rows in the four possible memory layouts.
struct StoredRows {
  StoredRows(std::int64_t rows, std::int64_t width)
      : values(scattered(rows * width, static_cast<double>(width))), doubles(values), floats(values) {
    for (double& value : values) value = static_cast<float>(value);  // so that both storages hold the same
    ExactArray<double> exact(values);
    std::swap(doubles, exact);
    const Shape shape{width};
    borrowed = Dataset::Builder().borrow_real("z", doubles.span(), shape).build();
    borrowed_floats = Dataset::Builder().borrow_real("z", floats.span(), shape).build();
    // Behind the row: as numbers, bits of -1 are NaN.
    const std::vector<std::int32_t> label(static_cast<std::size_t>(2 * rows), -1);
    packed = Dataset::Builder().real("z", doubles.span(), shape).integer("y", label, {2}).build();
    packed_floats =
        Dataset::Builder(Precision::float32).real("z", doubles.span(), shape).integer("y", label, {2}).build();
  }
  std::vector<Dataset> all() const { return {borrowed, borrowed_floats, packed, packed_floats}; }

  std::vector<double> values;
  ExactArray<double> doubles;
  ExactArray<float> floats;
  Dataset borrowed, borrowed_floats, packed, packed_floats;
};

constexpr std::uint32_t row_count = 21;

template <class Real>
void check_width(std::int64_t width) {
  const StoredRows stored(row_count, width);
  AlignedBuffer<Real> vector(static_cast<std::size_t>(width) + 16), weight(row_count + 11);
  const auto coefficients = scattered(width, 0.5), weights = scattered(row_count, 1.5);
  for (std::size_t c = 0; c < coefficients.size(); ++c) vector[c] = static_cast<Real>(coefficients[c]);
  for (std::size_t c = coefficients.size(); c < vector.size(); ++c) vector[c] = std::numeric_limits<Real>::quiet_NaN();
  for (std::size_t i = 0; i < weights.size(); ++i) weight[i] = static_cast<Real>(weights[i]);
  const std::vector<std::uint32_t> indices{20, 3, 3, 0, 19, 7, 20, 1, 2, 5, 8, 11, 14, 17, 20, 4, 6, 9};
  RowBatch picked, consecutive;
  picked.indices = indices.data();
  picked.count = static_cast<std::uint32_t>(indices.size());
  consecutive.first = 2;
  consecutive.count = row_count - 2;  // ends with the last row
  const double tolerance = (sizeof(Real) == 8 ? 1e-15 : 1e-6) * static_cast<double>(width + row_count);
  for (const Dataset& data : stored.all()) {
    const ColumnView& column = data.store().column("z");
    for (const RowBatch* batch : {&picked, &consecutive}) {
      Prefetcher prefetcher;
      TileRows tile;
      tile.batch = batch;
      tile.position = 1;
      tile.count = batch->count - 1;
      tile.lanes = (tile.count + 15) / 16 * 16;
      tile.prefetcher = &prefetcher;
      AlignedBuffer<Real> out(tile.lanes), sums(static_cast<std::size_t>(width) + 16);
      dot_rows(column, tile, vector.data(), out.data());
      for (auto& sum : sums) sum = Real(0.5);
      add_weighted_rows(column, tile, weight.data(), sums.data());
      std::vector<double> expected_sums(static_cast<std::size_t>(width), 0.5);
      for (std::uint32_t i = 0; i < tile.lanes; ++i) {
        const std::uint32_t at = std::min(i, tile.count - 1);  // lanes beyond the end repeat the last row
        const double* row = stored.values.data() + static_cast<std::int64_t>(tile.row(at)) * width;
        double expected = 0;
        for (std::int64_t c = 0; c < width; ++c) {
          expected += row[c] * coefficients[static_cast<std::size_t>(c)];
          if (i < tile.count) expected_sums[static_cast<std::size_t>(c)] += weights[i] * row[c];
        }
        ASSERT_NEAR(out[i], expected, tolerance) << "width " << width << ", lane " << i;
      }
      for (std::size_t c = 0; c < expected_sums.size(); ++c)
        ASSERT_NEAR(sums[c], expected_sums[c], tolerance) << "width " << width << ", element " << c;
    }
  }
}

TEST(RowAccess, EveryWidthInDouble_MatchesPlainLoops) {
  for (std::int64_t width = 1; width <= 70; ++width) check_width<double>(width);
}

TEST(RowAccess, EveryWidthInFloat_MatchesPlainLoops) {
  for (std::int64_t width = 1; width <= 70; ++width) check_width<float>(width);
  for (const std::int64_t width : {127, 128, 129, 130, 144, 145}) check_width<float>(width);
}

/// Value and gradients of a model that reads z in place, as lanes and in products, wherever the rows lie.
TEST(RowAccess, AnyStorageAndArithmetic_GivesTheSameModel) {
  for (const std::int64_t width : {1, 7, 8, 9, 33}) {
    const StoredRows stored(row_count, width);
    const auto z = row_real("z", Shape{width});
    const auto beta = parameter_leaf("beta", Shape{width}, 0);
    const auto matrix = parameter_leaf("matrix", Shape{70, width}, width);
    const auto f = row_sum(row_weight() * (tanh(dot(z, beta)) + sum(tanh(matmul(matrix, z))) + sum(square(z * beta))));
    auto outputs = differentiate(f, {beta, matrix});
    outputs.push_back(f);
    reference::RowTable table;
    table.rows = row_count;
    table.reals["z"] = stored.values;
    ParameterVectors<double> point;
    point.current = scattered(71 * width, 0.2);
    const auto expected = reference::evaluate_naively(outputs, table, point);
    std::vector<std::uint32_t> indices;
    for (std::uint32_t i = row_count; i-- > 0;) indices.push_back(i);
    for (const Dataset& data : stored.all()) {
      for (const auto precision : {Precision::float64, Precision::float32}) {
        for (const bool by_indices : {false, true}) {
          const auto program = std::make_shared<const Program>(compile_program(outputs, {}));
          ExecutorOptions options;
          options.precision = precision;
          const auto executor = make_executor(program, data, 71 * width, options);
          executor->set_point(Point::current, point.current);
          std::vector<double> flat(static_cast<std::size_t>(executor->output_size()));
          RowBatch batch;
          batch.count = row_count;
          batch.indices = by_indices ? indices.data() : nullptr;
          executor->run(batch, flat);
          std::vector<double> wanted;
          for (const auto& output : expected) wanted.insert(wanted.end(), output.begin(), output.end());
          EXPECT_LE(worst_difference({flat}, {wanted}), precision == Precision::float64 ? 1e-13 : 1e-5)
              << "width " << width;
        }
      }
    }
  }
}

TEST(RowAccess, BorrowedRowsWithAStride_AreReadInPlace) {
  const std::int64_t width = 5, stride = 9;
  ExactArray<double> memory(scattered((row_count - 1) * stride + width, 4.0));
  const auto data = Dataset::Builder().borrow_real("z", memory.span(), Shape{width}, stride).build();
  ASSERT_EQ(data.rows(), row_count);
  const auto beta = parameter_leaf("beta", Shape{width}, 0);
  const auto f = row_sum(dot(row_real("z", Shape{width}), beta));
  auto outputs = differentiate(f, {beta});
  const auto executor = make_executor(std::make_shared<const Program>(compile_program(outputs, {})), data, width);
  std::vector<double> sums(width);
  RowBatch batch;
  batch.count = row_count;
  executor->run(batch, sums);
  for (std::int64_t c = 0; c < width; ++c) {
    double expected = 0;
    for (std::uint32_t i = 0; i < row_count; ++i) expected += memory.span()[static_cast<std::size_t>(i * stride + c)];
    EXPECT_NEAR(sums[static_cast<std::size_t>(c)], expected, 1e-13);
  }
}

TEST(RowAccess, FloatStorageOfEveryCase_AgreesWithTheReference) {
  int tried = 0;
  for (const auto& gradient_case : reference::all_gradient_cases()) {
    for (const auto& form : gradient_case.forms) {
      SCOPED_TRACE(gradient_case.name + ", " + form.name);
      reference::Parameters parameters;
      const auto f = form.function(parameters, reference::Columns{});
      auto outputs = differentiate(f, reference::parameter_leaves(f));
      outputs.push_back(f);
      if (needs_two_passes(outputs)) continue;
      ++tried;
      auto table = table_of(33);
      for (auto& [name, values] : table.reals)
        for (double& value : values) value = static_cast<float>(value);
      BackendOptions options;
      options.storage = Precision::float32;
      EXPECT_LE(worst_difference(evaluate_planned(outputs, table, parameters.point(), options),
                                 reference::evaluate_naively(outputs, table, parameters.point())),
                1e-11);
    }
  }
  EXPECT_GT(tried, 100);
}

}  // namespace
}  // namespace sgmcmc::testing
