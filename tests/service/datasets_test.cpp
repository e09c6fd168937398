// Named data sets: folders, all kinds of failing downloads, checksums, and the numbers in their files.
#include "base/sha256.hpp"
#include "service/datasets/contents.hpp"
#include "service/datasets/data_folder.hpp"
#include "service/datasets/data_set_files.hpp"
#include "service/datasets/download.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include <unistd.h>

namespace sgmcmc {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string words_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class DataSets : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("datasets-" + std::to_string(::getpid()) +
                                                ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    set_ = {"small", "a small one", {{"small.txt", {"small.txt"}, {"address one", "address two"}, 5, sha256("right")}}};
    ::unsetenv("SGMCMC_DATA");
    ::unsetenv("SGMCMC_DATA_URL");
  }
  void TearDown() override { fs::remove_all(folder_); }

  DataFolder cache() const { return {folder_, false}; }
  std::size_t files() const {
    std::size_t count = 0;
    if (fs::exists(folder_))
      for (const auto& entry : fs::recursive_directory_iterator(folder_)) count += entry.is_regular_file();
    return count;
  }

  fs::path folder_;
  NamedDataSet set_;
};

TEST_F(DataSets, MissingFile_IsDownloadedOnce) {
  int downloads = 0;
  for (int time = 0; time < 2; ++time)
    fetch(set_, cache(), [&](const std::string& address, const fs::path& target) {
      EXPECT_EQ(address, "address one");
      write(target, "right");
      ++downloads;
    });
  EXPECT_EQ(downloads, 1);
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(checked_content(set_, set_.files[0], cache()), "right");
}

TEST_F(DataSets, FirstAddressFails_TheNextIsTried) {
  fetch(set_, cache(), [](const std::string& address, const fs::path& target) {
    if (address == "address one") throw FileError("no such host");
    write(target, "right");
  });
  EXPECT_EQ(checked_content(set_, set_.files[0], cache()), "right");
}

TEST_F(DataSets, WrongContent_IsRefusedAndNotKept) {
  for (const std::string content : {"wrong", "righ", "right and more", ""}) {
    const std::string words = words_of(
        [&] { fetch(set_, cache(), [&](const std::string&, const fs::path& target) { write(target, content); }); });
    EXPECT_TRUE(has(words, "cannot download small.txt of small")) << words;
    EXPECT_TRUE(has(words, "address two")) << words;
    EXPECT_TRUE(has(words, "SGMCMC_DATA")) << words;
    EXPECT_EQ(files(), 0u) << content;
  }
}

TEST_F(DataSets, Interrupt_EndsTheDownloadAndLeavesNothing) {
  EXPECT_THROW(fetch(set_, cache(),
                     [](const std::string&, const fs::path& target) {
                       write(target, "ri");
                       throw InterruptedError();
                     }),
               InterruptedError);
  EXPECT_EQ(files(), 0u);
}

TEST_F(DataSets, DamagedFileInTheCache_IsTold) {
  write(folder_ / "small" / "small.txt", "wrong");
  EXPECT_TRUE(missing_files(set_, cache()).empty());
  const std::string words = words_of([&] { checked_content(set_, set_.files[0], cache()); });
  EXPECT_TRUE(has(words, "SHA-256")) << words;
  EXPECT_TRUE(has(words, "remove it")) << words;
}

TEST_F(DataSets, TruncatedGzip_IsTold) {
  write(folder_ / "small" / "small.txt", std::string_view("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10));
  const std::string words = words_of([&] { checked_content(set_, set_.files[0], cache()); });
  EXPECT_TRUE(has(words, "small.txt")) << words;
}

TEST_F(DataSets, FolderOfTheUser_IsNeverWrittenTo) {
  const DataFolder given{folder_, true};
  const std::string words =
      words_of([&] { fetch(set_, given, [](const std::string&, const fs::path&) { FAIL() << "downloaded"; }); });
  EXPECT_TRUE(has(words, "has no file small.txt")) << words;
  write(folder_ / "small.txt", "right");  // in the folder itself, not in a subfolder named after the set
  fetch(set_, given, [](const std::string&, const fs::path&) { FAIL() << "downloaded"; });
  EXPECT_EQ(checked_content(set_, set_.files[0], given), "right");
}

TEST_F(DataSets, Variables_NameFolderAndMirror) {
  ::setenv("SGMCMC_DATA_URL", "http://mirror/data", 1);
  EXPECT_EQ(missing_files(set_, cache()).at(0).addresses, std::vector<std::string>{"http://mirror/data/small.txt"});
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(data_folder("").path, "/cache/sgmcmc");
  EXPECT_FALSE(data_folder("").given);
  ::setenv("SGMCMC_DATA", "/named", 1);
  EXPECT_EQ(data_folder("").path, "/named");
  EXPECT_TRUE(data_folder("").given);
  EXPECT_EQ(data_folder("/option").path, "/option");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("SGMCMC_DATA");
  ::unsetenv("SGMCMC_DATA_URL");
}

TEST_F(DataSets, ClassesOfTheForestCoverFile_BecomeALabelInFront) {
  const std::string as_published = "10,20,5\n30,40,2\n", with_label = "0,10,20\n1,30,40\n";
  NamedDataSet set{
      "covertype",
      "",
      {{"covtype.data", {"covtype.data", "covtype.binary.csv"}, {""}, 16, sha256(with_label), DataForm::forest_cover}}};
  write(folder_ / "covtype.data", as_published);
  EXPECT_EQ(checked_content(set, set.files[0], cache()), with_label);
  fs::remove(folder_ / "covtype.data");
  write(folder_ / "covtype.binary.csv", with_label);
  EXPECT_EQ(checked_content(set, set.files[0], cache()), with_label);
  write(folder_ / "covtype.binary.csv", as_published);
  EXPECT_THROW(checked_content(set, set.files[0], cache()), FileError);
}

TEST_F(DataSets, ForestCover_IsScaledByColumn) {
  std::string content;
  for (const int low : {0, 4, 1}) {
    content += std::to_string(low == 4);
    for (int column = 1; column < 55; ++column) content += "," + std::to_string(column == 54 ? 7 : low * column);
    content += "\n";
  }
  std::vector<double> values(3 * forest_cover::columns);
  ASSERT_EQ(forest_cover::rows(content), 3u);
  forest_cover::read(content, values);
  EXPECT_EQ(values[1], 1.0);
  EXPECT_EQ(values[3 * 10 + 2], 0.25);
  EXPECT_EQ(values[3 * 54], 7.0);  // a constant column is not scaled
  const std::string text = forest_cover_csv(content);
  EXPECT_TRUE(text.starts_with("cover,elevation,aspect,"));
  EXPECT_TRUE(has(text, "\n0,0.25,0.25,"));
  EXPECT_THROW(forest_cover::read("1,2\n", std::span(values).first(55)), FileError);
}

TEST_F(DataSets, Digits_AreReadAndWritten) {
  const std::string images("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\xff\x33\x01", 20);
  const DigitBytes digits = digit_bytes(images);
  EXPECT_EQ(digits.rows, 2u);
  EXPECT_EQ(digits.columns, 2u);
  const std::string npy = digits_npy(images);
  EXPECT_TRUE(npy.starts_with("\x93NUMPY"));
  ASSERT_EQ(npy.size() % 64, 16u);
  float pixels[4];
  std::memcpy(pixels, npy.data() + npy.size() - 16, 16);
  EXPECT_EQ(pixels[1], 1.0f);
  EXPECT_FLOAT_EQ(pixels[2], 0.2f);
  EXPECT_TRUE(has(npy, "(2, 2)"));
  EXPECT_TRUE(has(digits_npy(std::string("\0\0\x08\x01\0\0\0\x01\x05", 9)), "(1,)"));
  EXPECT_THROW(digit_bytes(std::string_view(images).substr(0, 19)), FileError);
  EXPECT_THROW(digit_bytes("PK\3\4 a zip file"), FileError);
}

TEST_F(DataSets, UnknownName_SuggestsTheNearest) {
  const std::string words = words_of([] { data_set_named("covertyp"); });
  EXPECT_TRUE(has(words, "covertype")) << words;
}

TEST_F(DataSets, DownloadFromNowhere_SaysWhatFailed) {
  fs::create_directories(folder_);
  const std::string words = words_of([&] { download_file("http://127.0.0.1:9/nothing", folder_ / "x"); });
  EXPECT_FALSE(words.empty());
  std::atomic<bool> interrupt{true};
  EXPECT_THROW(download_file("http://127.0.0.1:9/nothing", folder_ / "x", &interrupt), InterruptedError);
}

}  // namespace
}  // namespace sgmcmc
