// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/fs/files.h"

namespace stitch {
namespace {

// A store of files by their digests does this: the second writer must not take the first one's half-written file.
TEST(WriteFileTest, ThreadsMayWriteTheSameFileAtOnce) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::make("write-file-test");
  ASSERT_TRUE(folder.has_value());
  const std::filesystem::path path = folder->path() / "inner" / "file";
  const std::string text(10000, 'x');
  constexpr int kThreads = 8;
  constexpr int kTimes = 50;
  std::vector<std::string> errors(kThreads);
  std::vector<std::thread> threads;
  for (std::string& error : errors) {
    threads.emplace_back([&] {
      for (int i = 0; i < kTimes && error.empty(); ++i) {
        const Result<void> written = write_file(path, text);
        const Result<std::string> read = read_file(path);
        error = !written.has_value() ? written.error().message
                : !read.has_value()  ? read.error().message
                : *read != text      ? "another text was read"
                                     : "";
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(errors, std::vector<std::string>(kThreads));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path.parent_path()), {}), 1);
}

}  // namespace
}  // namespace stitch
