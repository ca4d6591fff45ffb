// SPDX-License-Identifier: Apache-2.0
#include "knowledge/library/library.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/fs/files.h"
#include "knowledge/library/folders.h"

namespace stitch::knowledge {
namespace {

namespace fs = std::filesystem;

class OwnLibrary : public ::testing::Test {
 protected:
  TemporaryDirectory folder_ = TemporaryDirectory::make("stitchcuda-knowledge").value();
  Places places_{.cards = fs::path(STITCH_SOURCE_DIR) / "knowledge" / "cards",
                 .own = folder_.path() / "own",
                 .index = folder_.path() / "index.sqlite"};
};

TEST_F(OwnLibrary, RemembersFoldersUntilTheyAreForgotten) {
  const std::string notes = (folder_.path() / "notes").string();
  ASSERT_TRUE(write_file(notes + "/a.md", "# Zebra\nStripes.\n").has_value());
  ASSERT_TRUE(add_folders(places_.own, {notes, notes + "/"}).has_value());
  EXPECT_EQ(read_folders(places_.own)->size(), 1);
  EXPECT_EQ(Library::open(places_)->search(TextQuery{"zebra"}, 1)->front().id, "folder:notes/a.md#zebra");
  EXPECT_FALSE(add_folders(places_.own, {notes + "/a.md"}).has_value());
  ASSERT_TRUE(forget_folders(places_.own, {notes}).has_value());
  EXPECT_FALSE(forget_folders(places_.own, {notes}).has_value());
  EXPECT_TRUE(Library::open(places_)->search(TextQuery{"zebra"}, 1)->empty());
}

TEST_F(OwnLibrary, RefusesADamagedListOfFolders) {
  for (const char* text : {"", "{", "[]", "{\"folders\": 3}", "{\"folders\": [3]}"}) {
    ASSERT_TRUE(write_file(places_.own / "folders.json", text).has_value());
    EXPECT_EQ(Library::open(places_).error().code, ErrorCode::kFileInvalid) << text;
  }
}

TEST_F(OwnLibrary, MendsAnIndexThatIsDamagedUnderItsHands) {
  Library library = Library::open(places_).value();
  const uintmax_t bytes = fs::file_size(places_.index);
  {
    std::fstream file(places_.index, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(0);
    file << std::string(bytes, '\x5A');
  }
  EXPECT_EQ(library.search(TextQuery{"cudaMemcpyAsync pinned"}, 1)->size(), 1);
  EXPECT_TRUE(library.find("card:host/pinned_memory").has_value());
}

}  // namespace
}  // namespace stitch::knowledge
