// Ratings of every format, and the message for every mistake.
#include "factors/ratings/rating_readers.hpp"

#include <sgmcmc/error.hpp>
#include <sgmcmc/ratings.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace sgmcmc {
namespace {

Ratings::Parts read(const std::string& text, const RatingsOptions& options = {}) {
  Ratings::Parts parts;
  Input input("ratings", std::span<const char>(text.data(), text.size()));
  read_ratings(input, options, parts);
  refuse_duplicates(parts, "ratings");
  return parts;
}

/// user:item=value, ids as the file has them.
std::string text_of(const Ratings::Parts& parts) {
  std::string text;
  for (const Rating& rating : parts.entries)
    text += parts.users.name(rating.user) + ":" + parts.items.name(rating.item) + "=" +
            std::to_string(rating.value).substr(0, 3) + " ";
  return text;
}

std::string refusal(const std::string& text, const RatingsOptions& options = {}) {
  try {
    read(text, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RatingReader, EveryFormat_GivesTheSameRatings) {
  const std::string expected = "7:30=4.0 7:10=3.5 900:30=1.0 ";
  EXPECT_EQ(text_of(read("7::30::4::978300760\n7::10::3.5::978302109\n900::30::1::978301968\n")), expected);
  EXPECT_EQ(text_of(read("7\t30\t4\t881250949\n7\t10\t3.5\t8\n900\t30\t1\t9")), expected);
  EXPECT_EQ(text_of(read("userId,movieId,rating\r\n7,30,4.0\r\n7,10,3.5\r\n900,30,1\r\n")), expected);
  EXPECT_EQ(text_of(read("7;30;4\n\n# a remark\n7;10;3.5\n900;30;+1\n")), expected);
  EXPECT_EQ(text_of(read("7|30|4\n7|10|3.5\n900|30|1e0\n")), expected);
  EXPECT_EQ(text_of(read("7 30 4\n  7   10 3.5\n900\t30 1\n")), expected);
  EXPECT_EQ(
      text_of(read("%%MatrixMarket matrix coordinate real general\n% a remark\n900 40 3\n7 30 4\n7 10 3.5\n900 30 "
                   "1\n")),
      expected);
  EXPECT_EQ(text_of(read("4 7:1 30:1\n3.5 7:1 10:1\n1 900:1 30:1\n")), expected);
  EXPECT_EQ(text_of(read("rating,movie,who\n4,30,7\n3.5,10,7\n1,30,900\n",
                         {.format = RatingsFormat::automatic, .columns = "who,movie,rating", .with_values = true})),
            expected);
  EXPECT_EQ(text_of(read("4,30,7\n3.5,10,7\n1,30,900\n",
                         {.format = RatingsFormat::automatic, .columns = "3,2,1", .with_values = true})),
            expected);
}

TEST(RatingReader, IdsOfText_AreKept) {
  EXPECT_EQ(text_of(read("ann,\"film, the\",2\nbob,x,3\nann,x,5\n")), "ann:film, the=2.0 bob:x=3.0 ann:x=5.0 ");
  const Ratings::Parts parts = read("9223372036854775807,1,2\n");
  EXPECT_EQ(parts.users.name(0), "9223372036854775807");
  EXPECT_EQ(parts.users.find("9223372036854775807"), 0U);
  EXPECT_FALSE(parts.users.find("1").has_value());
}

TEST(RatingReader, IdsWithLeadingZeros_AreTexts) {
  EXPECT_EQ(text_of(read("7,1,1\n07,1,2\n007,000,3\n7,0,4\n")), "7:1=1.0 07:1=2.0 007:000=3.0 7:0=4.0 ");
  const Ratings::Parts numbers = read("7,1,1\n"), texts = read("7,1,1\n007,1,1\n");
  EXPECT_FALSE(numbers.users.find("007").has_value());
  EXPECT_EQ(texts.users.find("7"), 0U);
  EXPECT_EQ(texts.users.find("007"), 1U);
  EXPECT_FALSE(texts.users.find("07").has_value());
  EXPECT_EQ(refusal("1,2,3\n01,4,3\nx,4,3\n"),
            "ratings:3: the id of the user 'x' is not a whole number, as the ids before it are");
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";  // its indices are numbers, not names
  EXPECT_EQ(text_of(read(head + "10 10 2\n7 01 5\n07 2 4\n")), "7:1=5.0 7:2=4.0 ");
}

TEST(RatingReader, QuotesInQuotedFields_AreWrittenTwice) {
  EXPECT_EQ(text_of(read("\"say \"\"hi\"\"\",\"\"\"\",2\nsay \"ho\",x,3\n")), "say \"hi\":\"=2.0 say \"ho\":x=3.0 ");
  EXPECT_EQ(text_of(read("\"a\"\",b\",x,3\n")), "a\",b:x=3.0 ");
}

TEST(RatingReader, ColumnsBeyondTheSixtyFourth_CanBeNamed) {
  std::string names, numbers;
  for (int c = 1; c <= 71; ++c) {
    names += (c > 1 ? ",c" : "c") + std::to_string(c);
    numbers += (c > 1 ? "," : "") + std::to_string(c);
  }
  for (const char* columns : {"1,2,71", "c1,c2,c71"})
    EXPECT_EQ(text_of(read(names + "\n" + numbers + "\n",
                           {.format = RatingsFormat::automatic, .columns = columns, .with_values = true})),
              "1:2=71. ")
        << columns;
}

TEST(RatingReader, AFirstLineWithoutARating_IsNotAHeader) {
  for (const char* line : {"52,99,NA", "ann,film,n/a", "52,99,", "52,99,good"})
    EXPECT_EQ(refusal(std::string(line) + "\n1,2,3\n"), "ratings:1: the rating is '" +
                                                            std::string(line).substr(std::string(line).rfind(',') + 1) +
                                                            "', which is not a number")
        << line;
}

TEST(RatingReader, RatingsThatSinglePrecisionCannotTellApart_AreRefused) {
  EXPECT_EQ(refusal("1,2,1000000001\n1,3,1000000003\n1,4,1000000002\n"),
            "ratings: the ratings are from 1000000001 to 1000000003, with a standard deviation of 0.816, which single "
            "precision cannot hold. Subtract a constant, such as 1e+09, from all ratings, and add it to the "
            "predictions");
  EXPECT_EQ(refusal("1,2,1e-200\n1,3,3e-200\n"),
            "ratings: the ratings are from 1e-200 to 3e-200, too close to 0 for single precision, in which they are "
            "stored. Multiply them by a constant");
  for (const char* good : {"1,2,0.1\n1,3,0.1\n", "1,2,0\n", "1,2,2001.5\n1,3,2002.25\n", "1,2,1e9\n1,3,-3e30\n"})
    EXPECT_EQ(refusal(good), "") << good;
  Ratings::Builder builder(1, 3);
  builder.add(0, 0, 2e7 + 1).add(0, 1, 2e7 + 3).add(0, 2, 2e7 + 2);
  EXPECT_THROW(builder.build(), DataError);
}

TEST(RatingReader, Pairs_NeedNoRatingAndMayBeGivenTwice) {
  RatingsOptions pairs;
  pairs.with_values = false;
  for (const char* text : {"user,item\n1,2\n1,2\n", "1,2\n1,2\n", "1 2 4.5\n1 2 3\n"}) {
    Ratings::Parts parts;
    Input input("pairs", std::span<const char>(text, std::char_traits<char>::length(text)));
    read_ratings(input, pairs, parts);
    EXPECT_EQ(text_of(parts), "1:2=0.0 1:2=0.0 ") << text;
  }
}

TEST(RatingReader, PairsWithNamedColumns_NeedNoneOfRatings) {
  const RatingsOptions pairs{.format = RatingsFormat::automatic, .columns = "who,movie,rating", .with_values = false};
  for (const char* text : {"movie,who\n2,1\n4,3\n", "movie,rating,who\n2,5,1\n4,5,3\n"}) {
    Ratings::Parts parts;
    Input input("pairs", std::span<const char>(text, std::char_traits<char>::length(text)));
    read_ratings(input, pairs, parts);
    EXPECT_EQ(text_of(parts), "1:2=0.0 3:4=0.0 ") << text;
  }
  EXPECT_EQ(refusal("who,rating\n1,3\n", pairs),
            "ratings:1: there is no column 'movie' in the first line. There are: 'who', 'rating'.");
}

TEST(RatingReader, LinesThatBeginLikeRemarks_AreNotLost) {
  const auto lost = [](const std::string& line, char sign) {
    return "ratings:" + line + ": the line begins with '" + sign +
           "'; put the id in double quotes if it is one, or a blank behind the sign if it is a remark";
  };
  EXPECT_EQ(refusal("ann,film,2\n#bob,film,3\n"), lost("2", '#'));
  EXPECT_EQ(refusal("ann,film,2\n\n%bob,film,3\n"), lost("3", '%'));
  EXPECT_EQ(refusal("#bob,film,3\nann,film,2\n"), lost("1", '#'));
  EXPECT_EQ(
      refusal("#bob film 3\nann film 2\n"),
      "ratings:1: the line begins with '#'; separate the fields by commas and put the id in double quotes if it is "
      "one, or a blank behind the sign if it is a remark");
  EXPECT_EQ(text_of(read("\"#bob\",film,3\nann,\"%\",2\n")), "#bob:film=3.0 ann:%=2.0 ");
  // Remarks, also those of numpy.savetxt, of KONECT and with the names of columns.
  EXPECT_EQ(text_of(read("# user,item,rating\n1,2,3\n#end\n# 4,5,6\n")), "1:2=3.0 ");
  EXPECT_EQ(text_of(read("#user,item,rating\n1,2,3\n##\n")), "1:2=3.0 ");
  EXPECT_EQ(text_of(read("% bip weighted\n% 3 1 2\n1 2 3\n")), "1:2=3.0 ");
  RatingsOptions pairs;
  pairs.with_values = false;
  EXPECT_EQ(refusal("#b7,film\nann,film\n", pairs), lost("1", '#'));
  EXPECT_EQ(refusal("ann,film\n#bob,film\n", pairs), lost("2", '#'));
  EXPECT_EQ(refusal("#user,item\nann,film\n", pairs), "");
}

TEST(RatingReader, FirstPairsOfKnownIds_AreNoHeader) {
  RatingsOptions pairs;
  pairs.with_values = false;
  const auto read_pairs = [&](const std::string& text) {
    Ratings::Parts parts;
    for (const char* user : {"ann", "bob"}) parts.users.add(user);
    parts.items.add("matrix");
    Input input("pairs", std::span<const char>(text.data(), text.size()));
    read_ratings(input, pairs, parts);
    return text_of(parts);
  };
  EXPECT_EQ(read_pairs("ann,matrix\nbob,matrix\n"), "ann:matrix=0.0 bob:matrix=0.0 ");
  EXPECT_EQ(read_pairs("zoe,matrix\nbob,matrix\n"), "zoe:matrix=0.0 bob:matrix=0.0 ");
  EXPECT_EQ(read_pairs("ann,heat\nbob,matrix\n"), "ann:heat=0.0 bob:matrix=0.0 ");
  EXPECT_EQ(read_pairs("user,item\nbob,matrix\n"), "bob:matrix=0.0 ");
  EXPECT_EQ(read_pairs("zoe,heat\n"), "zoe:heat=0.0 ");
}

TEST(RatingReader, Mistakes_AreToldWithFileAndLine) {
  EXPECT_EQ(refusal(""), "ratings:1: the file is empty");
  EXPECT_EQ(refusal("\n\n"), "ratings:2: there are no ratings");
  EXPECT_EQ(refusal("1,2,3\n\n1,4,3\n1,2,5\n"),
            "ratings:4: user 1 has rated item 2 already on line 1. Keep one rating of each pair");
  EXPECT_EQ(
      refusal("1,2,3\n9223372036854775808,4,3\n"),
      "ratings:2: the id of the user 9223372036854775808 is too large: ids that are whole numbers are below 2^63");
  EXPECT_EQ(refusal("1,2,3\n1,18446744073709551616,3\n"),
            "ratings:2: the id of the item 18446744073709551616 is too large: ids that are whole numbers are below "
            "2^63");
  EXPECT_EQ(refusal("1,2,3\nx,4,3\n"),
            "ratings:2: the id of the user 'x' is not a whole number, as the ids before it are");
  EXPECT_EQ(refusal("1,2,3\n,4,3\n"), "ratings:2: the id of the user is empty");
  for (const char* value : {"nan", "NaN", "inf", "-inf", "1e999"})
    EXPECT_EQ(refusal("1,2,3\n1,4," + std::string(value) + "\n"),
              "ratings:2: the rating is '" + std::string(value) +
                  "'; ratings must be finite. Remove the line, or give a number");
  EXPECT_EQ(refusal("1,2,3\n1,4,1e39\n"),
            "ratings:2: the rating is '1e39'; ratings must be below 3.4e38, as they are stored in single precision. "
            "Remove the line, or give a number");
  EXPECT_EQ(refusal("1,2,3\n1,4,good\n"), "ratings:2: the rating is 'good', which is not a number");
  EXPECT_EQ(refusal("1,2,3\n1,4,5x\n1,7,1\n"), "ratings:2: the rating is '5x', which is not a number");
  EXPECT_EQ(refusal("1::2::3\n1,4,5\n1::7::1\n"),
            "ratings:2: the line has 1 field separated by '::', the first line has 3");
  EXPECT_EQ(refusal("1\t2\t3\n1\t4"),
            "ratings:2: the line has 2 fields separated by tabs, the first line has 3. If the file was cut short, copy "
            "it again");
  EXPECT_EQ(refusal("1,2\n"),
            "ratings:1: the line is '1,2' where user, item and rating are expected, separated by ::, tabs, commas, ; "
            "or |");
  EXPECT_EQ(refusal("user,item,rating\n"), "ratings:1: the line is 'user,item,rating'; its rating is not a number");
  EXPECT_EQ(refusal("user,item,rating\n1,2,3\n",
                    {.format = RatingsFormat::automatic, .columns = "user,itm,rating", .with_values = true}),
            "ratings:1: there is no column 'itm' in the first line. Did you mean 'item'?");
}

TEST(RatingReader, MistakesOfMatrixMarket_AreToldWithFileAndLine) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(
      refusal("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"),
      "ratings:1: the heading is '%%MatrixMarket matrix array real general'; ratings are a matrix in coordinates, "
      "real or integer, and general: \"%%MatrixMarket matrix coordinate real general\"");
  EXPECT_EQ(refusal(head), "ratings:1: the file ends before the numbers of rows, columns and entries");
  EXPECT_EQ(refusal(head + "3 3\n"), "ratings:2: the line is '3 3' where rows, columns and entries are expected");
  EXPECT_EQ(refusal(head + "3 3 x\n"),
            "ratings:2: found 'x' where the number of entries is expected, a whole number below 2^64");
  EXPECT_EQ(refusal(head + "3 3 2\n1 2 5\n"),
            "ratings:3: the file ends after 1 of 2 entries. It is cut short: copy or unpack it again");
  EXPECT_EQ(refusal(head + "3 3 1\n1 2 5\n1 3 5\n"),
            "ratings:4: there are more entries than the 1 that the file announces");
  EXPECT_EQ(refusal(head + "3 3 1\n4 2 5\n"), "ratings:3: the row is '4'; it must be from 1 to 3");
  EXPECT_EQ(refusal(head + "3 3 1\n1 0 5\n"), "ratings:3: the column is '0'; it must be from 1 to 3");
}

TEST(RatingReader, LinesOfDuplicates_CountRemarksAndHeadings) {
  EXPECT_EQ(refusal("# one\nu,i,r\n1,2,3\n\n# two\n1,3,3\n\n1,2,5\n"),
            "ratings:8: user 1 has rated item 2 already on line 3. Keep one rating of each pair");
}

TEST(Ratings, Builder_RefusesWhatIsOutOfRange) {
  Ratings::Builder builder(2, 3);
  builder.add(1, 2, 4.5).add(0, 0, -1);
  EXPECT_THROW(builder.add(2, 0, 1), DataError);
  EXPECT_THROW(builder.add(0, 3, 1), DataError);
  EXPECT_THROW(builder.add(0, 1, std::numeric_limits<double>::quiet_NaN()), DataError);
  const Ratings ratings = builder.build();
  EXPECT_EQ(ratings.size(), 2U);
  EXPECT_EQ(ratings.users(), 2U);
  EXPECT_EQ(ratings.items(), 3U);
  EXPECT_EQ(ratings.item_name(2), "2");
  Ratings::Builder twice(2, 3);
  twice.add(0, 0, 1).add(0, 0, 2);
  EXPECT_THROW(twice.build(), DataError);
}

}  // namespace
}  // namespace sgmcmc
