// Fuzz target: any bytes are bags of words or an error, the same in memory and in a file; ids and counts are in range.
#include "outcome.hpp"
#include "topics/corpus_readers.hpp"
#include "topics/document_store.hpp"

namespace sgmcmc::fuzz {

std::string read(std::span<const char> text, bool skip_empty, std::uint64_t memory_bytes) {
  return outcome_of([&] {
    Input input("bags", text);
    DocumentStoreBuilder builder(memory_bytes, "");
    std::vector<std::string> names;
    const CorpusFormat format = format_of(input);
    const ReadCorpus corpus = format == CorpusFormat::uci     ? read_uci(input, 0, skip_empty, builder)
                              : format == CorpusFormat::cases ? read_cases(input, skip_empty, names, builder)
                                                              : read_ldac(input, 0, skip_empty, builder);
    const auto store = builder.finish();
    std::string result = std::to_string(corpus.words) + "," + std::to_string(corpus.skipped) + ";";
    std::vector<WordCount> buffer;
    for (std::uint64_t d = 0; d < store->documents(); ++d) {
      const auto document = store->read(d, buffer);
      if (document.empty()) std::abort();
      for (const WordCount& entry : document) {
        if (entry.word >= corpus.words || entry.count == 0 || entry.count > most_of_one_word) std::abort();
        result += std::to_string(entry.word) + ":" + std::to_string(entry.count) + " ";
      }
      result += "|";
    }
    return result;
  });
}

}  // namespace sgmcmc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sgmcmc::fuzz;
  if (size == 0) return 0;
  const std::span<const char> text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool skip_empty = data[0] % 2 == 1;
  expect_same(read(text, skip_empty, 0), read(text, skip_empty, 1));
  return 0;
}
