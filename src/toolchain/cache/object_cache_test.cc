// SPDX-License-Identifier: Apache-2.0
#include "toolchain/cache/object_cache.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "toolchain/cache/cache_use.h"

namespace stitch::toolchain {
namespace {

class ObjectCacheTest : public testing::Test {
 protected:
  std::filesystem::path only_file() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
      if (entry.is_regular_file()) {
        return entry.path();
      }
    }
    return {};
  }

  TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-cache-test").value();
  ObjectCache cache{folder.path()};
  std::string key = sha256_hex("some sources");
};

TEST_F(ObjectCacheTest, WhatIsStoredIsFound) {
  EXPECT_FALSE(cache.load(key).has_value());
  const std::string bytes("a\0b", 3);
  ASSERT_TRUE(cache.store(key, bytes).has_value());
  EXPECT_EQ(cache.load(key), bytes);
}

TEST_F(ObjectCacheTest, ADamagedEntryIsNotTaken) {
  ASSERT_TRUE(cache.store(key, "object").has_value());
  const std::filesystem::path path = only_file();
  for (const uintmax_t size : {std::filesystem::file_size(path) - 1, uintmax_t{10}, uintmax_t{0}}) {
    std::filesystem::resize_file(path, size);
    EXPECT_FALSE(cache.load(key).has_value());
  }
  ASSERT_TRUE(cache.store(key, "object").has_value());
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(-1, std::ios::end).put('x');
  EXPECT_FALSE(cache.load(key).has_value());
  ASSERT_TRUE(cache.store(key, "object").has_value());
  EXPECT_EQ(cache.load(key), "object");
}

TEST_F(ObjectCacheTest, ADamagedLibraryIsNotTaken) {
  const auto path = cache.store_library(key, "library");
  ASSERT_TRUE(path.has_value());
  EXPECT_EQ(cache.find_library(key), *path);
  std::ofstream(*path, std::ios::app) << "more";
  EXPECT_FALSE(cache.find_library(key).has_value());
}

TEST_F(ObjectCacheTest, ManyWritersOfOneKeyLeaveAWholeEntry) {
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 8; ++i) {
      writers.emplace_back([this] {
        for (int round = 0; round < 50; ++round) {
          EXPECT_TRUE(cache.store(key, std::string(100000, 'x')).has_value());
          const auto loaded = cache.load(key);
          EXPECT_TRUE(loaded.has_value() && loaded->size() == 100000);
        }
      });
    }
  }
  EXPECT_TRUE(cache.load(key).has_value());
}

TEST_F(ObjectCacheTest, PruningDropsWhatWasUsedLongestAgo) {
  const std::string other = sha256_hex("other sources");
  ASSERT_TRUE(cache.store(key, std::string(1000, 'x')).has_value());
  std::filesystem::last_write_time(only_file(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  ASSERT_TRUE(cache.store(other, std::string(1000, 'y')).has_value());
  cache.prune(1500);
  EXPECT_FALSE(cache.load(key).has_value());
  EXPECT_TRUE(cache.load(other).has_value());
}

TEST_F(ObjectCacheTest, WhatARunHasTouchedSinceItBeganIsKept) {
  const std::string other = sha256_hex("other sources");
  ASSERT_TRUE(cache.store(key, std::string(1000, 'x')).has_value());
  std::filesystem::last_write_time(only_file(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  {
    const CacheUse use(folder.path());
    ASSERT_TRUE(cache.store(other, std::string(1000, 'y')).has_value());
    EXPECT_EQ(users_of(folder.path()).count, 1);
    EXPECT_EQ(cache.prune(0).objects.files, 1);
    EXPECT_FALSE(cache.load(key).has_value());
    EXPECT_TRUE(cache.load(other).has_value());
  }
  EXPECT_EQ(users_of(folder.path()).count, 0);
  EXPECT_EQ(cache.prune(0).objects.files, 0);
}

TEST_F(ObjectCacheTest, PruningLeavesWhatIsNotCompiled) {
  ASSERT_TRUE(write_file(folder.path() / "tuning.sqlite", "measured times").has_value());
  ASSERT_TRUE(cache.store(key, std::string(1000, 'x')).has_value());
  EXPECT_EQ(cache.contents().objects.files, 1);
  EXPECT_GE(cache.contents().bytes(), 1000u);
  EXPECT_EQ(cache.prune(0).bytes(), 0u);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "tuning.sqlite"));
}

}  // namespace
}  // namespace stitch::toolchain
