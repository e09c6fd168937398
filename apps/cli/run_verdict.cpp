// Formats the text of a verdict.
#include "cli/run_verdict.hpp"

#include "cli/terminal.hpp"

#include <algorithm>
#include <cctype>

namespace sgmcmc::cli {
std::string verdict_text(const Verdict& verdict, const std::string& more) {
  constexpr std::size_t most_sentences = 2;
  std::string text = "verdict: " + std::string(trust_words(verdict.trust)) + ".";
  for (std::size_t k = 0; k < std::min(most_sentences, verdict.sentences.size()); ++k) {
    std::string sentence = verdict.sentences[k];
    for (const std::string said :
         {"Do not trust these draws: ", "Use these draws with caution: "})  // the heading already says so
      if (sentence.starts_with(said)) {
        sentence = sentence.substr(said.size());
        sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
      }
    text += " " + sentence;
  }
  if (verdict.sentences.size() > most_sentences && !more.empty()) text += " More: " + more;
  return wrapped(text, terminal_width(), 0) + "\n";
}

int exit_status(const OptionValues& values, const std::optional<Verdict>& verdict) {
  if (!verdict || values.text("exit-status") == "plain") return 0;
  return verdict->trust == Trust::do_not_trust ? 3 : verdict->trust == Trust::cannot_tell ? 4 : 0;
}

}  // namespace sgmcmc::cli
