// SPDX-License-Identifier: Apache-2.0
#include "chat/key/key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::chat {
namespace {

class KeyFile : public ::testing::Test {
 protected:
  std::string message(const std::string& text, mode_t mode) {
    const std::string path = folder_.path() / "key";
    EXPECT_TRUE(write_file(path, text).has_value());
    ::chmod(path.c_str(), mode);
    const Result<std::string> key = read_key({.file = path});
    return key.has_value() ? "key " + *key : key.error().message;
  }
  TemporaryDirectory folder_ = TemporaryDirectory::make("key").value();
};

TEST_F(KeyFile, IsReadWhereItsOwnerAloneMay) {
  EXPECT_EQ(message("sk-12345678\n", 0600), "key sk-12345678");
  EXPECT_EQ(message("sk-12345678", 0400), "key sk-12345678");
  for (const mode_t mode : {0640, 0604, 0620, 0666}) {
    EXPECT_EQ(message("sk-12345678", mode), "the file of the endpoint's key may be read or written by others");
  }
}

TEST_F(KeyFile, OfWhatIsNoKeyIsRefused) {
  EXPECT_EQ(message("\n", 0600), "the endpoint's key is empty");
  EXPECT_EQ(message("sk-1\r\nX-Header: 1", 0600), "the endpoint's key holds what no key does");
  EXPECT_EQ(message(std::string(5000, 'a'), 0600), "the endpoint's key holds what no key does");
  std::filesystem::create_symlink(folder_.path() / "key", folder_.path() / "link");
  EXPECT_FALSE(read_key({.file = folder_.path() / "link"}).has_value());
  EXPECT_FALSE(read_key({.file = folder_.path()}).has_value());
  EXPECT_FALSE(read_key({.file = folder_.path() / "none"}).has_value());
}

TEST(Key, OfAVariableThatIsNotSetIsMissing) {
  const Result<std::string> key = read_key({.environment = "STITCH_NO_SUCH_KEY"});
  ASSERT_FALSE(key.has_value());
  EXPECT_EQ(key.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(read_key({}).value(), "");
}

TEST(Key, IsTakenOutOfEveryText) {
  Json json = Json::parse(R"({"a": ["sk-12345678", "x sk-12345678sk-12345678 y"], "b": {"c": "sk-1"}, "d": 3})");
  redact(json, "sk-12345678");
  EXPECT_EQ(json.dump(), R"({"a":["[key]","x [key][key] y"],"b":{"c":"sk-1"},"d":3})");
  Json cut = Json::parse(R"(["so sk-1234...; asked again", "a... sk-12345678... sk-...", "s... k..."])");
  redact(cut, "sk-12345678");
  EXPECT_EQ(cut.dump(), R"(["so [key]...; asked again","a... [key]... [key]...","s... k..."])");
  Json dummy = Json::parse(R"({"content": "EMPTY"})");
  redact(dummy, "EMPTY");
  EXPECT_EQ(dummy.dump(), R"({"content":"EMPTY"})");
}

}  // namespace
}  // namespace stitch::chat
