// SPDX-License-Identifier: Apache-2.0
#include "evaluate/inspect/native_files.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "elf/testing/made_library.h"

namespace stitch::evaluate {
namespace {

namespace fs = std::filesystem;

class NativeFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryDirectory::make("native-files");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(std::move(*made));
  }

  void write(const std::string& name, const std::string& bytes) {
    fs::create_directories((folder_->path() / name).parent_path());
    ASSERT_TRUE(write_file(folder_->path() / name, bytes).has_value());
  }

  NativeFiles inspected() {
    auto files = inspect_native_files(folder_->path());
    EXPECT_TRUE(files.has_value());
    return files.has_value() ? *files : NativeFiles{};
  }

  std::optional<TemporaryDirectory> folder_;
};

std::string harmless() {
  elf::testing::MadeLibrary library = elf::testing::made_library();
  std::memcpy(library.strings + 11, "free", 4);  // in the place of fork
  return elf::testing::bytes_of(library);
}

TEST_F(NativeFilesTest, FindsALibraryByItsBytesWhereverItLies) {
  write("model_new.py", "class ModelNew: pass");
  write("deep/er/weights.bin", harmless());
  write("candidate.so", harmless());
  const NativeFiles files = inspected();
  EXPECT_FALSE(files.refusal.has_value()) << files.refusal->reason;
  ASSERT_EQ(files.libraries.size(), 2u);
  EXPECT_EQ(files.libraries[0].name, "candidate.so");
  EXPECT_EQ(files.libraries[1].name, "deep/er/weights.bin");
  EXPECT_EQ(files.libraries[1].path, fs::canonical(folder_->path() / "deep/er/weights.bin"));
}

TEST_F(NativeFilesTest, RefusesForWhatAProgramOfTheCAbiIsRefusedFor) {
  write("data/table.bin", elf::testing::bytes_of(elf::testing::made_library()));
  const NativeFiles files = inspected();
  ASSERT_TRUE(files.refusal.has_value());
  EXPECT_EQ(files.refusal->kind, VerdictKind::kCheated);
  EXPECT_EQ(files.refusal->reason,
            "data/table.bin: the library imports fork, which starts processes: no kernel needs that");
}

TEST_F(NativeFilesTest, RefusesWhatItCannotVouchFor) {
  std::string cut = harmless();
  cut.resize(cut.size() / 2);
  write("cut.so", cut);
  const NativeFiles files = inspected();
  ASSERT_TRUE(files.refusal.has_value());
  EXPECT_EQ(files.refusal->kind, VerdictKind::kBuildFailed);
}

TEST_F(NativeFilesTest, LeavesAloneWhatNoLoaderTakes) {
  elf::testing::MadeLibrary object = elf::testing::made_library();
  object.header.e_type = ET_REL;
  write("a.o", elf::testing::bytes_of(object));
  elf::testing::MadeLibrary foreign = elf::testing::made_library();
  foreign.header.e_machine = EM_AARCH64;
  write("foreign.so", elf::testing::bytes_of(foreign));
  write("empty.so", "");
  fs::create_symlink("/usr/lib/x86_64-linux-gnu/libc.so.6", folder_->path() / "link.so");
  const NativeFiles files = inspected();
  EXPECT_TRUE(files.libraries.empty());
  EXPECT_FALSE(files.refusal.has_value());
}

}  // namespace
}  // namespace stitch::evaluate
