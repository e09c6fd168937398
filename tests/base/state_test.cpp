// Serialised state, atomic replacement of files, and folders of checkpoints.
#include "base/atomic_file.hpp"
#include "base/checkpoint.hpp"
#include "base/state_bytes.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

namespace sgmcmc {
namespace {

struct Things {
  double number = 0;
  std::uint64_t count = 0;
  std::vector<double> many, none;

  void visit_state(StateVisitor& visitor) {
    visitor.visit("number", number);
    visitor.visit("count", count);
    visitor.visit("many", many);
    visitor.visit("none", none);
  }
};

TEST(StateBytes, PackedNumbersOfOtherTypes_AreTheSameBits) {
  for (std::size_t size = 0; size < 10; ++size) {
    std::vector<std::uint16_t> small(size), others{1, 2, 3};
    std::vector<std::uint32_t> wide(size), more;
    for (std::size_t i = 0; i < size; ++i) {
      small[i] = static_cast<std::uint16_t>(0xffff - i);  // as a double, a NaN, whose bits must not change
      wide[i] = static_cast<std::uint32_t>(0x7ff00001 + i);
    }
    StateWriter writer;
    visit_packed(writer, "small", small);
    visit_packed(writer, "wide", wide);
    const std::string bytes = writer.take();
    StateReader reader(bytes);
    visit_packed(reader, "small", others);
    visit_packed(reader, "wide", more);
    reader.finish();
    EXPECT_EQ(others, small);
    EXPECT_EQ(more, wide);
  }
}

TEST(StateBytes, NumbersOfAnotherLength_AreRefused) {
  std::vector<double> three = {1, 2, 3}, two(2), same(3);
  StateWriter writer;
  writer.visit_numbers("numbers", three);
  const std::string bytes = writer.take();
  EXPECT_THROW(StateReader(bytes).visit_numbers("numbers", two), FileError);
  StateReader(bytes).visit_numbers("numbers", same);
  EXPECT_EQ(same, three);
}

TEST(StateBytes, WrittenAndRead_AreTheSameBits) {
  Things things{-0.0, ~std::uint64_t{0}, {1e-320, std::numeric_limits<double>::infinity(), 0.1}, {}};
  StateWriter writer;
  things.visit_state(writer);
  const std::string bytes = writer.take();
  Things others{1, 2, {}, {3, 4}};
  StateReader reader(bytes);
  others.visit_state(reader);
  reader.finish();
  EXPECT_TRUE(std::signbit(others.number));
  EXPECT_EQ(others.count, things.count);
  EXPECT_EQ(others.many, things.many);
  EXPECT_TRUE(others.none.empty());

  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    StateReader shorter(std::string_view(bytes).substr(0, cut));
    EXPECT_THROW(others.visit_state(shorter), FileError) << cut;
  }
}

TEST(StateBytes, OtherNameOrKind_IsRefused) {
  double number = 1;
  std::uint64_t count = 1;
  StateWriter writer;
  writer.visit("a", number);
  const std::string bytes = writer.take();
  EXPECT_THROW(StateReader(bytes).visit("b", number), FileError);
  EXPECT_THROW(StateReader(bytes).visit("a", count), FileError);
  StateReader unread(bytes);
  EXPECT_THROW(unread.finish(), FileError);
}

TEST(ReplaceFile, OldOrNew_NothingBetween) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "sgmcmc-replace-file";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto text = [&] {
    std::ifstream file(folder / "a", std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(file)), {});
  };
  replace_file(folder / "a", "first");
  EXPECT_EQ(text(), "first");
  replace_file(folder / "a", std::string(100'000, 'x'));
  EXPECT_EQ(text(), std::string(100'000, 'x'));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.partial"));
  EXPECT_THROW(replace_file(folder / "no" / "b", "x"), FileError);
  std::filesystem::create_directories(folder / "taken");
  EXPECT_THROW(replace_file(folder / "taken", "x"), FileError);
  EXPECT_FALSE(std::filesystem::exists(folder / "taken.partial"));
  std::filesystem::remove_all(folder);
}

/// A separate folder, removed at the end.
struct SavedRun {
  SavedRun() { std::filesystem::create_directories(options.folder); }
  ~SavedRun() { std::filesystem::remove_all(options.folder); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(options.folder / name, std::ios::binary) << text;
  }
  CheckpointOptions options = {std::filesystem::temp_directory_path() / ("saved_run_" + std::to_string(::getpid())), 60,
                               true, "a run"};
};

TEST(CheckpointFolder, Clear_RemovesChainsAfterAGapAndNothingElse) {
  const SavedRun run;
  for (const char* name : {"setup.checkpoint", "chain-2.checkpoint", "chain-13.checkpoint"}) run.write(name, "old");
  for (const char* name : {"chain-1.csv", "chain-x.checkpoint", "chain-.checkpoint", "my.checkpoint"})
    run.write(name, "kept");
  CheckpointFolder(run.options).clear();
  std::size_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(run.options.folder)) {
    EXPECT_EQ(std::filesystem::file_size(entry), 4) << entry.path();
    ++left;
  }
  EXPECT_EQ(left, 4);
}

TEST(CheckpointFolder, FileOfAnotherVersion_IsSaidToBeOne) {
  const SavedRun run;
  run.write("chain-1.checkpoint", "sgmcmc checkpoint 1\n and whatever");
  try {
    CheckpointFolder(run.options).read_chain(0);
    FAIL();
  } catch (const SavedStateError& error) {
    EXPECT_EQ(std::string(error.what()),
              "'" + (run.options.folder / "chain-1.checkpoint").string() +
                  "' was written by another version of the program; resume the run with that");
  }
}

}  // namespace
}  // namespace sgmcmc
