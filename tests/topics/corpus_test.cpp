// Corpora in three formats, in memory and from a file; errors give file and line.
#include "topics/corpus_readers.hpp"
#include "topics/document_store.hpp"

#include "data/written_files.hpp"

#include <sgmcmc/corpus.hpp>
#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sgmcmc {
namespace {

using testing::WrittenFiles;

/// "0:2 3:1 | 1:1": words and counts of all documents.
std::string text_of(const Corpus& corpus) {
  std::string text;
  std::vector<WordCount> buffer;
  for (std::uint64_t d = 0; d < corpus.documents(); ++d) {
    if (d > 0) text += "| ";
    for (const auto& entry : corpus.store().read(d, buffer))
      text += std::to_string(entry.word) + ":" + std::to_string(entry.count) + " ";
  }
  return text;
}

std::string refusal(const WrittenFiles& files, const std::string& content, CorpusOptions options = {}) {
  try {
    Corpus::read(files.write("docs", content), options);
  } catch (const DataError& error) {
    return files.without_folder(error.what());
  }
  return "accepted";
}

TEST(CorpusReader, UciBagOfWords_CountsFromOne) {
  const WrittenFiles files;
  const Corpus corpus = Corpus::read(files.write("docs", "2\n4\n3\n1 1 2\n1 4 1\n2 2 1\n"));
  EXPECT_EQ(text_of(corpus), "0:2 3:1 | 1:1 ");
  EXPECT_EQ(corpus.words(), 4U);
  EXPECT_EQ(corpus.tokens(), 4U);
  EXPECT_EQ(corpus.word(3), "word 4");
}

TEST(CorpusReader, LdaC_CountsFromZero) {
  const WrittenFiles files;
  CorpusOptions options;
  options.vocabulary = files.write("vocab", "ape\nbee\r\ncat\ndog\nelk\n");
  const Corpus corpus = Corpus::read(files.write("docs", "2 0:2 3:1\n1 1:1\n\n"), options);
  EXPECT_EQ(text_of(corpus), "0:2 3:1 | 1:1 ");
  EXPECT_EQ(corpus.words(), 5U);
  EXPECT_EQ(corpus.word(1), "bee");
  EXPECT_EQ(Corpus::read(files.path_of("docs")).words(), 4U) << "without a vocabulary: up to the highest id";
}

TEST(CorpusReader, Text_IsSplitIntoWordsOfTheVocabularyItBuilds) {
  const WrittenFiles files;
  CorpusOptions options;
  options.max_share = 0.9;
  const std::string text =
      "The ape's bananas, the APES!\n\nBananas: 12 apes, caf\xc3\xa9\n caf\xc3\xa9 bananas don't once\n";
  const Corpus corpus = Corpus::read(files.write("docs", text), options);
  // apes twice in one document and once in another; ape's is read as apes; bananas is in every document.
  EXPECT_EQ(corpus.vocabulary(), (std::vector<std::string>{"apes", "caf\xc3\xa9"}));
  EXPECT_EQ(text_of(corpus), "0:2 | 0:1 1:1 | 1:1 ");
  options.vocabulary = files.write("vocab", "once\nbananas\n");
  EXPECT_EQ(text_of(Corpus::read(files.path_of("docs"), options)), "1:1 | 1:1 | 0:1 1:1 ");
}

TEST(CorpusReader, FolderOfTexts_IsADocumentAFileInTheOrderOfNames) {
  const WrittenFiles files;
  files.write("b", "zebra lion\nlion");
  files.write("a", "lion zebra zebra");
  files.write("c", "of the and");
  CorpusOptions options;
  options.max_share = 1;
  const std::string path = files.path_of("");
  const Corpus corpus = Corpus::read(path, options);
  EXPECT_EQ(text_of(corpus), "0:1 1:2 | 0:2 1:1 ");
  EXPECT_EQ(corpus.skipped(), 1U);
}

TEST(CorpusReader, MistakesInUciFiles_AreToldWithTheirLine) {
  const WrittenFiles files;
  const std::string head = "2\n4\n3\n1 1 2\n";
  EXPECT_EQ(refusal(files, head + "1 4 -1\n2 2 1\n"), "docs:5: the count is -1; counts are from 1 to 16777216");
  EXPECT_EQ(refusal(files, head + "1 4 0\n2 2 1\n"), "docs:5: the count is 0; counts are from 1 to 16777216");
  EXPECT_EQ(refusal(files, head + "1 5 1\n2 2 1\n"), "docs:5: word 5 is out of range: there are words 1 to 4");
  EXPECT_EQ(refusal(files, head + "1 0 1\n2 2 1\n"), "docs:5: word 0 is out of range: there are words 1 to 4");
  EXPECT_EQ(refusal(files, head + "3 4 1\n2 2 1\n"),
            "docs:5: document 3 is out of range: the file has documents 1 to 2");
  EXPECT_EQ(refusal(files, head + "1 4\n2 2 1\n"),
            "docs:5: the line is '1 4' where \"document word count\" is expected, three whole numbers");
  EXPECT_EQ(refusal(files, head + "1 4 1.5\n2 2 1\n"),
            "docs:5: the line is '1 4 1.5' where \"document word count\" is expected, three whole numbers");
  EXPECT_EQ(refusal(files, head + "1 4 1\n"),
            "docs:5: the file ends after 2 of 3 entries. The file is truncated: copy or unpack it again");
  EXPECT_EQ(refusal(files, head + "1 4 1\n2 2 1\n2 3 1\n"),
            "docs:7: there are more entries than the 3 that the third line announces");
  EXPECT_EQ(refusal(files, "2\n4\n2\n2 2 1\n1 1 1\n"),
            "docs:4: document 1 has no words. Remove it, or use skip_empty to omit documents without words");
  EXPECT_EQ(refusal(files, "2\n4\n3\n1 1 1\n2 2 1\n1 1 1\n"),
            "docs:6: document 1 follows document 2. Sort the entries by document: sort -n");
  EXPECT_EQ(refusal(files, "2\n4\n"), "docs:2: the file ends before the number of entries");
  EXPECT_EQ(refusal(files, "2\n4\nx\n"), "docs:3: the line is 'x' where the number of entries is expected");
  EXPECT_EQ(refusal(files, ""), "docs:1: the file is empty");
  CorpusOptions options;
  options.vocabulary = files.write("vocab", "a\nb\n");
  EXPECT_EQ(refusal(files, head + "1 4 1\n2 2 1\n", options),
            "docs:3: the file announces 4 words, but the vocabulary has 2. Give the vocabulary that belongs to "
            "the documents");
}

TEST(CorpusReader, MistakesInLdaCFiles_AreToldWithTheirLine) {
  const WrittenFiles files;
  CorpusOptions options;
  options.vocabulary = files.write("vocab", "a\nb\nc\n");
  EXPECT_EQ(refusal(files, "1 0:1\n2 0:1 1:-4\n"), "docs:2: the count is -4; counts are from 1 to 16777216");
  EXPECT_EQ(refusal(files, "1 0:1\n2 0:1 3:1\n", options), "docs:2: word 3 is out of range: there are words 0 to 2");
  EXPECT_EQ(refusal(files, "1 0:1\n2 0:1\n"),
            "docs:2: the line announces 2 pairs word:count and has 1. It is truncated");
  EXPECT_EQ(refusal(files, "1 0:1\n1 0:1 1:1\n"), "docs:2: the line announces 1 pairs word:count and has 2");
  EXPECT_EQ(
      refusal(files, "1 0:1\n2 0:1 1:"),
      "docs:2: found '1:' where word:count is expected, two whole numbers. The file is truncated: copy or unpack it "
      "again");
  EXPECT_EQ(refusal(files, "1 0:1\n0\n1 1:1\n"),
            "docs:2: document 2 has no words. Remove it, or use skip_empty to omit documents without words");
  EXPECT_EQ(refusal(files, "1 0:1\n\n1 1:1\n"),
            "docs:2: the line is empty. Remove it, or write 0 for a document without words");
  options.skip_empty = true;
  const Corpus corpus = Corpus::read(files.write("docs", "1 0:1\n0\n1 1:1\n"), options);
  EXPECT_EQ(text_of(corpus), "0:1 | 1:1 ");
  EXPECT_EQ(corpus.skipped(), 1U);
}

TEST(CorpusReader, MistakesInVocabularies_AreTold) {
  const WrittenFiles files;
  CorpusOptions options;
  options.vocabulary = files.write("vocab", "a\n\nc\n");
  EXPECT_EQ(refusal(files, "1 0:1\n", options), "vocab:2: the line is empty. Write one word on each line");
  options.vocabulary = files.write("vocab", "giraffe\n");
  options.format = CorpusFormat::text;
  EXPECT_EQ(refusal(files, "ape bee\n", options),
            "docs: no document contains a word of the vocabulary. Is it the right vocabulary for these documents?");
  options.vocabulary.clear();
  EXPECT_EQ(refusal(files, "ape bee\ncat\n", options).substr(0, 42), "docs: the vocabulary is empty: 2 documents");
}

TEST(CorpusReader, DocumentsBeyondTheMemoryLimit_ReadTheSameFromAFile) {
  const WrittenFiles files;
  std::string content;
  for (int d = 0; d < 3000; ++d)
    content +=
        "2 " + std::to_string(d % 90) + ":" + std::to_string(1 + d % 7) + " 95:" + std::to_string(d % 3 + 1) + "\n";
  const std::string path = files.write("docs", content);
  CorpusOptions options;
  const Corpus whole = Corpus::read(path, options);
  options.memory_bytes = 20'000;
  options.folder = files.path_of("");
  const Corpus kept = Corpus::read(path, options);
  EXPECT_TRUE(whole.in_memory());
  EXPECT_FALSE(kept.in_memory());
  EXPECT_EQ(whole.tokens(), kept.tokens());
  EXPECT_EQ(text_of(whole), text_of(kept));
}

TEST(CorpusBuilder, Mistakes_AreRefused) {
  Corpus::Builder builder(3);
  const std::vector<std::uint32_t> words = {0, 3}, counts = {1, 1}, none, zero = {0, 1};
  EXPECT_THROW(builder.add(words, counts), DataError);
  EXPECT_THROW(builder.add(none, none), DataError);
  EXPECT_THROW(builder.add(counts, zero), DataError);
  EXPECT_THROW(builder.build(), DataError);
  EXPECT_EQ(text_of(builder.add(counts, counts).build()), "1:1 1:1 ");
}

}  // namespace
}  // namespace sgmcmc
