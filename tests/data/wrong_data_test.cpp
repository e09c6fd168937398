// Invalid data files of every format, each with the full error message.
#include "data/binary_files.hpp"
#include "data/packing.hpp"
#include "data/variables.hpp"
#include "data/written_files.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sgmcmc {
namespace {

using testing::bytes_of_all;
using testing::idx_header;
using testing::npy_header;
using testing::WrittenFiles;

/// '@' in an argument stands for the path of the file; the message has only the file's name.
struct WrongData {
  std::string file;
  std::string content;
  std::vector<std::string> arguments;
  std::string message;
};

/// The model declares real x, X, y and integer k.
std::string message_for(const WrongData& wrong) {
  const WrittenFiles files;
  const std::string path = files.write(wrong.file, wrong.content);
  std::vector<std::string> arguments = wrong.arguments;
  for (std::string& argument : arguments) {
    if (const std::size_t at = argument.find('@'); at != argument.npos) argument.replace(at, 1, path);
  }
  try {
    read_data(arguments,
              std::vector<WantedVariable>{
                  {"x", WantedKind::real}, {"X", WantedKind::real}, {"y"}, {"k", WantedKind::integer}},
              nullptr);
  } catch (const Error& error) {
    return files.without_folder(error.what());
  }
  return "(accepted)";
}

void check(const std::vector<WrongData>& table) {
  for (const WrongData& wrong : table) EXPECT_EQ(message_for(wrong), wrong.message) << wrong.content;
}

TEST(WrongData, Json_IsRefusedWithPosition) {
  const auto json = [](const std::string& content, const std::string& message) -> WrongData {
    return {"d.json", content, {"@"}, message};
  };
  check({
      json("{\"x\": [1, 2", "d.json:1:12: key 'x': the file ends inside an array: ']' is missing"),
      json("{\"x\": [1, 2\n", "d.json:2:1: key 'x': the file ends inside an array: ']' is missing"),
      json("{\"x\": [1, 2,]}", "d.json:1:13: key 'x': found ']' after ','. Remove the last comma"),
      json("{\"x\": [1 2]}", "d.json:1:10: key 'x': found '2' where ',' or ']' is expected"),
      json("{\"x\": [[1, 2],\n       [3]]}",
           "d.json:2:10: key 'x': the array at [2] has 1 element, those before it have 2. Arrays must be rectangular: "
           "give all the same length"),
      json("{\"x\": [[1, 2], [3, 4, 5]]}",
           "d.json:1:24: key 'x': the array at [2] has 3 elements, those before it have 2. Arrays must be rectangular: "
           "give all the same length"),
      json("{\"x\": [[[1, 2], [3, 4]], [[1, 2]]]}",
           "d.json:1:33: key 'x': the array at [2] has 1 element, those before it have 2. Arrays must be rectangular: "
           "give all the same length"),
      json("{\"x\": [1, [2]]}", "d.json:1:11: key 'x': found an array at [2], where a number is expected as before it"),
      json("{\"x\": [[1], 2]}", "d.json:1:13: key 'x': found a number at [2], where an array is expected as before it"),
      json("{\"x\": [1, null]}",
           "d.json:1:11: key 'x': found null: missing values cannot be used. Remove these rows, or model them as "
           "parameters"),
      json("{\"x\": true}",
           "d.json:1:7: key 'x': found true where a number is expected. Write 1 for true and 0 for false"),
      json("{\"x\": [\"1.5\"]}",
           "d.json:1:8: key 'x': found the text '1.5' where a number is expected. Words for numbers are \"NaN\", "
           "\"Inf\" and \"-Inf\""),
      json("{\"x\": \"\"}",
           "d.json:1:7: key 'x': found the text '' where a number is expected. Words for numbers are \"NaN\", \"Inf\" "
           "and \"-Inf\""),
      json("{\"x\": [nan0]}",
           "d.json:1:8: key 'x': found 'nan0' where a number is expected. Words for numbers are \"NaN\", \"Inf\" and "
           "\"-Inf\""),
      json("{\"x\": 1e999}", "d.json:1:7: key 'x': the number '1e999' is beyond the largest double, 1.8e308"),
      json("{\"x\": 1.2.3}", "d.json:1:7: key 'x': '1.2.3' is not a number"),
      json("{\"x\": .5}",
           "d.json:1:7: key 'x': '.5' is not a JSON number: a number begins with a digit: write 0.5, not .5"),
      json("{\"x\": 5.}", "d.json:1:7: key 'x': '5.' is not a JSON number: digits follow the point: write 5.0, not 5."),
      json("{\"x\": +5}", "d.json:1:7: key 'x': '+5' is not a JSON number: a number has no '+' in front"),
      json("{\"x\": 007}", "d.json:1:7: key 'x': '007' is not a JSON number: a number has no leading zeros"),
      json("{\"x\": -}", "d.json:1:7: key 'x': '-' is not a number"),
      json("{\"x\": 0x10}", "d.json:1:8: found 'x' where ',' or '}' after the value of 'x' is expected"),
      json("{\"k\": [1, 2.5]}",
           "d.json:1:11: key 'k': found 2.5, but the model declares int: whole numbers within 32 bits"),
      json("{\"k\": 3000000000}",
           "d.json:1:7: key 'k': found 3000000000, but the model declares int: whole numbers within 32 bits"),
      json("{\"k\": \"NaN\"}",
           "d.json:1:7: key 'k': found 'NaN', but the model declares int: whole numbers within 32 bits"),
      json("{\"x\": {\"1\": 2, \"2\": 3}}",
           "d.json:1:7: key 'x': found an object: tuples are not supported. Give each part its own key"),
      json("{\n  // the data\n  \"x\": 1}", "d.json:2:3: found '/': JSON has no comments. Remove it"),
      json("{\"x\": 1 # the data\n}", "d.json:1:9: found '#': JSON has no comments. Remove it"),
      json("{'x': 1}", "d.json:1:2: found \"'\": JSON writes strings in double quotes"),
      json("{\"x\": 1, }", "d.json:1:10: found '}' where a key in double quotes after ',' is expected"),
      json("{\"x\" 1}", "d.json:1:6: found '1' where ':' after the key 'x' is expected"),
      json("{\"x\": }", "d.json:1:7: key 'x': found '}' where a number or an array is expected"),
      json("{\"x\":", "d.json:1:6: key 'x': the file ends where a number or an array is expected"),
      json("{\"x", "d.json:1:2: the string that begins here never ends: its closing '\"' is missing"),
      json("{\"x\n\": 1}", "d.json:1:4: a string may not contain '\\n': is a '\"' missing?"),
      json("{\"\\q\": 1}",
           "d.json:1:4: '\\' is followed by 'q'; JSON knows \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX"),
      json("{\"\\u12g4\": 1}", "d.json:1:7: '\\u' is followed by four hexadecimal digits, not by 'g'"),
      json("{\"x\": 1\n \"y\": 2}", "d.json:2:2: found '\"' where ',' or '}' after the value of 'x' is expected"),
      json("{\"x\": 1}\n{\"y\": 2}", "d.json:2:1: found '{' where the end of the file is expected"),
      json("{\"x\": 1,\n \"x\": 2}", "d.json:2:2: key 'x' is there twice, first in line 1. Remove one"),
      json("{\"other\": [1, }", "d.json:1:15: found '}' where a value is expected"),
      json("{\"other\": oops, \"x\": 1}", "d.json:1:11: found 'oops' where a value is expected"),
      json("{\"other\": {1: 2}}", "d.json:1:12: found '1' where a key in double quotes is expected"),
      json("[1, 2]", "d.json:1:1: the file is one array, which has no name: write NAME=FILE"),
      {"d.json",
       "{\"x\": 1}",
       {"x=@"},
       "d.json:1:1: the file is an object with keys, not one array: give it as FILE, without a name"},
      {"d.json",
       std::string("{\"x\": ") + std::string(40, '[') + "1" + std::string(40, ']') + "}",
       {"@"},
       "d.json:1:39: key 'x': arrays are nested more than 32 deep"},
  });
}

TEST(WrongData, Csv_IsRefusedWithLineAndColumn) {
  const auto csv = [](const std::string& content, const std::string& argument,
                      const std::string& message) -> WrongData {
    return {"t.csv", content, {argument}, message};
  };
  check({
      csv("x,k\n1,2\n,3\n", "@",
          "t.csv:3: column 1 'x' is empty: missing values cannot be used. Remove these rows, or model them as "
          "parameters"),
      csv("x,k\n1,2\n3,\n", "@",
          "t.csv:3: column 2 'k' is empty: missing values cannot be used. Remove these rows, or model them as "
          "parameters"),
      csv("x,k\n1,2\nNA,3\n", "@",
          "t.csv:3: column 1 'x' is 'NA': missing values cannot be used. Remove these rows, or model them as "
          "parameters"),
      csv("x;k\n1;2\nNaN;3\n", "@",
          "t.csv:3: column 1 'x' is 'NaN': missing values cannot be used. Remove these rows, or model them as "
          "parameters"),
      csv("1,2\n1,?\n", "X=@",
          "t.csv:2: column 2 is '?': missing values cannot be used. Remove these rows, or model them as parameters"),
      csv("x,k\n1,2\nabc,3\n", "@",
          "t.csv:3: column 1 'x' is 'abc', not a number. Code text as numbers, or leave the column out"),
      csv("x,k\n1,2\n1,2.5\n", "@",
          "t.csv:3: column 2 'k' is '2.5', but the model declares 'k' as int: whole numbers within 32 bits"),
      csv("x,k\n1,3000000000\n", "@",
          "t.csv:2: column 2 'k' is '3000000000', but the model declares 'k' as int: whole numbers within 32 bits"),
      csv("x\n1\nTRUE\n", "@", "t.csv:3: column 1 'x' is 'TRUE'. Write 1 for true and 0 for false"),
      csv("x;y\n1,5;2\n", "@", "t.csv:2: column 1 'x' is '1,5'. Write decimals with a point: 1.5"),
      csv("x,y\n1,2\n3\n", "@", "t.csv:3: the line has 1 field, the first line has 2. Give every line the same number"),
      csv("x,y\n1,2\n3,4,5\n", "@",
          "t.csv:3: the line has 3 fields, the first line has 2. Give every line the same number"),
      csv("x,y,z\n1,2,3\n4,5\n", "x=@:x",
          "t.csv:3: the line has 2 fields, the first line has 3. Give every line the same number"),
      csv("x,y\n1,2\n\n3,4\n", "@", "t.csv:3: the line is empty. Remove it"),
      csv("x\n1\n\n\n3\n", "@", "t.csv:3: the line is empty. Remove it"),
      csv("x,y\n", "@", "t.csv: there is a header, but no line of data"),
      csv("\nx,y\n1,2\n", "@", "t.csv:1: the first line is empty. It must hold the names of the columns, or numbers"),
      csv("1,2\n3,4\n", "@",
          "t.csv: the file has no header (its first line holds numbers), so its columns have no names. Add one, or "
          "write NAME=FILE:COLUMNS with columns by number, 1 to 2"),
      csv("x,y\n1,2\n", "x=@:z1", "t.csv: there is no column 'z1'. There are: 'x', 'y'."),
      csv("alpha,beta\n1,2\n", "x=@:alhpa", "t.csv: there is no column 'alhpa'. Did you mean 'alpha'?"),
      csv("x,y\n1,2\n", "x=@:3", "t.csv: there is no column 3: it has columns 1 to 2"),
      csv("x,y\n1,2\n", "x=@:0", "t.csv: there is no column 0: it has columns 1 to 2"),
      csv("1,2\n3,4\n", "x=@:a",
          "t.csv: there is no column 'a': the file has no header (its first line holds numbers). Name columns by "
          "number, 1 to 2"),
      csv("x,y\n1,2\n", "X=@:y..x",
          "t.csv: the range 'y..x' runs backwards, from column 2 to column 1. Turn it around"),
      csv("x,y\n1,2\n", "X=@:x,,y",
          "t.csv: the list of columns 'x,,y' has an empty name. Write a,b,c or a..c, by name or number"),
      csv("x,x\n1,2\n", "@", "t.csv: columns 1 and 2 are both called 'x'. Name the column by its number"),
      csv("x,x\n1,2\n", "x=@:x", "t.csv: columns 1 and 2 are both called 'x'. Name the column by its number"),
      csv("x,y\n1,\"2\n3,4\n", "@", "t.csv:2: a quote (\") that opens in this line is never closed"),
      csv("x,y\n1e999,2\n", "@", "t.csv:2: column 1 'x' is '1e999', beyond the largest double, 1.8e308"),
      csv("x,y\n1,2\n\"3\"4,5\n", "@",
          "t.csv:3: column 1 'x' is '\"3\"4', not a number. Code text as numbers, or leave the column out"),
      csv("1 2 3\n4 5 6\n", "X=@",
          "t.csv:1: the line '1 2 3' is neither numbers nor names: columns must be separated by commas, semicolons or "
          "tabs"),
      csv("x,y\r1,2\r", "@", "t.csv: lines end in '\\r' alone. Convert them to line feeds ('\\n')"),
      csv("N <- 5\ny <- c(1, 2)\n", "@",
          "t.csv:1: this looks like R's dump format ('name <- value'). Write the data as JSON"),
      csv("x,name\n1,\"a\nb\"\nbad,c\n", "x=@:x",
          "t.csv:4: column 1 'x' is 'bad', not a number. Code text as numbers, or leave the column out"),
  });
}

TEST(WrongData, Binary_IsRefusedWithItsHeader) {
  const std::string four = bytes_of_all<double>({1, 2, 3, 4}, false);
  const auto npy = [](const std::string& content, const std::string& message) -> WrongData {
    return {"a.npy", content, {"x=@"}, message};
  };
  const std::string head = npy_header("<f8", "False", "(2, 2)");
  std::string no_shape = head, version_nine = head;
  no_shape.replace(no_shape.find("shape"), 5, "shpae");
  version_nine[6] = 9;
  check({
      npy(head + four.substr(0, 31),
          "a.npy: the header says shape [2, 2], 32 bytes, but 31 follow. Write the file again"),
      npy(head + four + "x", "a.npy: the header says shape [2, 2], 32 bytes, but 33 follow. Write the file again"),
      npy(head.substr(0, 40), "a.npy: the file ends inside its NPY header. Write it again"),
      npy(head.substr(0, 8), "a.npy: the file ends inside its NPY header. Write it again"),
      npy(no_shape + four, "a.npy: the header has no 'shape'. Write the file again with numpy.save"),
      npy(version_nine + four, "a.npy: NPY version 9 is unknown; 1, 2 and 3 are read"),
      npy(npy_header("<c16", "False", "(2,)") + four,
          "a.npy: the elements are of NumPy's type '<c16'. Save the array as float64, float32, an integer type or "
          "bool: numpy.save(file, x.astype('float64'))"),
      npy(npy_header("|O", "False", "(2,)") + four,
          "a.npy: the elements are of NumPy's type '|O'. Save the array as float64, float32, an integer type or bool: "
          "numpy.save(file, x.astype('float64'))"),
      npy(npy_header("<f8", "Maybe", "(2,)") + four,
          "a.npy: the header's 'fortran_order' is neither True nor False. Write the file again with numpy.save"),
      npy(npy_header("<f8", "False", "(2, x)") + four,
          "a.npy: the header's 'shape' is not a tuple of sizes. Write the file again with numpy.save"),
      npy(npy_header("<f8", "False", "(-1,)") + four,
          "a.npy: the header's 'shape' is not a tuple of sizes. Write the file again with numpy.save"),
      npy(npy_header("<f8", "False", "(99999999999, 99999999999)") + four,
          "a.npy: the header says shape [99999999999, 99999999999], which is more than any memory holds"),
      {"a.npy.gz",
       testing::gzip(head + four.substr(0, 31)),
       {"x=@"},
       "a.npy.gz: the header says shape [2, 2], 32 bytes, but the file ends after 31 of them. Write the file again"},
      {"a.npy.gz",
       testing::gzip(head + four + four),
       {"x=@"},
       "a.npy.gz: the header says shape [2, 2], 32 bytes, but more follow. Write the file again"},
      {"a.npy",
       npy_header("<f8", "False", "(2, 2)") + bytes_of_all<double>({1, 2, 3.5, 4}, false),
       {"k=@"},
       "a.npy: element [2, 1] is 3.5, but the model declares 'k' as int: whole numbers within 32 bits"},
      {"a.npy", head + four, {"@"}, "data a.npy: an NPY file holds one array without a name. Write NAME=a.npy"},
      {"a.npy",
       head + four,
       {"x=@:2"},
       "data x=a.npy:2: columns can be chosen from CSV files only, and this one is NPY. Write x=a.npy"},
      {"i.idx",
       idx_header(0x08, {2, 2}) + "abc",
       {"x=@"},
       "i.idx: the header says shape [2, 2], 4 bytes, but 3 follow. Write the file again"},
      {"i.idx",
       idx_header(0x08, {2, 2}) + "abcde",
       {"x=@"},
       "i.idx: the header says shape [2, 2], 4 bytes, but 5 follow. Write the file again"},
      {"i.idx",
       idx_header(0x08, {2, 2}).substr(0, 9),
       {"x=@"},
       "i.idx: the file ends inside its IDX header. Write it again"},
      {"i.idx",
       idx_header(0x08, {2}) + "ab",
       {"@"},
       "data i.idx: an IDX file holds one array without a name. Write NAME=i.idx"},
  });
}

TEST(WrongData, Libsvm_IsRefusedWithPosition) {
  const auto libsvm = [](const std::string& content, const std::string& message) -> WrongData {
    return {"a9a", content, {"x=@", "k=@:label"}, message};
  };
  check({
      libsvm("1 1:2\n0 3:1 2:1\n",
             "a9a:2:7: index 2 follows index 3. Indices must increase along the line, each at most once"),
      libsvm("1 1:2\n0 3:1 3:1\n",
             "a9a:2:7: index 3 follows index 3. Indices must increase along the line, each at most once"),
      libsvm("1 1:2\n0 3:abc\n", "a9a:2:3: found '3:abc' where index:value is expected, a whole number and a number"),
      libsvm("1 1:2\n0 x:1\n", "a9a:2:3: found 'x:1' where index:value is expected, a whole number and a number"),
      libsvm("1 1:2\n0 3\n", "a9a:2:3: found '3' where index:value is expected, a whole number and a number"),
      libsvm("1 1:2\n0 3:\n", "a9a:2:3: found '3:' where index:value is expected, a whole number and a number"),
      libsvm("1 1:2\nabc 3:1\n", "a9a:2:1: the line begins with 'abc' where a label, a number, is expected"),
      libsvm("1 1:2\n1,2 3:1\n", "a9a:2:1: the label is '1,2': several labels are not supported"),
      libsvm("1 1:2\n0.5 3:1\n",
             "a9a:2:1: the label is '0.5', but the model declares int: whole numbers within 32 bits"),
      libsvm("1 1:2\n1 3:1e999\n", "a9a:2:3: the value of '3:1e999' is beyond the largest double, 1.8e308"),
      libsvm("1 1:2\n1 99999999999:1\n", "a9a:2:3: the index of '99999999999:1' is beyond 32 bits"),
      libsvm("1 qid:3 1:2\n", "a9a:1:3: found 'qid:3': ranking queries are not supported. Remove qid"),
      {"a9a", "1 1:2\n", {"k=@"}, "a9a: features: LIBSVM features are real, but the model declares 'k' as int"},
      {"a9a",
       "1 1:2\n",
       {"x=@:3"},
       "data x=a9a:3: the file is LIBSVM, which has no columns. NAME=FILE are its features, NAME=FILE:label its "
       "labels"},
  });
}

TEST(WrongData, UnreadableFiles_AreRefused) {
  check({
      {"f", "", {"@"}, "f: the file is empty"},
      {"f", " \n\n", {"@"}, "f: the file holds nothing but white space"},
      {"f",
       "PK\x03\x04 something",
       {"@"},
       "f: this is a zip archive (npz and xlsx are). Unpack it, and give the files inside"},
      {"f", "BZh91AY", {"@"}, "f: the file is packed by bzip2. Unpack it, or pack it by gzip, zstd or xz"},
      {"f", "\x89HDF\r\n", {"@"}, "f: this is an HDF5 file. Write its arrays as NPY or CSV"},
      {"f", "PAR1....", {"@"}, "f: this is a Parquet file. Write it as CSV, or its columns as NPY"},
      {"f", "\xFF\xFE{", {"@"}, "f: the text is UTF-16. Save it as UTF-8"},
      {"f",
       std::string("\x01\x02\x00\x03", 4),
       {"@"},
       "f: the format is unknown: the file is binary, but neither NPY nor IDX. Known are JSON, CSV, NPY, LIBSVM and "
       "IDX"},
      {"f.gz", testing::gzip(testing::gzip("x\n1\n")), {"@"}, "f.gz: the file is packed twice. Unpack it once"},
      {"f.gz",
       testing::gzip("x\n1\n").substr(0, 20),
       {"@"},
       "f.gz: the gzip data end in the middle. Copy or download the file again"},
      {"f",
       "x\n1\n",
       {"@.csv"},
       "f.csv: cannot be opened: No such file or directory. Give the path of a data file that exists"},
      {"f", "x\n1\n", {"x=/"}, "/: is a folder. Give the path of a data file"},
  });
}

TEST(WrongData, Arguments_AreRefused) {
  check({
      {"f.csv",
       "x\n1\n",
       {"z=@"},
       "data z=f.csv: the model declares no data called 'z'. There are: 'X', 'k', 'x', 'y'."},
      {"f.csv",
       "x\n1\n",
       {"x y=f.csv"},
       "data x y=f.csv: 'x y' cannot be the name of a variable: names are letters, digits and '_', a letter first"},
      {"f.csv", "x\n1\n", {"@:x"}, "data f.csv:x: columns without the variable they make. Write NAME=f.csv:x"},
      {"f.csv", "x\n1\n", {"x=@:"}, "data x=f.csv:: no columns behind ':'. Name them, as in x1,x2 or x1..x9 or 1..9"},
      {"f.csv", "x\n1\n", {"x="}, "data x=: there is no file. Write FILE, NAME=FILE or NAME=FILE:COLUMNS"},
      {"f.csv", "x\n1\n", {"@", "@"}, "data f.csv is given twice. Remove one"},
      {"f.csv", "x\n1\n", {"x=@", "x=@:x"}, "variable 'x' is given twice: x=f.csv and x=f.csv:x. Remove one"},
      {"f.csv",
       "x\n1\n",
       {"@", "x=@:1"},
       "variable 'x' is there twice: in f.csv: column 1 'x' and in f.csv: column 1 'x'. Remove one of them"},
      {"f.json", "[1]", {"x=@", "X=@"}, "data x=f.json and X=f.json name the same file. Give it once"},
  });
}

}  // namespace
}  // namespace sgmcmc
