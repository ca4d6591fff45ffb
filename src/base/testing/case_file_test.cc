// SPDX-License-Identifier: Apache-2.0
// A runner that passes whatever comes out would make every other test worthless.
#include "base/testing/case_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/fs/files.h"

namespace stitch::testing {
namespace {

constexpr const char* kTwoCases =
    "# one\nrun: echo\ninput:\n  a\n\n  b\nexpect:\n  a\n\n  b\n\n# two\nrun: echo\ninput:\n  c\ngiven:\n  d\n"
    "expect:\n  something else\n";

class Cases : public ::testing::Test {
 protected:
  std::filesystem::path written(const std::string& text) {
    EXPECT_TRUE(write_file(folder_.path() / "a.case", text).has_value());
    return folder_.path() / "a.case";
  }

  TemporaryDirectory folder_ = TemporaryDirectory::make("cases").value();
};

TEST_F(Cases, SectionsAreRead) {
  const auto cases = read_cases(written(kTwoCases));
  ASSERT_TRUE(cases.has_value()) << cases.error().message;
  ASSERT_EQ(cases->size(), 2U);
  EXPECT_EQ(cases->at(0).comment, "# one\n");
  EXPECT_EQ(cases->at(0).input, "a\n\nb\n");
  EXPECT_EQ(cases->at(1).run, "echo");
  EXPECT_EQ(cases->at(1).given, "d\n");
  EXPECT_EQ(cases->at(1).expected, "something else\n");
}

TEST_F(Cases, ADifferenceIsTold) {
  if (std::getenv("STITCH_UPDATE_CASES") != nullptr) {
    GTEST_SKIP() << "cases are being renewed";
  }
  const std::string found = differences(written(kTwoCases), [](const CaseFile& one) { return one.input; });
  EXPECT_EQ(found, "# two\nexpected:\nsomething else\ngot:\nc\n\n");
}

TEST_F(Cases, MoreThanOneIsRefusedWhereOneIsWanted) {
  const auto read = read_case(written(kTwoCases));
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().message, "the file holds 2 cases, not one");
}

}  // namespace
}  // namespace stitch::testing
