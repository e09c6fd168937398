// CmdStan CSV files: written contents, reading back, and messages about damaged files.
#include "draws/stan_csv.hpp"

#include "base/state_bytes.hpp"
#include "draws/folders.hpp"
#include "errors/message_of.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace sgmcmc {
namespace {

using testing::message_of;
using testing::TestFolder;
using testing::text_of;
using Names = std::vector<std::string>;

/// The text after the comments at the head of the file.
std::string body_of(const std::filesystem::path& path) {
  std::string text = text_of(path);
  while (text.starts_with('#')) text.erase(0, text.find('\n') + 1);
  return text;
}

TEST(StanCsv, Draws_AreWrittenInTheColumnsOfCmdStan) {
  TestFolder folder;
  StanCsvSink sink(folder / "out" / "deep");
  const Names names = {"mu", "S[1,1]", "S[1,2]", "S[1,3]", "S[2,1]", "S[2,2]", "S[2,3]"};
  sink.begin(names, 2, 2);
  sink.write(0, std::array{0.1, 11.0, 12.0, 13.0, 21.0, 22.0, 23.0}, 0.5);
  sink.write(0, std::array{1e-300, 11.0, 12.0, 13.0, 21.0, 22.0, -0.0}, 0.25);
  sink.write(1, std::array{1.0 / 3.0, 1.0, 2.0, 3.0, 4.0, 5.0, 1e22}, 1.0);
  sink.finish();
  EXPECT_EQ(sink.path(0), folder / "out" / "deep" / "chain-1.csv");
  EXPECT_EQ(body_of(sink.path(0)),
            "lp__,stepsize__,weight__,mu,S.1.1,S.2.1,S.1.2,S.2.2,S.1.3,S.2.3\n"
            "0,0.5,0.5,0.1,11,21,12,22,13,23\n"
            "0,0.25,0.25,1e-300,11,21,12,22,13,-0\n");
  EXPECT_EQ(body_of(sink.path(1)),
            "lp__,stepsize__,weight__,mu,S.1.1,S.2.1,S.1.2,S.2.2,S.1.3,S.2.3\n"
            "0,1,1,0.3333333333333333,1,4,2,5,3,1e+22\n");
}

TEST(StanCsv, Header_SaysHowTheDrawsWereMade) {
  TestFolder folder;
  StanCsvHeader header{
      "logistic", "sgld-cv", 1000, 200, 10, 42, "covertype.csv", {{"batch_size", "500"}, {"note", "a\nb"}}};
  StanCsvSink sink(folder.path(), header);
  sink.begin(Names{"x"}, 1, 100);
  sink.finish(2.5);
  EXPECT_EQ(text_of(sink.path(0)),
            "# program = sgmcmc\n"
            "# stan_version_major = 2\n"
            "# stan_version_minor = 36\n"
            "# stan_version_patch = 0\n"
            "# model = logistic\n"
            "# method = sample\n"
            "#   sample\n"
            "#     num_samples = 0                   \n"  // the chain stopped before its first draw
            "#     num_warmup = 200\n"
            "#     save_warmup = 0\n"
            "#     thin = 10\n"
            "#     algorithm = fixed_param\n"
            "# id = 1\n"
            "# data\n"
            "#   file = covertype.csv\n"
            "# random\n"
            "#   seed = 42\n"
            "# output\n"
            "#   file = " +
                sink.path(0).string() +
                "\n"
                "# sgmcmc\n"
                "#   sgmcmc.method = sgld-cv\n"
                "#   sgmcmc.warmup = 200\n"
                "#   sgmcmc.batch_size = 500\n"
                "#   sgmcmc.note = a b\n"
                "#   sgmcmc.lp__ = not computed\n"
                "lp__,stepsize__,weight__,x\n"
                "# \n"
                "#  Elapsed Time: 2.5 seconds (Total)\n"
                "# \n");
}

TEST(StanCsv, RunWithoutWarmup_HasANumberOfItThatReadersAccept) {
  TestFolder folder;
  StanCsvSink sink(folder.path(), {"m", "sgld", 10, 0, 1, 1, "", {}});
  sink.begin(Names{"x"}, 1, 10);
  sink.write(0, std::array{1.0}, 1.0);
  sink.finish();
  const std::string text = text_of(sink.path(0));
  EXPECT_NE(text.find("\n#     num_warmup = 1\n#     save_warmup = 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n#   sgmcmc.warmup = 0\n"), std::string::npos) << text;
  EXPECT_EQ(read_stan_csv({sink.path(0)}).draws.draws(0), 1u);
}

TEST(StanCsv, SamplerColumnsThatAreGiven_ComeFirst) {
  TestFolder folder;
  StanCsvSink sink(folder.path());
  sink.begin(Names{"mu", "accept_stat__", "stepsize__", "lp__"}, 1, 1);
  sink.write(0, std::array{1.0, 0.9, 0.01, -3.5}, 2.0);
  sink.finish();
  EXPECT_EQ(body_of(sink.path(0)), "lp__,accept_stat__,stepsize__,weight__,mu\n-3.5,0.9,0.01,2,1\n");
}

TEST(StanCsv, WhatWasWritten_IsReadBackExactly) {
  TestFolder folder;
  const Names names = {"mu", "S[1,1]", "S[1,2]", "S[2,1]", "S[2,2]", "b[1]", "b[2]"};
  StanCsvSink sink(folder.path(), {"m", "sgld", 3, 0, 1, 1, "", {}});
  MemoryDraws memory;
  sink.begin(names, 2, 3);
  memory.begin(names, 2, 3);
  std::vector<double> values(7);
  double x = 0.1;
  for (std::size_t chain = 0; chain < 2; ++chain)
    for (std::size_t k = 0; k < 3 - chain; ++k) {  // the second chain stopped early
      for (double& value : values) value = x = 3.9 * x * (1.0 - x);
      values[0] = std::ldexp(values[0], static_cast<int>(500 * k) - 900);
      sink.write(chain, values, x);
      memory.write(chain, values, x);
    }
  sink.finish(1.0);
  const StanCsvDraws read = read_stan_csv(chain_files(folder.path()));
  EXPECT_EQ(read.draws.names(), names);
  EXPECT_EQ(read.sampler.names(), (Names{"stepsize__", "weight__"}));
  EXPECT_TRUE(read.warnings.empty());
  ASSERT_EQ(read.draws.chains(), 2u);
  for (std::size_t chain = 0; chain < 2; ++chain) {
    ASSERT_EQ(read.draws.draws(chain), 3 - chain);
    for (std::size_t k = 0; k < 3 - chain; ++k) {
      for (std::size_t p = 0; p < 7; ++p) EXPECT_EQ(read.draws(chain, k, p), memory(chain, k, p));
      EXPECT_EQ(read.draws.weights(chain)[k], memory.weights(chain)[k]);
      EXPECT_EQ(read.sampler(chain, k, 0), memory.weights(chain)[k]);
    }
  }
  EXPECT_EQ(read.settings[4], (std::pair<std::string, std::string>{"model", "m"}));
}

TEST(StanCsv, FlushedDraws_CanBeReadWhileTheRunGoesOn) {
  TestFolder folder;
  StanCsvSink sink(folder.path());
  sink.begin(Names{"x"}, 1, 100);
  sink.write(0, std::array{1.0}, 1.0);
  sink.flush(0);
  sink.write(0, std::array{2.0}, 1.0);
  EXPECT_EQ(read_stan_csv({sink.path(0)}).draws.draws(0), 1u);
  sink.flush(0);
  EXPECT_EQ(read_stan_csv({sink.path(0)}).draws.draws(0), 2u);
}

TEST(StanCsv, ChainsOfSeveralThreads_EachHaveTheirFile) {
  TestFolder folder;
  StanCsvSink sink(folder.path());
  sink.begin(Names{"x"}, 4, 5000);
  std::vector<std::thread> threads;
  for (std::size_t chain = 0; chain < 4; ++chain)
    threads.emplace_back([&, chain] {
      for (int k = 0; k < 5000; ++k) sink.write(chain, std::array{static_cast<double>(chain) + k * 1e-4}, 1.0);
    });
  for (auto& thread : threads) thread.join();
  sink.finish();
  const auto read = read_stan_csv(chain_files(folder.path()));
  ASSERT_EQ(read.draws.chains(), 4u);
  for (std::size_t chain = 0; chain < 4; ++chain) {
    ASSERT_EQ(read.draws.draws(chain), 5000u);
    EXPECT_EQ(read.draws(chain, 4999, 0), static_cast<double>(chain) + 4999 * 1e-4);
  }
}

TEST(StanCsv, ChainsOfAnEarlierRun_AreRemoved) {
  TestFolder folder;
  StanCsvSink first(folder.path());
  first.begin(Names{"x"}, 12, 1);
  first.finish();
  EXPECT_EQ(chain_files(folder.path()).size(), 12u);
  EXPECT_EQ(chain_files(folder.path())[9].filename(), "chain-10.csv") << "in the order of numbers";
  StanCsvSink second(folder.path());
  second.begin(Names{"x"}, 2, 1);
  second.finish();
  EXPECT_EQ(chain_files(folder.path()).size(), 2u);
}

TEST(StanCsv, FolderThatCannotBeMade_IsNamed) {
  TestFolder folder;
  folder.write("file", "in the way");
  StanCsvSink sink(folder / "file" / "out");
  const std::string message = message_of<FileError>([&] { sink.begin(Names{"x"}, 1, 1); });
  EXPECT_EQ(message,
            "cannot create the folder '" + (folder / "file" / "out").string() + "': Not a directory; name another");
  std::filesystem::create_directories(folder / "out" / "chain-1.csv");
  StanCsvSink other(folder / "out");
  EXPECT_EQ(message_of<FileError>([&] { other.begin(Names{"x"}, 1, 1); }),
            "cannot create '" + (folder / "out" / "chain-1.csv").string() +
                "': Is a directory; make the folder writable or name another");
}

TEST(StanCsv, FullDisk_IsSaidWithTheFile) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full on this system";
  TestFolder folder;
  std::filesystem::create_symlink("/dev/full", folder / "chain-1.csv");
  StanCsvSink sink(folder.path());
  EXPECT_EQ(message_of<FileError>([&] { sink.begin(Names{"x"}, 1, 7); }),
            "cannot write '" + (folder / "chain-1.csv").string() +
                "': No space left on device; it holds 0 of 7 draws; free some space or name a folder on another disk");
}

// A limit on the size of files simulates a disk that becomes full in the middle of a block.
TEST(StanCsv, DiskThatFillsUp_LeavesWholeLines) {
  TestFolder folder;
  StanCsvSink sink(folder.path());
  sink.begin(Names{"x"}, 1, 100'000);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100'001, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = message_of<FileError>([&] {
    for (int k = 0; k < 100'000; ++k) sink.write(0, std::array{k / 7.0}, 0.125);
  });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, ignored);
  const std::string body = body_of(sink.path(0));
  ASSERT_TRUE(body.ends_with('\n'));
  const auto draws = static_cast<std::size_t>(std::count(body.begin(), body.end(), '\n')) - 1;
  EXPECT_GT(draws, 2000u);
  EXPECT_EQ(message, "cannot write '" + sink.path(0).string() + "': File too large; it holds " + std::to_string(draws) +
                         " of 100000 draws");
  const auto read = read_stan_csv({sink.path(0)});
  EXPECT_TRUE(read.warnings.empty());
  EXPECT_EQ(read.draws(0, draws - 1, 0), static_cast<double>(draws - 1) / 7.0);
  EXPECT_THROW(sink.flush(0), FileError);
}

TEST(StanCsv, RunThatEndsEarly_CorrectsItsHeader) {
  TestFolder folder;
  {
    StanCsvSink sink(folder.path(), {"m", "sgld", 1000, 0, 2, 1, "", {}});
    sink.begin(Names{"x"}, 1, 500);
    for (int k = 0; k < 7; ++k) sink.write(0, std::array{1.0}, 1.0);
  }
  EXPECT_NE(text_of(folder / "chain-1.csv").find("#     num_samples = 14                  \n"), std::string::npos);
  EXPECT_EQ(read_stan_csv(chain_files(folder.path())).draws.draws(0), 7u);
}

/// Writes draws first, first + 1, ... of a run.
void write_draws(StanCsvSink& sink, int first, int last) {
  for (int k = first; k < last; ++k) sink.write(0, std::array{-k / 3.0, k / 7.0, 1e300 / (k + 1)}, 0.1 * (k + 1));
}

TEST(StanCsv, Resumed_GoesOnWhereItWasSaved) {
  TestFolder folder;
  const Names names = {"lp__", "x", "y"};
  const auto begun = [&](const std::string& name, std::size_t draws, bool resumes) {
    auto sink = std::make_unique<StanCsvSink>(folder / name);
    if (resumes) sink->resume();
    sink->begin(names, 1, draws);
    return sink;
  };
  const auto whole = begun("whole", 1000, false);
  write_draws(*whole, 0, 1000);
  whole->finish();

  std::string saved;
  {
    const auto sink = begun("parts", 50, false);  // fewer were asked for at first
    write_draws(*sink, 0, 30);
    StateWriter writer;
    sink->save_state(0, writer);
    saved = writer.take();
    write_draws(*sink, 30, 41);
    sink->finish(12.5);
  }
  const auto sink = begun("parts", 1000, true);
  StateReader reader(saved);
  sink->restore_state(0, reader);
  int shown = 0;
  sink->replay(0, [&](std::span<const double> values, double weight) {
    EXPECT_EQ(values[0], -shown / 3.0);
    EXPECT_EQ(values[1], shown / 7.0);
    EXPECT_EQ(values[2], 1e300 / (shown + 1));
    EXPECT_EQ(weight, 0.1 * (shown + 1));
    ++shown;
  });
  EXPECT_EQ(shown, 30);
  write_draws(*sink, 30, 1000);
  sink->finish();
  EXPECT_EQ(body_of(sink->path(0)), body_of(whole->path(0)));
  EXPECT_NE(text_of(sink->path(0)).find("num_samples = 1000 "), std::string::npos);

  const auto anew = begun("parts", 1000, true);  // not saved: from the start
  write_draws(*anew, 0, 1000);
  anew->finish();
  EXPECT_EQ(text_of(anew->path(0)), text_of(sink->path(0)));

  std::filesystem::resize_file(folder / "parts" / "chain-1.csv", 600);
  const auto cut = begun("parts", 1000, true);
  StateReader again(saved);
  EXPECT_THROW(cut->restore_state(0, again), FileError);
}

/// From draw `bad` of the second chain on, y and then lp__ are NaN, and are left out there.
void write_with_gap(StanCsvSink& sink, std::size_t chain, int first, int last, int bad) {
  for (int k = first; k < last; ++k) {
    const bool gap = chain == 1 && k >= bad, later = chain == 1 && k >= bad + 2;
    if (gap) sink.leave_out(std::array<std::size_t, 2>{2, 3});
    if (later) sink.leave_out(std::array<std::size_t, 1>{0});
    const double y = gap ? std::nan("") : k + 0.5;
    sink.write(chain, std::array{later ? std::nan("") : -1.0 - k, k / 7.0, 2 * y, y, 100.0 + k}, 0.125);
  }
}

const Names with_gap = {"lp__", "x", "y[1]", "y[2]", "z"};

TEST(StanCsv, ColumnThatIsLeftOut_IsInNoFileAndTheOthersStay) {
  TestFolder folder;
  StanCsvSink sink(folder.path());
  sink.begin(with_gap, 2, 4);
  write_with_gap(sink, 0, 0, 4, 2);
  write_with_gap(sink, 1, 0, 4, 2);
  sink.finish();
  const std::string expected =
      "lp__,stepsize__,weight__,x,z\n-1,0.125,0.125,0,100\n-2,0.125,0.125,0.14285714285714285,101\n"
      "-3,0.125,0.125,0.2857142857142857,102\n-4,0.125,0.125,0.42857142857142855,103\n";
  EXPECT_EQ(body_of(sink.path(0)), expected);
  EXPECT_EQ(body_of(sink.path(1)), expected);
  EXPECT_TRUE(text_of(sink.path(1)).starts_with("# program = sgmcmc\n"));
  EXPECT_EQ(chain_files(folder.path()).size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(folder / "chain-2.csv.partial"));
}

TEST(StanCsv, LogDensityThatIsLeftOut_IsZeroAndSaidToBeNone) {
  TestFolder folder;
  StanCsvSink sink(folder.path());
  sink.begin(Names{"lp__", "x"}, 2, 2);
  for (const std::size_t chain : {0, 1}) sink.write(chain, std::array{-1.5, 2.0}, 0.5);
  EXPECT_EQ(read_stan_csv({sink.path(0)}).sampler.names().front(), "lp__");
  sink.leave_out(std::array<std::size_t, 1>{0});
  sink.write(1, std::array{std::nan(""), 3.0}, 0.5);
  sink.finish();
  EXPECT_EQ(body_of(sink.path(0)), "lp__,stepsize__,weight__,x\n0,0.5,0.5,2\n");
  EXPECT_EQ(body_of(sink.path(1)), "lp__,stepsize__,weight__,x\n0,0.5,0.5,2\n0,0.5,0.5,3\n");
  EXPECT_EQ(read_stan_csv(chain_files(folder.path())).sampler.names(), (Names{"stepsize__", "weight__"}));
}

TEST(StanCsv, NumberThatIsNotFinite_IsRefused) {
  TestFolder folder;
  StanCsvSink sink(folder.path());
  sink.begin(Names{"x", "y"}, 1, 2);
  sink.write(0, std::array{1.0, 2.0}, 1.0);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_EQ(message_of<FileError>([&] {
                sink.write(0, std::array{1.0, bad}, 1.0);
              }),
              "'" + sink.path(0).string() + "': draw 2 has no number for y; leave that column out");
  sink.finish();
  EXPECT_EQ(body_of(sink.path(0)), "lp__,stepsize__,weight__,x,y\n0,1,1,1,2\n");
}

// Saved before, or after, a column was left out; killed after that.
TEST(StanCsv, ResumedAfterAColumnWasLeftOut_IsTheWholeRun) {
  TestFolder folder;
  const auto begun = [&](const std::string& name, bool resumes) {
    auto sink = std::make_unique<StanCsvSink>(folder / name);
    if (resumes) sink->resume();
    sink->begin(with_gap, 2, 40);
    return sink;
  };
  const auto whole = begun("whole", false);
  for (const std::size_t chain : {0, 1}) write_with_gap(*whole, chain, 0, 40, 20);
  whole->finish();
  for (const int saved_at : {10, 21, 25}) {
    std::vector<std::string> saved;
    {
      const auto sink = begun("parts", false);
      for (const std::size_t chain : {0, 1}) {
        write_with_gap(*sink, chain, 0, saved_at, 20);
        StateWriter writer;
        sink->save_state(chain, writer);
        saved.push_back(writer.take());
        write_with_gap(*sink, chain, saved_at, 30, 20);
        sink->flush(chain);
      }
    }  // the first chain, too, has lost the column now
    const auto sink = begun("parts", true);
    for (const std::size_t chain : {0, 1}) {
      StateReader reader(saved[chain]);
      sink->restore_state(chain, reader);
      int shown = 0;
      sink->replay(chain, [&](std::span<const double> values, double weight) {
        EXPECT_EQ(values[1], shown / 7.0);
        EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[2]));
        EXPECT_EQ(values[4], 100.0 + shown);
        EXPECT_EQ(weight, 0.125);
        ++shown;
      });
      EXPECT_EQ(shown, saved_at);
      write_with_gap(*sink, chain, saved_at, 40, 20);
    }
    sink->finish();
    for (const std::size_t chain : {0, 1})
      EXPECT_EQ(body_of(sink->path(chain)), body_of(whole->path(chain))) << saved_at;
  }
}

TEST(StanCsv, NamesThatBreakALine_AreRefused) {
  TestFolder folder;
  StanCsvSink sink(folder.path());
  EXPECT_EQ(message_of<OptionError>([&] { sink.begin(Names{"a,b"}, 1, 1); }),
            "'a,b' cannot name a column of a CSV file: leave out commas, quotes, '#' and line ends");
}

TEST(StanCsv, DrawsThatDoNotFit_AreRefused) {
  TestFolder folder;
  StanCsvSink sink(folder.path());
  sink.begin(Names{"x"}, 1, 1);
  EXPECT_EQ(message_of<OptionError>([&] { sink.write(1, std::array{1.0}, 1.0); }),
            "a draw came for chain 1 but there are 1");
  EXPECT_EQ(message_of<OptionError>([&] {
              sink.write(0, std::array{1.0, 2.0}, 1.0);
            }),
            "a draw has 2 values but there are 1 names");
  sink.finish();
  EXPECT_EQ(message_of<FileError>([&] { sink.flush(0); }),
            "'" + sink.path(0).string() + "' is already closed; no more draws can be written to it");
}

// The layout of CmdStan 2.31, shortened: warm-up was saved, and adaptation is reported among the draws.
constexpr const char* cmdstan_file =
    "# stan_version_major = 2\n"
    "# model = eight_schools\n"
    "# method = sample (Default)\n"
    "#   sample\n"
    "#     num_samples = 2\n"
    "#     num_warmup = 1\n"
    "#     save_warmup = 1\n"
    "#     thin = 1 (Default)\n"
    "# id = 1 (Default)\n"
    "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,mu,theta.1,theta.2\n"
    "-40.1,1,1.5,2,3,0,45.2,9.5,9.25,9.75\n"
    "# Adaptation terminated\n"
    "# Step size = 0.43\n"
    "# Diagonal elements of inverse mass matrix:\n"
    "# 3.5, 0.9, 1.1\n"
    "-41.5,0.98,0.43,3,7,0,44.5,5.5,6.5,7.5\n"
    "-39.25,0.75,0.43,2,3,1,43.5,4.5,nan,-inf\n"
    "# \n"
    "#  Elapsed Time: 0.01 seconds (Warm-up)\n"
    "#                0.02 seconds (Sampling)\n"
    "# \n";

TEST(StanCsv, FileOfCmdStan_IsReadWithoutItsWarmup) {
  TestFolder folder;
  const auto path = folder.write("eight_schools-1.csv", cmdstan_file);
  for (const auto& files : {std::vector{path}, chain_files(path)}) {
    const auto read = read_stan_csv(files);
    EXPECT_EQ(read.draws.names(), (Names{"mu", "theta[1]", "theta[2]"}));
    EXPECT_EQ(read.sampler.names(),
              (Names{"lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__"}));
    ASSERT_EQ(read.draws.draws(0), 2u);
    EXPECT_EQ(read.draws(0, 0, 2), 7.5);
    EXPECT_TRUE(std::isnan(read.draws(0, 1, 1)));
    EXPECT_EQ(read.draws(0, 1, 2), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(read.draws.weights(0)[1], 1.0);
    EXPECT_EQ(read.sampler(0, 1, 5), 1.0);
    EXPECT_TRUE(read.warnings.empty());
    EXPECT_EQ(read.settings.size(), 8u);
    EXPECT_EQ(read.settings[2], (std::pair<std::string, std::string>{"method", "sample"}));
  }
}

TEST(StanCsv, SavedWarmupWithoutAdaptation_IsLeftOutByItsNumber) {
  TestFolder folder;
  const auto path =
      folder.write("a.csv", "# num_warmup = 5\n# save_warmup = true\n# thin = 2\nlp__,x\n1,1\n2,2\n3,3\n4,4\n");
  const auto read = read_stan_csv({path});
  ASSERT_EQ(read.draws.draws(0), 1u);
  EXPECT_EQ(read.draws(0, 0, 0), 4.0);
}

TEST(StanCsv, FileOfAnotherSystem_IsRead) {
  TestFolder folder;
  const auto path = folder.write("a.csv", "\"lp__\",\"b.2\",\"b.1\"\r\n 1 , +2.5e0,1e-400\r\n\r\nNA,Inf,-1E3\r\n");
  const auto read = read_stan_csv({path});
  EXPECT_EQ(read.draws.names(), (Names{"b[1]", "b[2]"}));
  ASSERT_EQ(read.draws.draws(0), 2u);
  EXPECT_EQ(read.draws(0, 0, 0), 0.0);
  EXPECT_EQ(read.draws(0, 0, 1), 2.5);
  EXPECT_EQ(read.draws(0, 1, 0), -1000.0);
  EXPECT_TRUE(std::isnan(read.sampler(0, 1, 0)));
}

TEST(StanCsv, LinesLongerThanTheBuffer_AreRead) {
  TestFolder folder;
  std::string names = "lp__", numbers = "0";
  for (int k = 1; k <= 60'000; ++k) {
    names += ",beta." + std::to_string(k);
    numbers += "," + std::to_string(k) + ".125";
  }
  const auto path = folder.write("a.csv", names + "\n" + numbers + "\n" + numbers + "\n");
  const auto read = read_stan_csv({path});
  ASSERT_EQ(read.draws.draws(0), 2u);
  EXPECT_EQ(read.draws(0, 1, 59'999), 60'000.125);
}

TEST(StanCsv, FileCutAnywhere_KeepsItsWholeDraws) {
  TestFolder folder;
  const std::string whole = "# model = m\nlp__,weight__,x\n-1,1,0.25\n-2,1,1234.5\n-3,1,7\n";
  const std::size_t header = whole.find("-1,1");
  for (std::size_t length = header; length <= whole.size(); ++length) {
    const auto path = folder.write("a.csv", whole.substr(0, length));
    const auto read = read_stan_csv({path});
    const std::string kept = whole.substr(header, length - header);
    const auto draws = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), '\n'));
    EXPECT_EQ(read.draws.draws(0), draws) << length;
    EXPECT_EQ(read.warnings.empty(), kept.empty() || kept.back() == '\n') << length;
    if (draws > 1) {
      EXPECT_EQ(read.draws(0, 1, 0), 1234.5);
    }
  }
  const auto path = folder.write("a.csv", whole.substr(0, whole.size() - 3));
  EXPECT_EQ(read_stan_csv({path}).warnings.at(0),
            path.string() + ":5: the last line is cut short (2 of 3 columns); the 2 draws before it are used");
}

TEST(StanCsv, DamagedFiles_AreRefusedWithFileAndLine) {
  TestFolder folder;
  const auto message = [&](const std::string& text) {
    const auto path = folder.write("a.csv", text);
    std::string said = message_of<FileError>([&] { read_stan_csv({path}); });
    if (const auto at = said.find(path.string()); at != std::string::npos)
      said.replace(at, path.string().size(), "a.csv");
    return said;
  };
  EXPECT_EQ(message(""), "'a.csv' has no line of column names; it is not a file of draws (or still empty)");
  EXPECT_EQ(message("# model = m\n"),
            "'a.csv' has no line of column names; it is not a file of draws (or still empty)");
  EXPECT_EQ(
      message("# model = m\nlp__,be"),
      "a.csv:2: the file ends in the line of column names; the run that wrote it was stopped before its first draw");
  EXPECT_EQ(message("lp__,x\n1,2\n1,two\n1,3\n"), "a.csv:3: column x has 'two', which is not a number");
  EXPECT_EQ(message("lp__,x\n1,2\n1,\n1,3\n"), "a.csv:3: column x has '', which is not a number");
  EXPECT_EQ(message("lp__,x\n1,2\n1\n1,3\n"), "a.csv:3: a draw has 1 columns, but the file has 2 column names");
  EXPECT_EQ(message("lp__,x\n1,2,3\n1,3\n"), "a.csv:2: a draw has 3 columns, but the file has 2 column names");
  EXPECT_EQ(message("lp__,weight__,x\n1,-1,2\n1,1,3\n"),
            "a.csv:2: column weight__ is -1.000000; weights are finite and not negative");
}

TEST(StanCsv, FilesThatDoNotBelongTogether_AreRefused) {
  TestFolder folder;
  const auto a = folder.write("a.csv", "lp__,x,y\n1,2,3\n"), b = folder.write("b.csv", "lp__,x,z\n1,2,3\n"),
             c = folder.write("c.csv", "lp__,x\n1,2\n");
  const std::string start = "' does not belong to the same run as '" + a.string() + "': it has ";
  EXPECT_EQ(message_of<FileError>([&] {
              read_stan_csv({a, b});
            }),
            "'" + b.string() + start + "column 'z' where that has 'y'; give the chains of one model");
  EXPECT_EQ(message_of<FileError>([&] {
              read_stan_csv({a, c});
            }),
            "'" + c.string() + start + "2 columns, not 3; give the chains of one model");
}

TEST(StanCsv, FilesThatAreNotThere_AreNamed) {
  TestFolder folder;
  const auto path = (folder / "no.csv").string();
  EXPECT_EQ(message_of<FileError>([&] { read_stan_csv({path}); }),
            "cannot open '" + path + "': No such file or directory");
  EXPECT_EQ(message_of<FileError>([&] { chain_files(path); }),
            "there is no folder or file '" + path + "'; give the folder that a run wrote");
  EXPECT_EQ(message_of<FileError>([&] { chain_files(folder.path()); }),
            "'" + folder.path().string() + "' has no files chain-1.csv, chain-2.csv, ...; it is empty");
  folder.write("run.json", "{}");
  folder.write("chain-x.csv", "");
  EXPECT_EQ(
      message_of<FileError>([&] { chain_files(folder.path()); }),
      "'" + folder.path().string() + "' has no files chain-1.csv, chain-2.csv, ...; it has 'chain-x.csv', 'run.json'");
  EXPECT_EQ(message_of<FileError>([] { read_stan_csv({}); }),
            "no files of draws were given; give one file for each chain");
}

}  // namespace
}  // namespace sgmcmc
