// Tests of reading bytes: from memory, packed by each format, in several members, cut and damaged.
#include "data/packing.hpp"
#include "data/text/byte_source.hpp"
#include "errors/message_of.hpp"

#include <sgmcmc/error.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace sgmcmc {
namespace {

using testing::message_of;

struct Packer {
  std::string name;
  std::function<std::string(const std::string&)> pack;
};

std::vector<Packer> packers() { return {{"gzip", testing::gzip}, {"zstd", testing::zstd}, {"xz", testing::xz}}; }

std::string read_all(const std::string& content, std::size_t step = 1000) {
  Input input("data", content);
  std::string text;
  std::vector<char> buffer(step);
  while (const std::size_t count = input.read(buffer)) text.append(buffer.data(), count);
  return text;
}

/// Poorly compressible, so that the compressed text is also larger than any buffer.
std::string long_text() {
  std::mt19937_64 random(7);
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(random()) + "\n";
  return text;
}

TEST(Unpack, EveryFormat_GivesTheTextBack) {
  const std::string longer = long_text();
  for (const Packer& packer : packers()) {
    for (const std::string& text : {std::string(), std::string("1"), std::string("a,b\n1,2\n"), longer}) {
      EXPECT_EQ(read_all(packer.pack(text)), text) << packer.name;
    }
    EXPECT_EQ(read_all(packer.pack(longer), 1 << 20), longer) << packer.name;
    EXPECT_EQ(read_all(packer.pack("small steps"), 1), "small steps") << packer.name;
  }
}

TEST(Unpack, SeveralMembers_AreOneText) {
  for (const Packer& packer : packers()) {
    EXPECT_EQ(read_all(packer.pack("one,") + packer.pack("two,") + packer.pack("") + packer.pack("three")),
              "one,two,three")
        << packer.name;
  }
}

TEST(Unpack, CutAnywhere_IsRefused) {
  for (const Packer& packer : packers()) {
    const std::string packed = packer.pack("1,2,3\n4,5,6\n");
    for (std::size_t kept = 6; kept < packed.size(); ++kept) {
      const std::string message = message_of<DataError>([&] { read_all(packed.substr(0, kept)); });
      EXPECT_EQ(message, "data: the " + packer.name + " data end in the middle. Copy or download the file again")
          << kept;
    }
  }
}

TEST(Unpack, Damage_IsRefused) {
  for (const Packer& packer : packers()) {
    std::string packed = packer.pack(long_text());
    packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
    const std::string message = message_of<DataError>([&] { read_all(packed); });
    EXPECT_EQ(message.find("data: the " + packer.name + " data are damaged ("), 0u) << message;
  }
}

TEST(Unpack, BytesBehindTheEnd_AreRefused) {
  EXPECT_EQ(message_of<DataError>([] { read_all(testing::gzip("text") + "rest"); }),
            "data: the gzip data are damaged (incorrect header check). Copy or download the file again");
}

TEST(Input, Peek_LeavesTheBytesToBeRead) {
  const std::string text = "0123456789";
  Input input("data", text);
  EXPECT_EQ(input.peek(3), "012");
  EXPECT_EQ(input.remaining(), 10u);
  input.skip(2);
  EXPECT_EQ(input.peek(4), "2345");
  std::vector<char> buffer(3);
  EXPECT_EQ(input.read(buffer), 3u);
  EXPECT_EQ(std::string(buffer.begin(), buffer.end()), "234");
  EXPECT_EQ(input.remaining(), 5u);
  EXPECT_EQ(input.peek(100), "56789");
  buffer.resize(100);
  EXPECT_EQ(input.read(buffer), 5u);
  EXPECT_EQ(input.read(buffer), 0u);
  EXPECT_TRUE(input.peek(1).empty());
}

TEST(Shown, TextOfAFile_IsShortenedAndMadeVisible) {
  EXPECT_EQ(shown("abc"), "'abc'");
  EXPECT_EQ(shown(std::string("a\tb\nc\x01\x7f", 7)), "'a\\tb\\nc\\x01\\x7f'");
  EXPECT_EQ(shown(std::string(50, 'x')), "'" + std::string(40, 'x') + "...'");
}

}  // namespace
}  // namespace sgmcmc
