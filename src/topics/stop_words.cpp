// English stop words, in the form the tokeniser produces: "dont" for "don't".
#include "topics/corpus_readers.hpp"

namespace sgmcmc {

const std::vector<std::string>& english_stop_words() {
  static const std::vector<std::string> words = {
      "a",      "about",   "above",   "after",      "again",      "against",   "all",     "also",     "am",
      "an",     "and",     "any",     "are",        "arent",      "as",        "at",      "be",       "because",
      "been",   "before",  "being",   "below",      "between",    "both",      "but",     "by",       "can",
      "cannot", "cant",    "could",   "couldnt",    "did",        "didnt",     "do",      "does",     "doesnt",
      "doing",  "dont",    "down",    "during",     "each",       "even",      "every",   "few",      "for",
      "from",   "further", "get",     "go",         "got",        "had",       "hadnt",   "has",      "hasnt",
      "have",   "havent",  "having",  "he",         "hed",        "her",       "here",    "hers",     "herself",
      "hes",    "him",     "himself", "his",        "how",        "however",   "i",       "id",       "if",
      "ill",    "im",      "in",      "into",       "is",         "isnt",      "it",      "its",      "itself",
      "ive",    "just",    "let",     "lets",       "like",       "made",      "make",    "many",     "may",
      "me",     "might",   "more",    "most",       "much",       "must",      "my",      "myself",   "no",
      "nor",    "not",     "now",     "of",         "off",        "often",     "on",      "once",     "one",
      "only",   "or",      "other",   "our",        "ours",       "ourselves", "out",     "over",     "own",
      "per",    "put",     "quite",   "rather",     "really",     "said",      "same",    "say",      "says",
      "see",    "seem",    "several", "shall",      "she",        "shed",      "should",  "shouldnt", "since",
      "so",     "some",    "still",   "such",       "take",       "than",      "that",    "thats",    "the",
      "their",  "theirs",  "them",    "themselves", "then",       "there",     "theres",  "these",    "they",
      "theyd",  "theyre",  "theyve",  "this",       "those",      "though",    "through", "thus",     "to",
      "too",    "two",     "under",   "until",      "up",         "upon",      "us",      "use",      "used",
      "using",  "very",    "via",     "want",       "was",        "wasnt",     "way",     "we",       "well",
      "went",   "were",    "werent",  "weve",       "what",       "whats",     "when",    "where",    "whether",
      "which",  "while",   "who",     "whole",      "whom",       "whose",     "why",     "will",     "with",
      "within", "without", "wont",    "would",      "wouldnt",    "yet",       "you",     "youd",     "youll",
      "your",   "youre",   "yours",   "yourself",   "yourselves", "youve",
  };
  return words;
}

}  // namespace sgmcmc
