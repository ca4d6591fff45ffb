// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/consult.h"

#include "base/fs/files.h"
#include "driver/score/ask_judge.h"
#include "rubric/facts/facts.h"
#include "rubric/score/score.h"

namespace stitch::driver {

Result<Json> consult(const ConsultRequest& request, const Services& services) {
  const Job job(Options{}, services);
  STITCH_ASSIGN(const rubric::RubricVersion rubric, rubric::read_rubric(job.resources().rubrics() / request.rubric));
  STITCH_ASSIGN(const Json* facts, json_object(request.score, "facts"));
  ScoreSubject subject;
  STITCH_ASSIGN(subject.facts, rubric::facts_from_json(*facts));
  subject.text = request.text;
  subject.is_python = subject.facts.candidate == "python";
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-consult"));
  ScoreRequest asked;
  asked.candidate.task.file = (folder.path() / "program.py").string();
  asked.judge = request.judge;
  STITCH_TRY(write_file(asked.candidate.task.file, request.program_text));
  rubric::Score score = rubric::score(subject.facts, rubric);
  STITCH_ASSIGN(const rubric::JudgeReply reply, ask_judge(job, rubric, asked, subject));
  rubric::consult(score, reply);
  return to_json(score);
}

}  // namespace stitch::driver
