// NetCDF files are written atomically; the readers in tests/draws/readers test their contents.
#include "draws/netcdf.hpp"
#include "draws/folders.hpp"
#include "errors/message_of.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

using testing::message_of;
using testing::TestFolder;
using testing::text_of;

MemoryDraws two_draws() {
  MemoryDraws draws;
  draws.begin(std::vector<std::string>{"mu", "chain"}, 1, 2);
  draws.write(0, std::array{1.0, 2.0}, 1.0);
  draws.write(0, std::array{3.0, 4.0}, 1.0);
  return draws;
}

TEST(Netcdf, File_IsWholeAndAlone) {
  TestFolder folder;
  const MemoryDraws draws = two_draws();
  for (int again = 0; again < 2; ++again) write_netcdf(folder / "draws.nc", {&draws, nullptr, {}, {}});
  EXPECT_EQ(text_of(folder / "draws.nc").substr(0, 8), "\x89HDF\r\n\x1a\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "draws.nc.part"));
}

TEST(Netcdf, PlaceThatCannotBeWritten_IsNamed) {
  TestFolder folder;
  const MemoryDraws draws = two_draws();
  const auto path = (folder / "none" / "draws.nc").string();
  EXPECT_EQ(message_of<FileError>([&] {
              write_netcdf(path, {&draws, nullptr, {}, {}});
            }),
            "cannot create '" + path + "': No such file or directory; make the folder writable or name another");
}

TEST(Netcdf, NothingToWrite_IsRefused) {
  TestFolder folder;
  const MemoryDraws none;
  EXPECT_EQ(message_of<OptionError>([&] {
              write_netcdf("draws.nc", {&none, nullptr, {}, {}});
            }),
            "there are no draws to write to 'draws.nc'");
  const MemoryDraws draws = two_draws();
  EXPECT_EQ(message_of<OptionError>([&] {
              write_netcdf(folder / "draws.nc", {&draws, nullptr, {{"y", {3}, {1.0, 2.0}, false}}, {}});
            }),
            "observed array 'y' has 2 values for the shape [3]");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "half a file was left behind";
}

/// Two chains of three draws of a scalar, a matrix and a variable of which elements 2 and 5 were kept.
struct Example {
  MemoryDraws draws, sampler;
  Example() {
    draws.begin(std::vector<std::string>{"mu", "S[1,1]", "S[1,2]", "S[2,1]", "S[2,2]", "part[2]", "part[5]"}, 2, 3);
    sampler.begin(std::vector<std::string>{"lp__", "divergent__", "stepsize__"}, 2, 3);
    for (std::size_t chain = 0; chain < 2; ++chain)
      for (int draw = 0; draw < 3; ++draw) {
        std::vector<double> values;
        for (int k = 0; k < 7; ++k) values.push_back(100.0 * static_cast<double>(chain) + 10.0 * draw + k);
        const double weight = 1.0 / (1 + draw);
        draws.write(chain, values, weight);
        sampler.write(chain, std::array{-1.0 * draw, draw == 1 ? 1.0 : 0.0, 0.25}, weight);
      }
  }
};

TEST(Netcdf, WhatWasWritten_IsReadBackExactly) {
  TestFolder folder;
  const Example example;
  write_netcdf(folder / "draws.nc", {&example.draws, &example.sampler, {}, {{"model", "m"}, {"max_tree_depth", "7"}}});
  EXPECT_TRUE(is_netcdf(folder / "draws.nc"));
  const auto read = read_netcdf(folder / "draws.nc");
  EXPECT_EQ(read.draws.names(), example.draws.names());
  EXPECT_EQ(read.sampler.names(), (std::vector<std::string>{"lp__", "divergent__", "stepsize__", "weight__"}));
  for (std::size_t chain = 0; chain < 2; ++chain)
    for (std::size_t draw = 0; draw < 3; ++draw) {
      EXPECT_TRUE(std::ranges::equal(read.draws.draw(chain, draw), example.draws.draw(chain, draw)));
      EXPECT_TRUE(
          std::ranges::equal(read.sampler.draw(chain, draw).first(3), example.sampler.draw(chain, draw).first(3)));
      EXPECT_EQ(read.draws.weights(chain)[draw], example.draws.weights(chain)[draw]);
    }
  using Setting = std::pair<std::string, std::string>;
  EXPECT_EQ(read.settings, (std::vector<Setting>{{"model", "m"}, {"sgmcmc.max_tree_depth", "7"}}));
}

TEST(Netcdf, CompressedFile_IsReadBackExactlyAndSmaller) {
  TestFolder folder;
  MemoryDraws draws;
  std::vector<std::string> names = {"mu"};
  for (int k = 1; k <= 300; ++k) names.push_back("beta[" + std::to_string(k) + "]");
  draws.begin(names, 2, 500);  // more than one chunk of each chain
  for (std::size_t chain = 0; chain < 2; ++chain)
    for (int draw = 0; draw < 500; ++draw) {
      std::vector<double> values;
      for (std::size_t k = 0; k < names.size(); ++k)
        values.push_back(1.0 +
                         0.001 * static_cast<double>((k * 7919 + static_cast<std::size_t>(draw) * 104729) % 1000));
      draws.write(chain, values, 1.0);
    }
  NetcdfContents contents{&draws, nullptr, {{"y", {3}, {1.0, 2.0, 3.0}, true}, {"n", {}, {3.0}, true}}, {}};
  write_netcdf(folder / "plain.nc", contents);
  contents.compressed = true;
  write_netcdf(folder / "small.nc", contents);
  const auto read = read_netcdf(folder / "small.nc");
  ASSERT_EQ(read.draws.names(), names);
  for (std::size_t chain = 0; chain < 2; ++chain)
    for (std::size_t draw = 0; draw < 500; ++draw)
      ASSERT_TRUE(std::ranges::equal(read.draws.draw(chain, draw), draws.draw(chain, draw)));
  EXPECT_LT(2 * std::filesystem::file_size(folder / "small.nc"), std::filesystem::file_size(folder / "plain.nc"));
}

TEST(Netcdf, FolderWithoutChains_IsReadFromItsNetcdfFile) {
  TestFolder folder;
  const Example example;
  write_netcdf(folder / "draws.nc", {&example.draws, &example.sampler, {}, {}});
  EXPECT_EQ(read_draws({folder.path()}).draws.draws(1), 3u);
  EXPECT_EQ(read_draws({folder / "draws.nc"}).draws.names(), example.draws.names());
  const auto csv = folder.write("chain-1.csv", "lp__,x\n1,2\n");
  EXPECT_EQ(read_draws({folder.path()}).draws.names(), std::vector<std::string>{"x"});
  EXPECT_EQ(message_of<FileError>([&] {
              read_draws({csv, folder / "draws.nc"});
            }),
            "'" + (folder / "draws.nc").string() + "' holds all chains of a run; give it alone, without other files");
}

TEST(Netcdf, FilesThatHoldNoDraws_AreRefused) {
  TestFolder folder;
  const auto broken = folder.write("broken.nc", "\x89HDF and nothing more");
  EXPECT_TRUE(
      message_of<FileError>([&] { read_draws({broken}); }).starts_with("cannot read '" + broken.string() + "'"));
  EXPECT_FALSE(is_netcdf(folder / "none.nc"));
}

TEST(Netcdf, LogLikelihoods_AreAskedForDrawByDraw) {
  TestFolder folder;
  const Example example;
  NetcdfContents contents{&example.draws, &example.sampler, {}, {}};
  std::vector<std::pair<std::size_t, std::size_t>> asked;
  contents.log_likelihood = {"y", 4, [&](std::size_t chain, std::size_t draw, std::span<double> values) {
                               asked.emplace_back(chain, draw);
                               ASSERT_EQ(values.size(), 4u);
                               std::fill(values.begin(), values.end(), -1.0);
                             }};
  write_netcdf(folder / "draws.nc", contents);
  EXPECT_EQ(asked.size(), 6u);
  EXPECT_EQ(asked.back(), (std::pair<std::size_t, std::size_t>{1, 2}));
  EXPECT_EQ(read_netcdf(folder / "draws.nc").draws.names(), example.draws.names())
      << "they are in a group of their own";
}

}  // namespace
}  // namespace sgmcmc
