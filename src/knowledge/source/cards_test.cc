// SPDX-License-Identifier: Apache-2.0
// The cards that we ship: each whole, short, and told apart from the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/fs/files.h"
#include "knowledge/source/card.h"
#include "knowledge/source/source_files.h"

namespace stitch::knowledge {
namespace {

constexpr size_t kMinCards = 80;
constexpr size_t kMaxCardBytes = 1800;

std::vector<SourceFile> own_cards() {
  return list_source_files({.cards = std::filesystem::path(STITCH_SOURCE_DIR) / "knowledge" / "cards"}).files;
}

TEST(Cards, AreManyWholeAndShort) {
  const std::vector<SourceFile> files = own_cards();
  EXPECT_GE(files.size(), kMinCards);
  std::set<std::string> titles;
  for (const SourceFile& file : files) {
    const std::string text = read_file(file.path).value();
    const Result<Document> card = read_card(file.name, text);
    ASSERT_TRUE(card.has_value()) << file.name << ": " << card.error().message;
    EXPECT_LE(text.size(), kMaxCardBytes) << file.name;
    EXPECT_TRUE(titles.insert(card->title).second) << file.name << " has the title of another card";
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }))
        << file.name << " has characters beyond ASCII";
  }
}

TEST(Cards, CoverEachFamily) {
  std::set<std::string> families;
  for (const SourceFile& file : own_cards()) {
    families.insert(file.name.substr(0, file.name.find('/')));
  }
  EXPECT_EQ(families, (std::set<std::string>{"ampere", "attention", "blackwell", "compiler", "convolution", "hopper",
                                             "host", "memory", "norms", "numerics", "pointwise", "products",
                                             "profiling", "recurrent", "reductions", "runtime", "scans", "softmax"}));
}

}  // namespace
}  // namespace stitch::knowledge
