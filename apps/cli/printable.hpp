// Keeps control characters in files and arguments from reaching the terminal.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace sgmcmc::cli {

/// The text with control characters escaped, except newlines and tabs: "\x1b" for an escape.
std::string printable(std::string_view text);

/// During its lifetime, std::cout and std::cerr filter their text through printable().
class PrintableOutput {
 public:
  PrintableOutput();
  ~PrintableOutput();
  PrintableOutput(const PrintableOutput&) = delete;
  PrintableOutput& operator=(const PrintableOutput&) = delete;

  void leave_stdout();  ///< stops filtering std::cout: JSON escapes control characters itself

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Unfiltered stderr, for progress lines, which use control characters.
std::ostream& terminal_stream();

}  // namespace sgmcmc::cli
