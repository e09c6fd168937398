// Dispatches to the command, and turns errors into messages and exit statuses.
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/parse.hpp"
#include "cli/printable.hpp"
#include "cli/ranks.hpp"
#include "cli/terminal.hpp"
#include "report/words.hpp"
#include "service/errors.hpp"
#include "service/lost_data.hpp"

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace sgmcmc::cli {
namespace {

bool runs_on_ranks(Command command) {
  return command == Command::sample || command == Command::resume || command == Command::factorize ||
         command == Command::lda;
}

int run_command(Command command, const OptionValues& values, RankJob* ranks) {
  if (ranks && !runs_on_ranks(command))
    throw UsageError(std::string(command_name(command)) + " runs in one process, and mpirun has started " +
                     std::to_string(ranks->size()) +
                     ": start it without mpirun. On several ranks run sgmcmc sample, factorize, lda and resume");
  switch (command) {
    case Command::sample: return run_sample(values, ranks);
    case Command::resume: return run_resume(values, ranks);
    case Command::optimize: return run_optimize(values);
    case Command::log_density: return run_log_density(values);
    case Command::check: return run_check(values);
    case Command::summary: return run_summary(values);
    case Command::compare: return run_compare(values);
    case Command::calibrate: return run_calibrate(values);
    case Command::diagnose: return run_diagnose(values);
    case Command::lda: return run_lda(values, ranks);
    case Command::dpmix: return run_dpmix(values);
    case Command::factorize: return run_factorize(values, ranks);
    case Command::combine: return run_combine(values);
    case Command::report: return run_report(values);
    case Command::plot: return run_plot(values);
    case Command::data: return run_data(values);
    case Command::pack: return run_pack(values);
  }
  return 1;
}

const CommandDeclaration& command_named(const std::string& name) {
  if (const auto* found = find_command(name)) return *found;
  std::vector<std::string> known;
  for (const auto& declaration : command_table()) known.push_back(declaration.name);
  throw UsageError("unknown command '" + name + "'." + suggestion(name, known) + " See sgmcmc --help");
}

int dispatch(const std::vector<std::string>& words, PrintableOutput& output, RankJob* ranks) {
  if (words.empty()) {
    std::cerr << overview_help(terminal_width());
    return 2;
  }
  const std::string& first = words.front();
  if (first == "--version") {
    std::cout << "sgmcmc " << SGMCMC_VERSION << "\n";
    return 0;
  }
  if (first == "--options-markdown") {
    std::cout << options_markdown();
    return 0;
  }
  if (first == "--man-page") {
    std::cout << manual_page();
    return 0;
  }
  if (first == "--help" || first == "-h" || first == "help") {
    std::cout << (words.size() > 1 ? command_help(command_named(words[1]).command, terminal_width())
                                   : overview_help(terminal_width()));
    return 0;
  }
  const auto& declaration = command_named(first);
  const auto values = parse_arguments(declaration.command, {words.begin() + 1, words.end()});
  if (values.flag("help")) {
    std::cout << command_help(declaration.command, terminal_width());
    return 0;
  }
  if (values.flag("json")) output.leave_stdout();
  return run_command(declaration.command, values, ranks);
}

int complain(const std::string& message, int status) {
  std::cout.flush();
  std::cerr << "sgmcmc: " << message << "\n";
  return status;
}

int run_words(const std::vector<std::string>& words, RankJob* ranks) {
  PrintableOutput output;
  try {
    const int status = dispatch(words, output, ranks);
    std::cout.flush();
    if (!std::cout) return complain("cannot write the output", 1);
    return status;
  } catch (const UsageError& error) {
    return complain(error.what(), 2);
  } catch (const OptionError& error) {
    return complain(error.what(), 2);
  } catch (const Error& error) {
    if (!begins_with_place(error)) return complain(error.what(), 1);
    std::cout.flush();
    std::cerr << error.what() << "\n";
    return is_interruption(error) ? interrupted_status : 1;
  } catch (const std::bad_alloc&) {
    return complain("out of memory", 1);
  } catch (const std::exception& error) {
    return complain("this is a bug in sgmcmc, please report it: " + std::string(error.what()), 1);
  }
}

}  // namespace

int run_program(const std::vector<std::string>& words) {
#if defined(__GLIBC__)
  // Returns large freed arrays to the system at once; by default, glibc raises the threshold as arrays are freed.
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
#endif
  end_when_data_are_lost();
  return run_on_ranks([&](RankJob* ranks) { return run_words(words, ranks); });
}

}  // namespace sgmcmc::cli
