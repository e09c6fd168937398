// Help, wrapping and progress lines at every width.
#include "cli/command_table.hpp"
#include "cli/help.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <sstream>

namespace sgmcmc::cli {
namespace {

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(Wrapped, LinesBreakAtSpaces_WithinTheWidth) {
  EXPECT_EQ(wrapped("aa bb cc dd", 5, 0), "aa bb\ncc dd");
  EXPECT_EQ(wrapped("aa bb cc", 8, 3, 3), "aa bb\n   cc");
  EXPECT_EQ(wrapped("aaaaaaaa b", 4, 1), "aaaaaaaa\n b");
  EXPECT_EQ(wrapped("", 4, 1), "");
  EXPECT_EQ(wrapped("\xc3\xa9\xc3\xa9 b", 4, 0), "\xc3\xa9\xc3\xa9 b");  // columns, not bytes
}

TEST(Printable, ControlCharacters_AreWrittenOut) {
  EXPECT_EQ(printable("a\tb\n\x1b[31mred\x7f\r"), "a\tb\n\\x1b[31mred\\x7f\\x0d");
  EXPECT_EQ(printable("\xc3\xa9\xc2\xa0\xc2\x9b"), "\xc3\xa9\xc2\xa0\\x9b") << "letters stay, U+009B does not";
  EXPECT_EQ(printable("\xc2"), "\xc2");
}

TEST(Printable, OutputWhileItIsGuarded_IsThatOfPrintable) {
  const std::string texts[] = {"plain", "\x1b", "a\x1b\xc2", "\x9b\xc3", "\xa9\xc2", "b\xc2", "\xa0\n"};
  std::ostringstream written;
  std::streambuf* const before = std::cout.rdbuf(written.rdbuf());
  std::string all;
  {
    PrintableOutput output;
    for (const auto& text : texts) {
      std::cout << text;
      all += text;
    }
    std::cout << 'c' << 1.5 << std::flush;
    output.leave_stdout();
    std::cout << "\x1b";
  }
  std::cout.rdbuf(before);
  EXPECT_EQ(written.str(), printable(all) + "c1.5\x1b");
}

TEST(Help, AtAnyWidth_FitsTheTerminal) {
  for (const std::size_t width : {60, 80, 100, 200}) {
    EXPECT_LE(longest_line(overview_help(width)), std::min<std::size_t>(width, 100));
    for (const auto& command : command_table())
      EXPECT_LE(longest_line(command_help(command.command, width)), std::min<std::size_t>(width, 100))
          << command.name << " at " << width;
  }
  // In narrower ones only single words stand over the edge.
  for (const auto& command : command_table()) EXPECT_LE(longest_line(command_help(command.command, 30)), 60u);
}

TEST(Help, OfACommand_NamesEveryOptionOnce) {
  for (const auto& command : command_table()) {
    const std::string text = command_help(command.command, 80);
    for (const auto* option : options_of(command.command))
      EXPECT_NE(text.find("\n  " + flag_of(*option)), std::string::npos) << command.name << " " << option->name;
  }
}

TEST(Markdown, NamesEveryOptionOfEveryCommand) {
  const std::string text = options_markdown();
  for (const auto& option : option_table())
    EXPECT_NE(text.find("| `" + flag_of(option)), std::string::npos) << option.name;
}

TEST(ManualPage, NamesEveryCommandAndOption) {
  const auto roff = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2) text.insert(at, "\\");
    return text;
  };
  const std::string text = manual_page();
  EXPECT_TRUE(text.find("\n.SH NAME\nsgmcmc \\- ") != std::string::npos);
  for (const auto& command : command_table())
    EXPECT_NE(text.find("\n.SS " + roff("sgmcmc " + command.name)), std::string::npos) << command.name;
  for (const auto& option : option_table())
    EXPECT_NE(text.find("\n.B " + roff(flag_of(option))), std::string::npos) << option.name;
}

TEST(ProgressLine, InsideARun_TellsRateTimeLeftAndGradients) {
  ChainStatus status{{1, 5000, 20000, 2.0}, -3011.42, true};
  EXPECT_EQ(progress_line(status, 5, 80), "chain 2   25%  0:06 left  2.5k/s  log density -3011.42  2.5e+04 gradients");
  EXPECT_EQ(progress_line(status, 5, 40), "chain 2   25%  0:06 left  2.5k/s");
  status.progress.iteration = 20000;
  status.has_log_density = false;
  EXPECT_EQ(progress_line(status, 1, 80), "chain 2  100%  0:02 in all  10.0k/s  2e+04 gradients");
}

TEST(ProgressLine, AtAnyWidth_IsShorterThanTheTerminal) {
  const ChainStatus status{{9, 12345, 99999999, 54321.0}, -1.2345678e10, true};
  for (std::size_t width = 1; width < 120; ++width) EXPECT_LT(progress_line(status, 7, width).size(), width);
}

TEST(ProgressDisplay, NotShown_WritesNothing) {
  std::ostringstream out;
  {
    ProgressDisplay display(out, false, 2, 1);
    display.say("reading");
    display.show({0, 1, 2, 0.1});
  }
  EXPECT_EQ(out.str(), "");
}

TEST(ProgressDisplay, Shown_RewritesOneLinePerChain) {
  std::ostringstream out;
  {
    ProgressDisplay display(out, true, 2, 1);
    display.say("reading");
    display.show({0, 1, 2, 0.1});
    display.show({1, 1, 2, 0.1});
  }
  EXPECT_EQ(out.str(),
            "\r\033[Kreading\r\033[K"
            "\r\033[Kchain 1   50%  0:01 left  10/s  1 gradients\n\r\033[Kchain 2    0%  0 gradients\n"
            "\033[2A\r\033[Kchain 1   50%  0:01 left  10/s  1 gradients\n\r\033[Kchain 2   50%  0:01 left  10/s  1 "
            "gradients\n");
}

}  // namespace
}  // namespace sgmcmc::cli
