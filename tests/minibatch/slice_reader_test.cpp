// Tests of slices that a thread reads ahead: the bytes of the file whatever is asked for, and when it reads ahead.
#include "minibatch/slice_reader.hpp"
#include "allocations/allocation_count.hpp"
#include "data/lost_file.hpp"
#include "data/mapped_file.hpp"
#include "data/written_files.hpp"
#include "minibatch/minibatcher.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

constexpr std::uint32_t rows = 40'000, wide = 40, narrow = 3;  // bytes of a row of both columns

std::string some_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(i * 2654435761u >> 13);
  return bytes;
}

/// A file of two columns.
class TwoColumns {
 public:
  TwoColumns()
      : file_(std::make_shared<const MappedFile>(files_.write("rows", some_bytes(rows * (wide + narrow))))),
        pages(std::size_t{1} << 20) {
    pages.add(file_, file_->bytes().data(), wide);
    pages.add(file_, narrow_column(), narrow);
  }

  bool are_rows(const ReadRows& read, std::uint32_t first, std::uint32_t count) const {
    return read.pages == &pages &&
           std::memcmp(read.columns[0] + std::size_t{first} * wide, file_->bytes().data() + std::size_t{first} * wide,
                       std::size_t{count} * wide) == 0 &&
           std::memcmp(read.columns[1] + std::size_t{first} * narrow, narrow_column() + std::size_t{first} * narrow,
                       std::size_t{count} * narrow) == 0;
  }
  std::string path() const { return file_->path(); }

 private:
  const std::byte* narrow_column() const { return file_->bytes().data() + std::size_t{rows} * wide; }

  testing::WrittenFiles files_;
  std::shared_ptr<const MappedFile> file_;

 public:
  RowPages pages;
};

/// The right slice, or none.
void expect_slice(const TwoColumns& data, SliceReader& reader, const SliceStream& stream, std::uint64_t evaluation) {
  const ReadRows* found = reader.find(evaluation);
  const std::uint32_t first = stream.first_row(evaluation);
  if (!found) return;
  ASSERT_TRUE(stream.is_stretch(first)) << evaluation;
  ASSERT_TRUE(data.are_rows(*found, first, stream.count)) << evaluation;
}

TEST(SliceReader, ConsecutiveEvaluations_AreReadAhead) {
  TwoColumns data;
  for (const std::uint32_t count : {1u, 500u, 7'000u, 20'000u}) {  // 64 slices in a group, 24, 1, and 1 of two groups
    const SliceStream stream{rows, count, 7, 3};
    const auto reader = SliceReader::make(&data.pages, stream);
    ASSERT_NE(reader, nullptr);
    std::uint64_t stretches = 0;
    const std::uint64_t least = 2 * reader->slices_of_group(), evaluations = 300;
    for (std::uint64_t t = 0; t < evaluations; ++t) {
      expect_slice(data, *reader, stream, t);
      stretches += t >= least && stream.is_stretch(stream.first_row(t));
    }
    EXPECT_EQ(reader->found(), stretches) << count;
    EXPECT_GT(stretches, 100u) << count;
  }
  EXPECT_EQ(SliceReader::make(&data.pages, {rows, 30'000, 7, 3}), nullptr) << "larger than two groups";
  EXPECT_EQ(SliceReader::make(nullptr, {rows, 500, 7, 3}), nullptr);
  RowPages without_columns(std::size_t{1} << 20);
  EXPECT_EQ(SliceReader::make(&without_columns, {rows, 500, 7, 3}), nullptr);
}

TEST(SliceReader, OtherOrdersOfAsking_GiveTheRightSlices) {
  TwoColumns data;
  const SliceStream stream{rows, 500, 11, 0};
  const auto reader = SliceReader::make(&data.pages, stream);
  std::uint64_t t = 1000;
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t before = reader->found();
    // From inside a group, from its edges, and while the first group is being read.
    const std::uint64_t length = 23 + static_cast<std::uint64_t>(round);
    for (std::uint64_t k = 0; k < length; ++k, ++t) {
      expect_slice(data, *reader, stream, t);
      if (k % 3 == 0) expect_slice(data, *reader, stream, t);  // a second time
    }
    if (round > 30) {
      EXPECT_GT(reader->found(), before) << round;
    }
    t = round % 2 == 0 ? t - 10 : t + 10;
  }
}

TEST(SliceReader, EndAtAnyTime_JoinsTheThread) {
  TwoColumns data;
  for (std::uint64_t steps = 0; steps < 100; ++steps) {
    const SliceStream stream{rows, 500, steps, 0};
    const auto reader = SliceReader::make(&data.pages, stream);
    for (std::uint64_t t = 0; t < steps; ++t) expect_slice(data, *reader, stream, t);
  }
}

TEST(SliceReader, ThreadStarts_WithReadingAhead) {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  TwoColumns data;
  const auto before = threads();
  const auto reader = SliceReader::make(&data.pages, {rows, 500, 7, 3});
  std::uint64_t t = 0;
  for (; t < reader->slices_of_group(); ++t) reader->find(t);
  EXPECT_EQ(threads(), before);
  for (; t < 2 * reader->slices_of_group(); ++t) reader->find(t);
  EXPECT_EQ(threads(), before + 1);
}

TEST(SliceReader, Steps_AllocateNothing) {
  TwoColumns data;
  MinibatchOptions options;
  options.batch_size = 500;
  options.sampling = RowSampling::slices;
  Minibatcher batches(rows, options, 5, 2, &data.pages), in_memory(rows, options, 5, 2);
  const std::uint64_t begun = 2 * batches.reader()->slices_of_group();  // the thread has started
  for (std::uint64_t t = 0; t < begun; ++t) {
    batches.batch(t);
    in_memory.batch(t);
  }
  const std::uint64_t before = testing::allocation_count();
  for (std::uint64_t t = begun; t < begun + 300; ++t) {
    const RowBatch &batch = batches.batch(t), &expected = in_memory.batch(t);
    ASSERT_EQ(batch.first, expected.first);
    ASSERT_EQ(expected.read, nullptr);
    if (batch.read) {
      ASSERT_TRUE(data.are_rows(*batch.read, batch.first, batch.count));
    }
  }
  EXPECT_EQ(testing::allocation_count(), before);
  EXPECT_GT(batches.reader()->found(), 200u);
}

TEST(SliceReaderDeathTest, FileThatWasCut_EndsTheProgramAndNamesTheFile) {
  TwoColumns data;
  const auto read_until_lost = [&] {
    const auto reader = SliceReader::make(&data.pages, {rows, 500, 1, 0});
    for (std::uint64_t t = 0; t < 100; ++t) reader->find(t);
    if (reader->found() == 0) std::_Exit(2);
    end_when_a_file_is_lost();
    std::filesystem::resize_file(data.path(), 4096);
    for (std::uint64_t t = 100;; ++t) reader->find(t);
  };
  EXPECT_EXIT(read_until_lost(), ::testing::ExitedWithCode(1), "rows: the file was cut");
}

}  // namespace
}  // namespace sgmcmc
