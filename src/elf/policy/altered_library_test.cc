// SPDX-License-Identifier: Apache-2.0
// Libraries that were cut or altered at random, always in the same way: each is taken or refused in a sentence, and
// nothing in it crashes the inspector.
#include <gtest/gtest.h>

#include <random>

#include "elf/facts/library_facts.h"
#include "elf/policy/policy.h"
#include "elf/testing/made_library.h"

namespace stitch::elf {
namespace {

constexpr int kFiles = 4000;
constexpr uint64_t kNumbers[] = {
    0, 1, 7, 0xff, 0xffff, 0x7fffffff, 0xffffffff, uint64_t{1} << 40, UINT64_MAX, UINT64_MAX - 7};

class Alter {
 public:
  explicit Alter(unsigned seed) : random_(seed) {}

  std::string operator()(std::string bytes) {
    for (size_t change = 1 + below(3); change > 0 && bytes.size() > 8; --change) {
      // Most changes go where the tables are.
      const size_t at = below(below(2) == 0 ? std::min<size_t>(bytes.size(), 1024) : bytes.size()) & ~size_t{3};
      const uint64_t number = kNumbers[below(std::size(kNumbers))];
      const size_t width = std::min(size_t{1} << below(4), bytes.size() - at);
      switch (below(4)) {
        case 0:
          bytes.resize(at);
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
          break;
        default:
          std::memcpy(bytes.data() + at, &number, width);
      }
    }
    return bytes;
  }

 private:
  size_t below(size_t end) { return random_() % end; }
  std::mt19937 random_;
};

void try_altered(const std::string& bytes, unsigned seed) {
  ASSERT_TRUE(inspect(std::as_bytes(std::span(bytes))).has_value());
  Alter alter(seed);
  int refused = 0;
  for (int i = 0; i < kFiles; ++i) {
    const std::string altered = alter(bytes);
    const Result<LibraryFacts> facts = inspect(std::as_bytes(std::span(altered)));
    EXPECT_TRUE(facts.has_value() || !facts.error().message.empty());
    refused += facts.has_value() && !refusal(*facts).has_value() ? 0 : 1;
  }
  EXPECT_GT(refused, kFiles / 10);
}

TEST(AlteredLibrary, Made) { try_altered(testing::bytes_of(testing::made_library()), 1); }

TEST(AlteredLibrary, Compiled) {
  const std::string bytes = testing::compiled_library("#include <string>\nstd::string text(9, 'x');", {"-s"});
  ASSERT_FALSE(bytes.empty());
  try_altered(bytes, 2);
}

TEST(AlteredLibrary, EveryLength) {
  const std::string bytes = testing::bytes_of(testing::made_library());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(inspect(std::as_bytes(std::span(bytes).first(size))).has_value()) << size;
  }
}

}  // namespace
}  // namespace stitch::elf
