// SPDX-License-Identifier: Apache-2.0
#include "knowledge/index/index.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/fs/files.h"

namespace stitch::knowledge {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCard =
    "# Pad rows of tiles\n\n- **When:** bank conflicts in smem.\n- **Do:** pad.\n- **Gain:** 2x.\n- **Check:** none.\n"
    "- **Pitfalls:** alignment.\n";

// Two cards and a folder of notes, small enough to be built for each test.
class SmallIndex : public ::testing::Test {
 protected:
  void SetUp() override {
    write("cards/memory/padding.md", kCard);
    write("cards/memory/other.md", std::string(kCard).replace(2, 3, "Fill"));
    write("include/some.h", "/** \\brief Copies bytes. */\nint cudaCopyBytes(int count);\n");
    write("notes/a.md", "# Zebra crossing\nStripes are quick.\n");
    sources_ = {.cards = folder_.path() / "cards",
                .headers = folder_.path() / "include",
                .guides = folder_.path() / "guides",
                .folders = {folder_.path() / "notes"}};
  }

  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(folder_.path() / name, text).has_value());
  }
  Result<Index> open() { return Index::open(sources_, file_); }
  std::string first(const std::string& words) {
    const std::vector<Passage> found = search(open().value(), TextQuery{words}, 3).value();
    return found.empty() ? "" : found.front().id;
  }

  TemporaryDirectory folder_ = TemporaryDirectory::make("stitchcuda-knowledge").value();
  fs::path file_ = folder_.path() / "cache" / "index.sqlite";
  Sources sources_;
};

TEST_F(SmallIndex, HoldsCardsHeadersAndFolders) {
  const Index index = open().value();
  EXPECT_TRUE(index.facts().was_built);
  EXPECT_EQ(index.facts().cards, 2);
  EXPECT_EQ(index.facts().headers, 1);
  EXPECT_EQ(index.facts().folders, 1);
  EXPECT_EQ(first("bank conflicts padding"), "card:memory/padding");
  EXPECT_EQ(first("cudaCopyBytes"), "header:cudaCopyBytes");
  EXPECT_EQ(first("copy bytes"), "header:cudaCopyBytes");
  EXPECT_EQ(first("zebra"), "folder:notes/a.md#zebra-crossing");
  EXPECT_EQ(find_passage(index, "card:memory/padding")->text, kCard);
}

TEST_F(SmallIndex, IsBuiltAgainWhenASourceChanges) {
  ASSERT_TRUE(open().value().facts().was_built);
  EXPECT_FALSE(open().value().facts().was_built);
  write("notes/b.txt", "Giraffes are tall.");
  EXPECT_TRUE(open().value().facts().was_built);
  EXPECT_EQ(first("giraffe"), "folder:notes/b.txt");
  fs::remove(folder_.path() / "notes" / "b.txt");
  EXPECT_EQ(first("giraffe"), "");
}

TEST_F(SmallIndex, ThatWasCutShortIsBuiltAgain) {
  open().value();
  const uintmax_t bytes = fs::file_size(file_);
  for (const uintmax_t left : {uintmax_t{0}, uintmax_t{50}, uintmax_t{4096}, bytes / 2, bytes - 1}) {
    fs::resize_file(file_, left);
    EXPECT_TRUE(open().value().facts().was_built) << left;
    EXPECT_EQ(first("bank conflicts padding"), "card:memory/padding") << left;
  }
  write("cache/index.sqlite", std::string(bytes, 'x'));
  EXPECT_TRUE(open().value().facts().was_built);
}

TEST_F(SmallIndex, ThatIsDamagedInsideIsAnErrorOfTheFileOrStillAnswers) {
  open().value();
  const uintmax_t bytes = fs::file_size(file_);
  {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(bytes - 4096, '\x5A');
  }
  const Result<Index> opened = open();  // its page of facts is damaged, too: it is built anew
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(search(*opened, TextQuery{"bank conflicts padding"}, 1)->front().id, "card:memory/padding");
}

TEST_F(SmallIndex, SaysWhatItCannotTake) {
  write("cards/memory/broken.md", "no title");
  const Index index = open().value();
  ASSERT_EQ(index.facts().skipped.size(), 1);
  EXPECT_NE(index.facts().skipped.front().find("does not begin with its title"), std::string::npos);
  sources_.cards = folder_.path() / "nowhere";
  EXPECT_EQ(open().error().code, ErrorCode::kEnvironment);
}

TEST_F(SmallIndex, NamesIdsNearOneThatIsNotThere) {
  const Result<Passage> found = find_passage(open().value(), "card:memory/pading");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, ErrorCode::kUsage);
  EXPECT_NE(found.error().remedy.find("card:memory/padding"), std::string::npos);
}

TEST_F(SmallIndex, TakesAnyBytesAsAQuestion) {
  const Index index = open().value();
  std::string noise;
  for (int i = 0; i < 100'000; ++i) {
    noise += static_cast<char>(i * 7919 % 256);
  }
  for (const std::string& text : {std::string(), std::string("\""), std::string("a\" OR title:\"b"),
                                  std::string("NEAR(a b, 3) AND NOT c*"), std::string("'; DROP TABLE passages; --"),
                                  std::string("\0\0", 2), std::string("\xFF\xFE\xC0"), noise, std::string(100'000, '('),
                                  std::string(100'000, 'a'), std::string("{title about} : x"), std::string("^x + y")}) {
    for (const Query& query : {Query(TextQuery{text}), Query(ErrorQuery{text}),
                               Query(ProfileQuery{.step_kind = text, .dtype = text, .device = text})}) {
      EXPECT_TRUE(search(index, query, 5).has_value()) << text.substr(0, 40);
    }
    EXPECT_FALSE(find_passage(index, text).has_value());
  }
  EXPECT_EQ(first("bank conflicts padding"), "card:memory/padding");
}

TEST_F(SmallIndex, AnswersWithAtMostWhatIsAskedFor) {
  const Index index = open().value();
  EXPECT_TRUE(search(index, TextQuery{"pad"}, 0)->empty());
  EXPECT_TRUE(search(index, TextQuery{"pad"}, -1)->empty());
  EXPECT_EQ(search(index, TextQuery{"pad"}, 1)->size(), 1);
  EXPECT_LE(search(index, TextQuery{"pad"}, 1'000'000)->size(), static_cast<size_t>(kMaxPassages));
}

TEST_F(SmallIndex, TakesFoldersWithoutHarm) {
  write("notes/noise.md", std::string(300'000, '\xFE'));
  write("notes/noise.html", std::string(300'000, '<'));
  write("notes/.hidden.md", "unicorn");
  write("notes/program.exe", "unicorn");
  fs::create_directory_symlink(folder_.path() / "notes", folder_.path() / "notes" / "loop");
  fs::create_symlink("/dev/zero", folder_.path() / "notes" / "endless.txt");
  ASSERT_TRUE(open().has_value());
  EXPECT_EQ(first("unicorn"), "");
  EXPECT_EQ(first("zebra"), "folder:notes/a.md#zebra-crossing");
}

}  // namespace
}  // namespace stitch::knowledge
