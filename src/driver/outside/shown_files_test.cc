// SPDX-License-Identifier: Apache-2.0
#include "driver/outside/shown_files.h"

#include <gtest/gtest.h>

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

class ShownFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryDirectory::make("shown-files");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(std::move(*made));
    write("model_new.py", "import helper");
  }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_->path() / name).parent_path());
    ASSERT_TRUE(write_file(folder_->path() / name, text).has_value());
  }

  ShownFiles shown(Around around = Around::kLibrariesToo) {
    auto files = show_files(folder_->path() / "model_new.py", around);
    EXPECT_TRUE(files.has_value());
    return files.has_value() ? *files : ShownFiles{};
  }

  static bool has(const ShownFiles& files, const std::string& name) { return fs::exists(files.folder->path() / name); }

  std::optional<TemporaryDirectory> folder_;
};

TEST_F(ShownFilesTest, SourcesAndLibrariesAlone) {
  for (const char* name : {"helper.py", "package/__init__.py", "kernels.cu", "include/tile.cuh"}) {
    write(name, "");
  }
  for (const char* name : {"other.pyc", "__pycache__/helper.cpython-311.pyc", "all.zip", "table.npy", "code.txt"}) {
    write(name, "data");
  }
  write("beside.so", "\177ELF and so on");
  write("weights.dat", "\177ELF by another name");
  const ShownFiles files = shown();
  for (const char* name : {"model_new.py", "helper.py", "package/__init__.py", "kernels.cu", "include/tile.cuh",
                           "beside.so", "weights.dat"}) {
    EXPECT_TRUE(has(files, name)) << name;
  }
  for (const char* name : {"other.pyc", "__pycache__/helper.cpython-311.pyc", "all.zip", "table.npy", "code.txt"}) {
    EXPECT_FALSE(has(files, name)) << name;
  }
  EXPECT_EQ(files.left_out.size(), 4u) << "the first few are named";
  EXPECT_EQ(files.file, fs::canonical(files.folder->path()) / "model_new.py");
}

TEST_F(ShownFilesTest, AFileStandsAmongTheSourcesAroundItAndNoLibraries) {
  write("helper.py", "");
  write("beside.so", "\177ELF and so on");
  write("far/away.py", "");
  const ShownFiles files = shown(Around::kNothingButSources);
  EXPECT_TRUE(has(files, "helper.py"));
  EXPECT_FALSE(has(files, "beside.so"));
  EXPECT_FALSE(has(files, "far"));
}

TEST_F(ShownFilesTest, FollowsNoLink) {
  fs::create_symlink("/etc/hostname", folder_->path() / "secret.py");
  fs::create_directory_symlink("/etc", folder_->path() / "folder");
  const ShownFiles files = shown();
  EXPECT_FALSE(has(files, "secret.py"));
  EXPECT_FALSE(has(files, "folder"));
}

}  // namespace
}  // namespace stitch::driver
