// Checksums: the examples of FIPS 180-4, and input in pieces.
#include "base/sha256.hpp"

#include <gtest/gtest.h>

namespace sgmcmc {
namespace {

TEST(Sha256, ExamplesOfTheStandard_HaveTheirSums) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, BytesInPieces_GiveTheSumOfTheWhole) {
  std::string text;
  for (int k = 0; k < 1000; ++k) text += static_cast<char>(k * 37 % 251);
  for (const std::size_t piece : {1u, 7u, 55u, 56u, 63u, 64u, 65u, 128u, 999u}) {
    Sha256 sum;
    for (std::size_t at = 0; at < text.size(); at += piece) sum.add(std::string_view(text).substr(at, piece));
    EXPECT_EQ(sum.hex(), sha256(text)) << piece;
  }
}

}  // namespace
}  // namespace sgmcmc
