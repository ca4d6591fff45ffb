// SPDX-License-Identifier: Apache-2.0
// Text in, text out: every testdata/*.case is rewritten and compared.
//   # what the case shows
//   file NAME:           an include (optional, repeated)
//   input:               the source
//   expect:              the rewritten source, or, after `expect refused:`, the sentences
#include "rewriter/rewrite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace stitch::rewriter {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string input;
  std::string expected;
  bool refused = false;
  std::map<std::string, std::string> files;
};

Case read_case(const fs::path& path) {
  Case result;
  std::ifstream file(path);
  std::string* section = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line == "input:") {
      section = &result.input;
    } else if (line == "expect:" || line == "expect refused:") {
      result.refused = line == "expect refused:";
      section = &result.expected;
    } else if (line.rfind("file ", 0) == 0 && line.back() == ':') {
      section = &result.files[line.substr(5, line.size() - 6)];
    } else if (section != nullptr) {
      // Two spaces of indentation mark a section's text.
      *section += (line.size() >= 2 ? line.substr(2) : "") + "\n";
    }
  }
  return result;
}

std::vector<fs::path> all_cases() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(STITCH_REWRITER_TESTDATA)) {
    if (entry.path().extension() == ".case") {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string run(const Case& test, const fs::path& folder) {
  RewriteOptions options;
  options.path = "unit.cu";
  options.file_name = "unit.cu";
  for (const auto& [name, text] : test.files) {
    std::ofstream(folder / name) << text;
    options.include_directories = {folder.string()};
  }
  const RewriteOutcome outcome = rewrite(test.input, options);
  std::string text = outcome.text;
  if (test.refused) {
    text.clear();
    for (const std::string& refusal : outcome.refusals) {
      text += refusal + "\n";
    }
    return text;
  }
  EXPECT_TRUE(outcome.refusals.empty()) << outcome.refusals.front();
  const std::string first_line = "#line 1 \"unit.cu\"\n";
  EXPECT_EQ(text.substr(0, first_line.size()), first_line);
  text = text.substr(first_line.size());
  for (size_t at = text.find(folder.string()); at != std::string::npos; at = text.find(folder.string())) {
    text.replace(at, folder.string().size(), "FOLDER");
  }
  return text;
}

class RewriteCase : public testing::TestWithParam<fs::path> {};

TEST_P(RewriteCase, GivesTheExpectedText) {
  const Case test = read_case(GetParam());
  ASSERT_FALSE(test.input.empty());
  const fs::path folder = fs::temp_directory_path() / ("stitch-rewriter-" + GetParam().stem().string());
  fs::create_directories(folder);
  EXPECT_EQ(run(test, folder), test.expected);
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Testdata, RewriteCase, testing::ValuesIn(all_cases()), [](const auto& info) {
  std::string name = info.param.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(RewriteTest, KeepsTheNumberOfLines) {
  const std::string source = "__global__ void k() {\n  __shared__ float\n      a[4],\n      b[4];\n}\nint x;\n";
  const std::string text = rewrite(source, {"a.cu", "a.cu", {}}).text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(source.begin(), source.end(), '\n') + 1);
  EXPECT_NE(text.find("\n}\nint x;\n"), std::string::npos);
}

TEST(RewriteTest, RefusesNothingThatIsOnlyRead) {
  RewriteOptions options;
  options.path = options.file_name = "unit.cu";
  const std::string source = "void f() { asm(\"\"); k<<<1, 2>>>(); }\n";
  EXPECT_FALSE(rewrite(source, options).refusals.empty());
  options.for_reading = true;
  const RewriteOutcome outcome = rewrite(source, options);
  EXPECT_TRUE(outcome.refusals.empty());
  EXPECT_NE(outcome.text.find("asm(\"\"); STITCH_LAUNCH((k), 1, 2)();"), std::string::npos) << outcome.text;
}

}  // namespace
}  // namespace stitch::rewriter
