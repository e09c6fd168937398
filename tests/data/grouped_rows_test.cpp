// Tests of row files that keep the rows of a group together: every row once, groups in one piece and in random order,
// the same bytes after interruptions and whatever the memory for the table of groups.
#include "data/row_files/file_sources.hpp"
#include "data/row_files/group_places.hpp"
#include "data/row_files/row_file.hpp"
#include "data/written_files.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

using testing::WrittenFiles;
using Variables = std::map<std::string, DataVariable>;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Row i has x = i + 0.5, group g and the row number i.
class GroupedData {
 public:
  explicit GroupedData(std::vector<std::int32_t> groups) : groups_(std::move(groups)) {
    std::string csv = "x,g,i\n";
    for (std::size_t i = 0; i < groups_.size(); ++i)
      csv += std::to_string(i) + ".5," + std::to_string(groups_[i]) + "," + std::to_string(i) + "\n";
    csv_ = files_.write("rows.csv", csv);
    json_ = files_.write("sizes.json", R"({"J": 3, "pairs": )" + pairs() + "}");
  }

  std::string path() const { return files_.path_of("rows.sgr"); }
  const std::vector<std::int32_t>& groups() const { return groups_; }

  PackedRows pack(PackOptions options = {}) const {
    options.path = path();
    if (options.block_rows == 0) options.block_rows = 100;
    if (options.group_by.empty()) options.group_by = "g";
    const std::vector<std::string> arguments = {csv_, json_};
    const auto outline = outline_data(arguments, wanted_, options.pool, options.interrupt);
    return pack_rows(arguments, wanted_, outline, {"x", "g", "i", "pairs"}, options);
  }

  /// The row numbers in the order of the file. Fails if a row is not whole, or missing, or a group is not in one piece.
  std::vector<std::int64_t> order() const {
    const Variables data = read_row_file(path(), nullptr);
    const DataArray &x = data.at("x").array, &g = data.at("g").array, &i = data.at("i").array;
    EXPECT_EQ(g.order(), RowOrder::groups);
    EXPECT_EQ(x.order(), RowOrder::by_group);
    std::vector<std::int64_t> order;
    std::set<std::int64_t> rows, ended;
    for (std::int64_t k = 0; k < i.size(); ++k) {
      const auto row = static_cast<std::int64_t>(i[k]);
      EXPECT_EQ(x[k], static_cast<double>(row) + 0.5);
      EXPECT_EQ(g[k], groups_.at(static_cast<std::size_t>(row)));
      if (k > 0 && g[k] != g[k - 1]) ended.insert(static_cast<std::int64_t>(g[k - 1]));
      EXPECT_FALSE(ended.contains(static_cast<std::int64_t>(g[k]))) << "group " << g[k] << " is in two pieces";
      rows.insert(row);
      order.push_back(row);
    }
    EXPECT_EQ(rows.size(), groups_.size());
    return order;
  }

 private:
  std::string pairs() const {
    std::string text = "[";
    for (std::size_t i = 0; i < groups_.size(); ++i) text += (i > 0 ? ",[1,2]" : "[1,2]");
    return text + "]";
  }

  std::vector<std::int32_t> groups_;
  WrittenFiles files_;
  std::string csv_, json_;
  std::vector<WantedVariable> wanted_ = {{"x", WantedKind::real},
                                         {"g", WantedKind::integer},
                                         {"i", WantedKind::integer},
                                         {"pairs", WantedKind::integer},
                                         {"J", WantedKind::integer}};
};

/// Group of row i: sizes from 1 to about 40, in no order, with labels that are negative and far apart.
std::vector<std::int32_t> uneven_groups(std::size_t rows) {
  std::vector<std::int32_t> groups;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t mixed = i * 2654435761U % 1009;
    groups.push_back(static_cast<std::int32_t>(mixed * mixed / 20000 * 1'000'003) - 7'000'000);
  }
  return groups;
}

TEST(GroupedRows, AnyLabels_AreWholeAndTogether) {
  const GroupedData data(uneven_groups(1234));
  const PackedRows packed = data.pack();
  EXPECT_EQ(packed.layout.group_by, "g");
  EXPECT_EQ(packed.layout.columns.size(), 4u);
  EXPECT_EQ(content_of(data.path()).substr(0, 13), "sgmcmc rows 3");
  data.order();
}

TEST(GroupedRows, GroupsAndTheirRows_AreInRandomOrder) {
  std::vector<std::int32_t> groups;
  for (int i = 0; i < 3000; ++i) groups.push_back(i / 10);  // 300 groups of 10 rows, in order
  const GroupedData data(groups);
  data.pack();
  const auto order = data.order();
  double distance = 0, first = 0, descents = 0;
  for (std::size_t k = 10; k < 3000; k += 10)
    distance += std::abs(static_cast<double>(order[k] / 10 - order[k - 10] / 10)) / 299;
  EXPECT_NEAR(distance, 100, 20);  // mean distance of two random groups; five standard deviations are 20
  for (std::size_t k = 0; k < 3000; k += 10) first += static_cast<double>(order[k] % 10) / 300;
  EXPECT_NEAR(first, 4.5, 0.83);  // five standard deviations
  for (std::size_t k = 1; k < 3000; ++k) descents += k % 10 != 0 && order[k] < order[k - 1] ? 1 : 0;
  EXPECT_NEAR(descents, 1350, 85);  // of 300 permutations of 10: mean 4.5, variance 11 / 12 each
}

TEST(GroupedRows, OneHugeGroup_AndGroupsOfOneRow_ArePacked) {
  std::vector<std::int32_t> groups(2000, 5);
  for (int i = 0; i < 300; ++i) groups[static_cast<std::size_t>(i) * 6] = std::numeric_limits<std::int32_t>::min() + i;
  groups[1] = std::numeric_limits<std::int32_t>::max();
  const GroupedData skewed(groups);
  skewed.pack();  // 20 blocks: most of them with rows of one group only
  skewed.order();
  GroupedData all(std::vector<std::int32_t>(500, -1));
  all.pack();
  const auto order = all.order();
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::vector<std::int32_t> alone(500);
  for (int i = 0; i < 500; ++i) alone[static_cast<std::size_t>(i)] = 3 * i;
  GroupedData each(alone);
  each.pack();
  each.order();
}

TEST(GroupedRows, Places_DoNotDependOnHowManyGroupsAreCountedAtATime) {
  const WrittenFiles files;
  const auto groups = uneven_groups(5000);
  const std::string labels = files.write(
      "labels", std::string(reinterpret_cast<const char*>(groups.data()), sizeof groups[0] * groups.size()));
  const auto places_with = [&](std::size_t at_once) {
    const std::string path = files.write("places", std::string(sizeof groups[0] * groups.size(), '\0'));
    const int from = ::open(labels.c_str(), O_RDONLY), to = ::open(path.c_str(), O_RDWR);
    find_places_by_group({from, labels}, groups.size(), 1, {to, path}, at_once);
    ::close(from);
    ::close(to);
    return content_of(path);
  };
  const std::string expected = places_with(1000);
  for (const std::size_t at_once : {2U, 5U, 17U, 51U, 52U}) EXPECT_EQ(places_with(at_once), expected) << at_once;
  std::vector<std::uint32_t> places(groups.size());
  std::memcpy(places.data(), expected.data(), expected.size());
  std::sort(places.begin(), places.end());
  for (std::uint32_t k = 0; k < places.size(); ++k) ASSERT_EQ(places[k], k);
}

TEST(GroupedRows, StoppedAtAnyPoint_EndsWithTheSameBytes) {
  const GroupedData data(uneven_groups(900));
  data.pack();
  const std::string expected = content_of(data.path());
  std::filesystem::remove(data.path());
  std::atomic<bool> interrupt{false};
  int stops = 0;
  for (bool done = false; !done && stops < 200;) {
    PackOptions options;
    options.save_every = 1;
    options.interrupt = &interrupt;
    interrupt = false;
    int left = 1 + stops % 3;
    options.progress = [&](double) { interrupt = --left <= 0; };
    try {
      data.pack(options);
      done = true;
    } catch (const InterruptedError&) {
      ++stops;
    }
  }
  EXPECT_GT(stops, 3);
  EXPECT_EQ(content_of(data.path()), expected);
  for (const char* ending : {".state", ".scattered", ".partial", ".groups", ".places"})
    EXPECT_FALSE(std::filesystem::exists(data.path() + ending)) << ending;
}

TEST(GroupedRows, StoppedWhilePlacesAreFound_GoesOnThere) {
  const GroupedData data(uneven_groups(900));
  data.pack();
  const std::string expected = content_of(data.path());
  std::filesystem::remove(data.path());
  const auto finds_places = [&] { return std::filesystem::exists(data.path() + ".places"); };
  const auto reads_groups = [&] { return std::filesystem::exists(data.path() + ".groups"); };
  std::atomic<bool> interrupt{false};
  std::vector<double> shares;
  PackOptions options;
  options.interrupt = &interrupt;
  options.progress = [&](double share) {
    shares.push_back(share);
    interrupt = reads_groups() && share > 0 && shares.size() > 1 && finds_places();
  };
  EXPECT_THROW(data.pack(options), InterruptedError);
  EXPECT_TRUE(reads_groups()) << "stopped after the places were found";
  interrupt = false;
  options.progress = [&](double share) { shares.push_back(share); };
  EXPECT_TRUE(data.pack(options).continued);
  EXPECT_EQ(content_of(data.path()), expected);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1.0);
}

TEST(GroupedRows, FindingPlaces_TellsHowFarItIsAndCanBeStoppedInEveryPass) {
  const WrittenFiles files;
  const auto groups = uneven_groups(5000);
  const std::string bytes(reinterpret_cast<const char*>(groups.data()), sizeof groups[0] * groups.size());
  const std::string labels = files.write("labels", bytes), path = files.write("places", bytes);
  const int from = ::open(labels.c_str(), O_RDONLY), to = ::open(path.c_str(), O_RDWR);
  std::vector<double> shares;
  const auto find = [&](const PlaceWatch& watch) {
    find_places_by_group({from, labels}, groups.size(), 1, {to, path}, 10, watch);
  };
  find({nullptr, [&](double share) { shares.push_back(share); }});
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1.0);
  const std::string expected = content_of(path);
  const std::size_t passes = shares.size();
  EXPECT_GT(passes, 10u);
  for (std::size_t stop = 1; stop <= passes; ++stop) {
    std::atomic<bool> interrupt{false};
    std::size_t told = 0;
    EXPECT_THROW(find({&interrupt, [&](double) { interrupt = ++told == stop; }}), InterruptedError);
    EXPECT_EQ(told, stop);
  }
  find({});
  EXPECT_EQ(content_of(path), expected);
  ::close(from);
  ::close(to);
}

TEST(GroupedRows, WorkLostSinceTheLastState_IsDoneAgain) {
  const GroupedData data(uneven_groups(900));
  data.pack();
  const std::string expected = content_of(data.path());
  std::filesystem::remove(data.path());
  struct Killed {};
  PackOptions options;
  for (const std::uint64_t save_every : {1U, 4000U, 1U << 30U})
    for (int steps = 1; steps <= 6; ++steps) {
      options.save_every = save_every;
      int left = steps;
      options.progress = [&](double) {
        if (--left == 0) throw Killed();  // nothing is flushed or saved, as if the process had been killed
      };
      try {
        data.pack(options);
        std::filesystem::remove(data.path());
      } catch (const Killed&) {
      }
    }
  options.progress = nullptr;
  options.overwrite = std::filesystem::exists(data.path());
  data.pack(options);
  EXPECT_EQ(content_of(data.path()), expected);
}

TEST(GroupedRows, FlippedBit_IsFound) {
  const GroupedData data(uneven_groups(150));
  data.pack();
  const std::string whole = content_of(data.path());
  const WrittenFiles files;
  for (std::size_t at = 0; at < whole.size(); at += at < 300 ? 1 : 211) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    const std::string path = files.write("flipped.sgr", bytes);
    EXPECT_THROW(read_row_file(path, nullptr), DataError) << "byte " << at;
  }
}

TEST(GroupedRows, OtherVariables_AreRefusedWithTheReason) {
  const GroupedData data(uneven_groups(50));
  const auto refusal = [&](const std::string& name) {
    PackOptions options;
    options.group_by = name;
    try {
      data.pack(options);
      return std::string("(packed)");
    } catch (const DataError& error) {
      return std::string(error.what());
    }
  };
  const std::string use = "; rows are grouped by an integer variable with one number for each row";
  EXPECT_EQ(refusal("x"), "'x' is real" + use);
  EXPECT_EQ(refusal("J"), "'J' is not over the rows" + use);
  EXPECT_EQ(refusal("h"), "the data have no 'h'" + use);
  EXPECT_EQ(refusal("pairs"), "'pairs' has 2 numbers for each row" + use);
}

}  // namespace
}  // namespace sgmcmc
