// SPDX-License-Identifier: Apache-2.0
#include "service/request/extraction.h"

#include <gtest/gtest.h>

namespace stitch::service {
namespace {

// "model_new.py: TEXT", or why there is none.
std::string extracted(const std::string& text, const std::string& language = "") {
  const Extraction extraction = extract_completion(text, language);
  if (const auto* none = std::get_if<NoCandidate>(&extraction)) {
    return none->why;
  }
  const CandidateFile& file = std::get<ExtractedCandidate>(extraction).files.at(0);
  return file.path + ": " + file.content;
}

TEST(ExtractionTest, TheLastFenceCountsAndItsLanguageNamesTheFile) {
  EXPECT_EQ(extracted("```cuda\na\n```\nno:\n```cpp\nb\n```\n"), "program.cu: b\n");
  EXPECT_EQ(extracted("```cuda\na\n```\n```python\nb\n```\n```sh\nmake\n```\n"), "model_new.py: b\n");
  EXPECT_EQ(extracted("```\nclass ModelNew:\n```"), "model_new.py: class ModelNew:\n");
  EXPECT_EQ(extracted("```\n__global__ void k();\n```"), "program.cu: __global__ void k();\n");
}

TEST(ExtractionTest, OneKindAloneMayBeWanted) {
  const std::string both = "```cuda\na\n```\n```python\nb\n```\n";
  EXPECT_EQ(extracted(both, "cuda"), "program.cu: a\n");
  EXPECT_EQ(extracted(both, "python"), "model_new.py: b\n");
}

TEST(ExtractionTest, ThoughtsAreNoAnswer) {
  EXPECT_EQ(extracted("<think>\n```cuda\na\n```\n</think>\n```cuda\nb\n```\n"), "program.cu: b\n");
  EXPECT_EQ(extracted("the prompt began it\n```cuda\na\n```\n</think>\nno code"), "the answer holds no fence of code");
  EXPECT_EQ(extracted("<think>\n```cuda\na\n```\n"), "the answer holds no fence of code");
}

TEST(ExtractionTest, WhatFollowsAControlTokenIsNotReadAndNoneIsNeeded) {
  EXPECT_EQ(extracted("```cuda\na\n```\n<|im_end|>\n```cuda\nb\n```\n"), "program.cu: a\n");
  EXPECT_EQ(extracted("```cuda\na\n```<|im_end|>"), "program.cu: a\n");
}

TEST(ExtractionTest, WhatWasCutIsNoAnswer) {
  EXPECT_EQ(extracted("```cuda\na\n```\n```cuda\nb"), "the answer ends within its code: it was cut");
  EXPECT_EQ(extracted("```cuda\n \n```"), "the answer's code is empty");
  EXPECT_EQ(extracted(""), "the answer holds no fence of code");
}

std::string told_of(std::vector<CandidateFile> files) {
  const Extraction extraction = extract_files(std::move(files));
  const auto* none = std::get_if<NoCandidate>(&extraction);
  return none == nullptr ? std::get<ExtractedCandidate>(extraction).files.at(0).path : none->why;
}

TEST(ExtractionTest, FilesStayInTheirFolder) {
  EXPECT_EQ(told_of({{"b.cu", ""}, {"a.h", ""}}), "a.h");
  EXPECT_EQ(told_of({{"answer.py", ""}}), "model_new.py");
  for (const char* path : {"../a.cu", "/a.cu", "a/../b.cu", "", "-o.cu", "a.so", "Makefile", "bundle.json"}) {
    EXPECT_NE(told_of({{path, ""}}).find("is no file that a candidate may have"), std::string::npos) << path;
  }
  EXPECT_NE(told_of({{"a.cu", ""}, {"a.cu", ""}}).find("comes twice"), std::string::npos);
  EXPECT_EQ(told_of({{"a.h", ""}}), "there is neither model_new.py nor a *.cu among the files");
  EXPECT_EQ(told_of({}), "there is neither model_new.py nor a *.cu among the files");
  EXPECT_EQ(told_of({{"a.cu", std::string(kMaxCandidateBytes + 1, 'a')}}),
            "a candidate may have 64 files and 1048576 bytes");
  EXPECT_EQ(told_of({{"a.cu", std::string("a\0b", 3)}}), "a.cu holds bytes of no text");
}

}  // namespace
}  // namespace stitch::service
