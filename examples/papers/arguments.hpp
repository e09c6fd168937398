// The command line that the experiments share: data, where figures go, and whether a small size will do.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace sgmcmc {

struct Arguments {
  std::string data;           ///< empty: made up
  std::filesystem::path out;  ///< exists
  bool quick = false;
  bool saved = false;             ///< only write the page, from the results that are saved
  unsigned long iterations = 0;   ///< 0: as many as usual
  unsigned long repetitions = 0;  ///< 0: as many as usual
  unsigned long rows = 0;         ///< at most; 0: as many as usual
  double seconds = 0;             ///< of computation, each run; 0: as many as usual

  /// Ends the program with a line of usage where the words are others.
  Arguments(int count, char** words, const std::string& name, bool takes_data) : out(name) {
    for (int i = 1; i < count; ++i) {
      const std::string word = words[i];
      if (word == "--quick") {
        quick = true;
      } else if (word == "--saved") {
        saved = true;
      } else if (word == "--out" && i + 1 < count) {
        out = words[++i];
      } else if (word == "--iterations" && i + 1 < count) {
        iterations = std::strtoul(words[++i], nullptr, 10);
      } else if (word == "--repetitions" && i + 1 < count) {
        repetitions = std::strtoul(words[++i], nullptr, 10);
      } else if (word == "--rows" && i + 1 < count) {
        rows = std::strtoul(words[++i], nullptr, 10);
      } else if (word == "--seconds" && i + 1 < count) {
        seconds = std::strtod(words[++i], nullptr);
      } else if (takes_data && !word.starts_with("--") && data.empty()) {
        data = word;
      } else {
        std::fprintf(stderr,
                     "usage: %s%s [--quick] [--iterations COUNT] [--repetitions COUNT] [--rows MOST] [--seconds EACH] "
                     "[--saved] [--out FOLDER]\n",
                     name.c_str(), takes_data ? " [DATA]" : "");
        std::exit(2);
      }
    }
    std::filesystem::create_directories(out);
  }
};

}  // namespace sgmcmc
