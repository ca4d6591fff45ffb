// SPDX-License-Identifier: Apache-2.0
#include "base/hash/sha256.h"

#include <gtest/gtest.h>

namespace stitch {
namespace {

TEST(Sha256Test, KnownAnswers) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256Test, PiecesMakeTheWhole) {
  Sha256 hash;
  hash.update("a");
  hash.update("bc");
  EXPECT_EQ(hash.finish(), sha256_hex("abc"));
}

TEST(Sha256Test, FieldsDoNotRunTogether) {
  Sha256 left;
  left.update_field("ab");
  left.update_field("c");
  Sha256 right;
  right.update_field("a");
  right.update_field("bc");
  EXPECT_NE(left.finish(), right.finish());
}

}  // namespace
}  // namespace stitch
