// SPDX-License-Identifier: Apache-2.0
#include "farm/job/job.h"

#include <gtest/gtest.h>

#include "base/json/json.h"
#include "farm/job/job_result.h"

namespace stitch::farm {
namespace {

const std::string kDigest(64, 'a');

Job made() {
  Job job;
  job.verb = "verify";
  job.files = {{"candidate/c/steps/01_a.cu", kDigest}, {"program/model.py", kDigest}};
  job.words = {{JobWord::Kind::kInput, "--candidate", "candidate/c"},
               {JobWord::Kind::kInput, "--program", "program/model.py"},
               {JobWord::Kind::kOption, "", "--math=tf32"},
               {JobWord::Kind::kOption, "", "--train"},
               {JobWord::Kind::kOut, "--out", "0"}};
  return job;
}

TEST(Job, IsReadAsItWasWritten) {
  const std::string text = to_text(made());
  const Job read = read_job(text).value();
  EXPECT_EQ(to_text(read), text);
  EXPECT_TRUE(read.returns_files());
  EXPECT_EQ(read.words[0].text, "candidate/c");
}

// Each change makes it none; whoever can write to the store gets no further than this.
TEST(Job, WhatIsNotWhollyAJobIsRefused) {
  const std::pair<const char*, const char*> changes[] = {
      {"/schema", R"("stitchcuda.job/2")"},
      {"/verb", R"("mcp")"},
      {"/verb", R"("work")"},
      {"/more", "1"},
      {"/words/2", R"("--llm=http://elsewhere")"},
      {"/words/2", R"("--agent=sh -c true")"},
      {"/words/2", R"("--unsafe-no-sandbox")"},
      {"/words/2", R"("--math=../x")"},
      {"/words/2", R"("--out=/etc")"},
      {"/words/2", R"("--model=gpt")"},
      {"/words/2", R"("--config=x")"},
      {"/words/2", R"("-x")"},
      {"/words/2", R"("/etc/passwd")"},
      {"/words/0/in", R"("candidate/../..")"},
      {"/words/0/in", R"("/etc")"},
      {"/words/0/in", R"("elsewhere")"},
      {"/words/0/option", R"("--weights")"},
      {"/words/4/out", R"("../0")"},
      {"/words/4/option", R"("--program")"},
      {"/files/0/place", R"("../x")"},
      {"/files/0/place", R"("/x")"},
      {"/files/0/place", R"("a//b")"},
      {"/files/0/place", R"("a/./b")"},
      {"/files/0/place", R"("program/model.py")"},
      {"/files/0/digest", R"("aaaa")"},
      {"/files/0/digest", R"("../../../../../../../../../../../../../../../../../../../etc/passwd")"},
      {"/seconds", "-1"},
      {"/seconds", "1e99"},
      {"/memory_bytes", "0"},
      {"/files", "7"},
  };
  for (const auto& [place, value] : changes) {
    Json json = parse_json(to_text(made()), "job").value();
    const Result<Json> changed = parse_json(value, "value");
    json[Json::json_pointer(place)] = changed.has_value() ? *changed : Json(value);
    EXPECT_FALSE(read_job(json.dump()).has_value()) << place << " " << value;
  }
  for (const char* text : {"", "{", "[]", "7", "{}"}) {
    EXPECT_FALSE(read_job(text).has_value()) << text;
  }
}

TEST(Job, AModelThatAnswersByRuleNeedsNoKey) {
  Job job = made();
  job.words.push_back({JobWord::Kind::kOption, "", "--model=expert:faults=0.3"});
  EXPECT_TRUE(read_job(to_text(job)).has_value());
}

TEST(JobResult, IsReadAsItWasWritten) {
  JobResult result;
  result.answer = kDigest;
  result.signal = 6;
  result.files = {{"0/program.cu", kDigest}};
  result.last_words = "it said \x1b[31mred\xff";
  const JobResult read = read_job_result(to_text(result)).value();
  EXPECT_EQ(read.signal, 6);
  EXPECT_EQ(read.files[0].place, "0/program.cu");
  EXPECT_EQ(read.last_words.find('\x1b'), std::string::npos);
  EXPECT_FALSE(read_job_result("{}").has_value());
  result.answer = "/etc/passwd";
  EXPECT_FALSE(read_job_result(to_text(result)).has_value());
}

}  // namespace
}  // namespace stitch::farm
