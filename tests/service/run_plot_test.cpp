// Figures and pages of runs that are complete, damaged, or lack what is requested.
#include "service/reports/run_plot.hpp"
#include "service/reports/run_report.hpp"
#include "settings/command_line.hpp"

#include <sgmcmc/error.hpp>

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace sgmcmc {
namespace {

namespace fs = std::filesystem;

class RunPages : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("sgmcmc-pages-" + std::string(test->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("chain-1.csv", "lp__,mu,<b>.1\n0,1,2\n0,2,3\n0,1.5,2.5\n0,1.2,2.1\n0,1.7,2.2\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::string read(const fs::path& path) const {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  OptionValues plot(const std::string& what) const {
    OptionValues values(Command::plot);
    values.operands = {folder_.string()};
    values.set(*find_option(Command::plot, "what"), what, "what");
    values.set(*find_option(Command::plot, "out"), (folder_ / "figure.svg").string(), "out");
    return values;
  }
  fs::path folder_;
};

TEST_F(RunPages, Plots_AreSvgWithEscapedNames) {
  for (const char* what : {"trace", "density", "ranks"}) {
    plot_run(plot(what));
    const std::string svg = read(folder_ / "figure.svg");
    EXPECT_TRUE(svg.starts_with("<svg")) << what;
    EXPECT_NE(svg.find("mu"), std::string::npos) << what;
    EXPECT_EQ(svg.find("<b>"), std::string::npos) << what;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << what;
  }
}

TEST_F(RunPages, WhatTheRunDoesNotHave_IsRefused) {
  EXPECT_THROW(plot_run(plot("tuning")), UsageError);
  EXPECT_THROW(plot_run(plot("verdict")), UsageError);
}

TEST_F(RunPages, RecordsThatAreDamaged_EndInMessagesNotCrashes) {
  const std::string records[] = {
      "",
      "{",
      "[]",
      "{\"sgmcmc\": 1, \"options\": {}}",
      "{\"sgmcmc\": \"x\", \"options\": {}, \"command\": 3}",
      "{\"sgmcmc\": \"x\", \"options\": {}, \"status\": []}",
      "{\"sgmcmc\": \"x\", \"options\": {\"method\": {}}, \"command\": \"sample\", \"status\": \"finished\", "
      "\"verdict\": {\"trust\": \"trust\"}}",
      "{\"sgmcmc\": \"x\", \"options\": {}, \"command\": \"sample\", \"status\": \"finished\", \"times\": 3, "
      "\"tuning\": [], \"bound\": \"y\", "
      "\"model\": 4, \"data\": {}, \"warmup\": 7, \"step_reductions\": [[]], \"left_out\": 3, \"repeated\": 1, "
      "\"seconds\": \"x\"}",
      "{\"sgmcmc\": \"x\", \"options\": {}, \"command\": \"sample\", \"status\": \"finished\", \"bound\": {\"text\": "
      "\"abc\", \"statements\": "
      "[{\"kind\": \"prior\", \"begin\": -5, \"end\": 99}, {\"kind\": 3, \"begin\": 2, \"end\": 1}, 7]}}"};
  for (const auto& record : records) {
    write("run.json", record);
    try {
      const RunReport report = report_on_run({folder_}, {});
      EXPECT_NE(report.html.find("</html>"), std::string::npos) << record;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("damaged"), std::string::npos) << record << ": " << error.what();
    }
  }
}

TEST_F(RunPages, DamagedDiagnosis_IsLeftOut) {
  write("run.json",
        "{\"sgmcmc\": \"x\", \"options\": {}, \"command\": \"sample\", \"status\": \"finished\", \"verdict\": "
        "{\"trust\": \"trust\", \"sentences\": [\"s\"]}}");
  for (const char* text :
       {"{", "[1]", "{\"coordinates\": 5}", "{\"coordinates\": [3, {\"name\": 7, \"sd_ratio\": \"x\"}]}"}) {
    write("diagnosis.json", text);
    EXPECT_NE(report_on_run({folder_}, {}).html.find("Trust these draws"), std::string::npos) << text;
  }
}

TEST(CommandLine, Words_AreQuotedWhereTheyMustBe) {
  EXPECT_EQ(shell_word("a/b.stan"), "a/b.stan");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$(rm x)"), "'$(rm x)'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(CommandLine, OptionsAtTheirDefaults_AreLeftOut) {
  const nlohmann::ordered_json record = {{"command", "sample"},
                                         {"model", {{"file", "my model.stan"}}},
                                         {"options",
                                          {{"data", {"a.json", "b.json"}},
                                           {"chains", 4},
                                           {"seed", 3},
                                           {"compress", true},
                                           {"quiet", true},
                                           {"step_size", nullptr}}}};
  EXPECT_EQ(command_line_of(record), "sgmcmc sample 'my model.stan' --data a.json --data b.json --seed 3 --compress");
}

}  // namespace
}  // namespace sgmcmc
