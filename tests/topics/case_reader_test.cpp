// Cases and votes, the format of the anonymous Microsoft web data; errors give file and line.
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

const std::string head =
    "I,4,\"www.site.org\",\"made by hand\"\r\nT,1,\"VRoot\",0,0,\"VRoot\"\nN,0,\"0\"\n"
    "A,1287,1,\"Maps, \"\"roads\"\"\",\"/maps\"\nA,1001,1,\"Help\",\"/help\"\nA,9,1,\"\",\"/\"\n";

std::string refusal(const WrittenFiles& files, const std::string& content, const CorpusOptions& options = {}) {
  try {
    Corpus::read(files.write("users", content), options);
  } catch (const DataError& error) {
    return files.without_folder(error.what());
  }
  return "accepted";
}

TEST(CaseReader, CasesAreDocumentsAndAttributesNamedWords) {
  const WrittenFiles files;
  const Corpus corpus = Corpus::read(
      files.write("users", head + "C,\"10001\",10001\nV,1001,1\nV,1287,2\r\n\nC,\"10002\",10002\nV,9,1\n"));
  EXPECT_EQ(corpus.vocabulary(), (std::vector<std::string>{"Maps, \"roads\"", "Help", "9"}));
  ASSERT_EQ(corpus.documents(), 2U);
  EXPECT_EQ(corpus.tokens(), 4U);
  std::vector<WordCount> buffer;
  const auto first = corpus.store().read(0, buffer);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].word, 1U);
  EXPECT_EQ(first[1].word, 0U);
  EXPECT_EQ(first[1].count, 2U);
}

TEST(CaseReader, CasesWithoutVotes_AreLeftOutWhereAllowed) {
  const WrittenFiles files;
  const std::string content = head + "C,\"1\",1\nC,\"2\",2\nV,9,1\n";
  EXPECT_EQ(refusal(files, content),
            "users:7: the case has no votes. Remove it, or use skip_empty to omit documents without words");
  CorpusOptions options;
  options.skip_empty = true;
  const Corpus corpus = Corpus::read(files.path_of("users"), options);
  EXPECT_EQ(corpus.documents(), 1U);
  EXPECT_EQ(corpus.skipped(), 1U);
}

TEST(CaseReader, Mistakes_AreToldWithTheirLine) {
  const WrittenFiles files;
  EXPECT_EQ(refusal(files, head + "V,9,1\n"),
            "users:7: the vote comes before any case. Votes must follow their case, a line C,...");
  const std::string one = head + "C,\"1\",1\n";
  EXPECT_EQ(refusal(files, one + "V,8,1\n"),
            "users:8: there is a vote for 8, which is not an attribute above; add a line A,8,1,\"title\"");
  for (const std::string vote : {"V,9", "V,9,0", "V,9,-1", "V,nine,1", "V,9,1.5", "V,9,99999999"})
    EXPECT_EQ(refusal(files, one + vote + "\n"), "users:8: the line is '" + vote +
                                                     "' where V,id,count is expected, two whole numbers, count from 1 "
                                                     "to 16777216");
  EXPECT_EQ(refusal(files, one + "V,9,1\nW,9,1\n"),
            "users:9: the line is 'W,9,1' where an attribute (A,id,1,\"title\",...), a case (C,...) or a vote "
            "(V,id,count) is expected");
  EXPECT_EQ(refusal(files, head + "A,9,1,\"Again\"\n"), "users:7: attribute 9 occurs twice. Remove one");
  for (const std::string attribute : {"A,x,1,\"Title\"", "A,7,1", "A,7,1,\"Tit"})
    EXPECT_EQ(refusal(files, head + attribute + "\n"),
              "users:7: the line is '" + attribute + "' where A,id,1,\"title\",... is expected, id a whole number");
  EXPECT_EQ(refusal(files, "I,4,\"site\"\n"), "users:1: the file ends without attributes, lines A,id,1,\"title\",...");
  EXPECT_EQ(refusal(files, head), "users: there is no document with words");
  CorpusOptions options;
  options.vocabulary = files.write("vocab", "a\nb\n");
  EXPECT_EQ(refusal(files, one + "V,9,1\n", options),
            "users: a file of cases names its words in its attributes; omit the vocabulary");
}

TEST(CaseReader, TextThatBeginsWithALetterAndAComma_IsText) {
  EXPECT_TRUE(looks_like_cases("I,4,\"site\""));
  EXPECT_TRUE(looks_like_cases("C,\"1\",1"));
  EXPECT_FALSE(looks_like_cases("A, the first letter"));
  EXPECT_FALSE(looks_like_cases("I,too"));
  EXPECT_FALSE(looks_like_cases("A,"));
}

}  // namespace
}  // namespace sgmcmc
