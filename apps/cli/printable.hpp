// Keeps control characters that files and arguments hold from reaching the terminal.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace sgmcmc::cli {

/// The text with control characters other than line ends and tabs written out: "\x1b" for an escape.
std::string printable(std::string_view text);

/// While it lives, std::cout and std::cerr write what printable() makes of what they get.
class PrintableOutput {
 public:
  PrintableOutput();
  ~PrintableOutput();
  PrintableOutput(const PrintableOutput&) = delete;
  PrintableOutput& operator=(const PrintableOutput&) = delete;

  void leave_stdout();  ///< std::cout writes what it gets: JSON has escapes of its own

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// stderr as it is, for those who write control characters on purpose: progress lines.
std::ostream& terminal_stream();

}  // namespace sgmcmc::cli
