// #include: search for files, and positions in them.
#include "stan/bound_text.hpp"

#include "errors/message_of.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace sgmcmc::stan {
namespace {

namespace fs = std::filesystem;

class IncludeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("include-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "library" / "deep");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  ModelText read(const std::vector<std::string>& folders = {}) { return read_model(path("m.stan"), folders); }
  std::string message(const std::vector<std::string>& folders = {}) {
    return sgmcmc::testing::message_of<StanError>([&] { read(folders); });
  }

  fs::path folder_;
};

const std::string rest = "parameters { real mu; }\nmodel { twice(mu) ~ normal(0, 1); }\n";

TEST_F(IncludeTest, Files_AreFoundBesideTheModelThenInFoldersInTheirOrder) {
  write("library/f.stan", "real twice(real x) { return 2 * x; }\n");
  write("library/deep/f.stan", "real twice(real x) { return 3 * x; }");
  write("m.stan", "functions {\n  #include f.stan\n}\n" + rest);
  auto value = [&](const std::vector<std::string>& folders) {
    const ModelText text = read(folders);
    return log_density_at(BoundModel(text.source, text.program, {}, {}), {1.0});
  };
  const double constant = -0.5 * std::log(2 * M_PI);
  EXPECT_NEAR(value({path("nowhere"), path("library"), path("library/deep")}), constant - 2.0, 1e-12);
  EXPECT_NEAR(value({path("library/deep"), path("library")}), constant - 4.5, 1e-12);
  write("f.stan", "real twice(real x) { return x; }\n");
  EXPECT_NEAR(value({path("library")}), constant - 0.5, 1e-12);
  EXPECT_EQ(read({path("library")}).included, std::vector<std::string>{path("f.stan")});
}

TEST_F(IncludeTest, QuotesBracketsCommentsAndNestedFiles_AreUnderstood) {
  write("library/f.stan", "#include <deep/g.stan> // relative to this file\nreal twice(real x) { return g(x); }");
  write("library/deep/g.stan", "real g(real x) { return 2 * x; }");
  write("m.stan",
        "// #include no.stan\n/* a comment\n#include no.stan\n*/ functions {\n#include \"library/f.stan\"\n}\n" + rest);
  const ModelText text = read();
  EXPECT_EQ(text.included, (std::vector<std::string>{path("library/f.stan"), path("library/deep/g.stan")}));
}

TEST_F(IncludeTest, Mistakes_AreShownInTheFileTheyAreIn) {
  write("f.stan", "real twice(real x) {\n  return 2 * z;\n}\n");
  write("m.stan", "functions {\n#include f.stan\n}\n" + rest);
  EXPECT_TRUE(message().starts_with(path("f.stan") + ":2:14: error: unknown name 'z'\n  |\n2 |   return 2 * z;\n"))
      << message();
  write("f.stan", "real twice(real x) { return 2 * x; }");
  write("m.stan", "functions {\n#include f.stan\n}\nparameters { real mu; }\nmodel { mu ~ normal(0, nu); }\n");
  EXPECT_TRUE(message().starts_with(path("m.stan") + ":5:24: error: unknown name 'nu'\n  |\n5 | model")) << message();
}

TEST_F(IncludeTest, FileThatIsNotThere_IsToldWithTheFoldersTried) {
  write("m.stan", "functions {\n  #include f.stan\n}\n" + rest);
  EXPECT_EQ(message({path("library")}), path("m.stan") + ":2:12: error: the file 'f.stan' was not found in " +
                                            folder_.string() + ", " + path("library") +
                                            "\n  |\n2 |   #include f.stan\n  |            ^^^^^^\n"
                                            "help: add the folder it is in to the include folders");
  write("m.stan", "functions {\n#include\n}\n" + rest);
  EXPECT_TRUE(message().starts_with(path("m.stan") + ":2:9: error: #include without a file name")) << message();
}

TEST_F(IncludeTest, FilesThatIncludeThemselves_AreRefused) {
  write("f.stan", "#include g.stan\n");
  write("g.stan", "\n#include f.stan\n");
  write("m.stan", "functions {\n#include f.stan\n}\n" + rest);
  EXPECT_TRUE(message().starts_with(path("g.stan") + ":2:10: error: 'f.stan' includes itself")) << message();
}

}  // namespace
}  // namespace sgmcmc::stan
