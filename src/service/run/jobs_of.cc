// SPDX-License-Identifier: Apache-2.0
#include "service/run/jobs_of.h"

#include <fmt/format.h>

namespace stitch::service {
namespace {

using farm::JobWord;
using Kind = JobWord::Kind;

void add_option(farm::Job& job, std::string text) { job.words.push_back({Kind::kOption, "", std::move(text)}); }

farm::Job job_on_candidate(const AskedOfWorkers& asked, const farm::PlacedFile& program) {
  const EvaluationLimits& limits = asked.request.limits;
  farm::Job job;
  job.files = asked.candidate;
  job.files.push_back(program);
  job.seconds = limits.job_seconds(asked.is_on_gpu && asked.request.is_timed);
  job.memory_bytes = static_cast<uint64_t>(limits.mem_mb) << 20;
  add_option(job, asked.is_on_gpu ? "--device=gpu" : "--device=emulated");
  if (asked.seed.has_value()) {
    add_option(job, fmt::format("--seed={}", *asked.seed));
  }
  return job;
}

// What a refinement is marked by.
void add_refinement(farm::Job& job, const AskedOfWorkers& asked) {
  add_option(job, asked.request.refines ? "--skill=refinement" : "--skill=scratch");
  if (!asked.feedback.empty()) {
    job.files.push_back({"feedback.txt", asked.feedback});
    job.words.push_back({Kind::kInput, "--feedback", "feedback.txt"});
  }
  if (!asked.previous.empty()) {
    job.files.insert(job.files.end(), asked.previous.begin(), asked.previous.end());
    job.words.push_back({Kind::kInput, "--previous", "previous"});
  }
}

farm::Job verify_job(const AskedOfWorkers& asked, const farm::PlacedFile& program, const char* baseline) {
  farm::Job job = job_on_candidate(asked, program);
  job.verb = "verify";
  job.words.push_back({Kind::kInput, "--candidate", "candidate"});
  job.words.push_back({Kind::kInput, "--program", program.place});
  constexpr double kLeastCall = 0.1;
  add_option(job, fmt::format("--call-timeout={:.3f}", std::max(kLeastCall, asked.request.limits.verify_s)));
  if (!asked.request.is_timed) {
    add_option(job, "--no-time");
  } else if (asked.is_on_gpu) {
    add_option(job, fmt::format("--baseline={}", baseline));
  }
  // The emulated device marks what it has just run. On a GPU nobody marks what is to be timed in the same process.
  if (asked.request.is_marked && !asked.is_on_gpu) {
    add_option(job, "--score");
    add_refinement(job, asked);
  }
  return job;
}

farm::Job score_job(const AskedOfWorkers& asked, const farm::PlacedFile& program) {
  farm::Job job = job_on_candidate(asked, program);
  job.verb = "score";
  job.words.push_back({Kind::kInput, "", "candidate"});
  job.words.push_back({Kind::kInput, "--program", program.place});
  add_refinement(job, asked);
  return job;
}

}  // namespace

Result<std::vector<PhaseJob>> jobs_of(const AskedOfWorkers& asked, const farm::Artefacts& artefacts) {
  farm::PlacedFile program;
  program.place = "program/" + (farm::is_place(asked.task.file_name) ? asked.task.file_name : "program.py");
  STITCH_ASSIGN(program.digest, artefacts.put(asked.task.text));
  std::vector<PhaseJob> jobs = {{Phase::kVerify, to_text(verify_job(asked, program, "eager"))}};
  if (asked.is_on_gpu && asked.request.is_timed) {
    jobs.push_back({Phase::kBaseline, to_text(verify_job(asked, program, "compile"))});
  }
  if (asked.request.is_marked && asked.is_on_gpu) {
    jobs.push_back({Phase::kRubric, to_text(score_job(asked, program))});
  }
  for (const PhaseJob& each : jobs) {
    STITCH_TRY(farm::read_job(each.text));  // what a worker would refuse is not submitted
  }
  return jobs;
}

Json to_json(const std::vector<PhaseJob>& jobs) {
  Json list = Json::array();
  for (const PhaseJob& each : jobs) {
    list.push_back({{"phase", to_string(each.phase)}, {"job", each.text}});
  }
  return list;
}

Result<std::vector<PhaseJob>> phase_jobs_from_json(const Json& json) {
  std::vector<PhaseJob> jobs;
  for (const Json& each : json) {
    PhaseJob job;
    STITCH_ASSIGN(const std::string phase, json_string(each, "phase"));
    STITCH_ASSIGN(job.text, json_string(each, "job"));
    job.phase = phase == to_string(Phase::kBaseline) ? Phase::kBaseline
                : phase == to_string(Phase::kRubric) ? Phase::kRubric
                                                     : Phase::kVerify;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace stitch::service
