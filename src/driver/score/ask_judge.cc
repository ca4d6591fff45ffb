// SPDX-License-Identifier: Apache-2.0
#include "driver/score/ask_judge.h"

#include <fmt/format.h>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/process/child.h"
#include "rubric/judge/neutral_text.h"

namespace stitch::driver {
namespace {

constexpr int64_t kTimeoutMs = 60'000;

// The prompt with Python's text in it, made neutral by Python's own parser.
Result<std::string> with_neutral_python(const Job& job, const Json& request) {
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-judge"));
  const std::filesystem::path file = folder.path() / "request.json";
  STITCH_TRY(write_file(file, request.dump(-1, ' ', false, Json::error_handler_t::replace)));
  ChildOptions options;
  options.arguments = {job.resources().python.string(), "-m", "stitchcuda_judge", file.string()};
  options.environment = {{"PYTHONPATH", job.resources().python_path().string()}};
  STITCH_ASSIGN(const ChildOutput output, run_child(options, kTimeoutMs));
  if (!output.exit.ok()) {
    const size_t start = output.standard_error.find_first_not_of('\n');
    const std::string said = start == std::string::npos ? "no reason given" : output.standard_error.substr(start);
    return failure(ErrorCode::kEnvironment,
                   fmt::format("Python could not make the judge's prompt: {}",
                               output.exit.timed_out ? "it did not end in time" : said.substr(0, said.find('\n'))));
  }
  return output.standard_output;
}

}  // namespace

Result<rubric::JudgeReply> ask_judge(const Job& job, const rubric::RubricVersion& rubric, const ScoreRequest& asked,
                                     const ScoreSubject& subject) {
  Json request = {{"python", nullptr}};
  if (subject.is_python) {
    request["python"] = subject.text;
  }
  const std::string candidate = subject.is_python ? "{{python}}" : rubric::neutral_text(subject.text);
  request["program"] = nullptr;
  std::string reference = subject.reference;
  if (reference.empty() &&
      !asked.candidate.task.file.empty()) {  // nothing was imported: its text, made neutral likewise
    STITCH_ASSIGN(request["program"], read_file(asked.candidate.task.file));
    reference = "{{program}}";
  }
  std::string prompt = rubric::judge_prompt(rubric, subject.facts, reference, candidate);
  if (!request["python"].is_null() || !request["program"].is_null()) {
    request["prompt"] = prompt;
    STITCH_ASSIGN(prompt, with_neutral_python(job, request));
  }
  STITCH_ASSIGN(const std::string answer, asked.judge(prompt));
  return rubric::judge_reply_from_text(answer);
}

}  // namespace stitch::driver
