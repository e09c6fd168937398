// NetCDF files are made whole or not at all; what they hold is tested with the readers of tests/draws/readers.
#include "draws/netcdf.hpp"
#include "draws/folders.hpp"
#include "errors/message_of.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sgmcmc
