// SPDX-License-Identifier: Apache-2.0
#include "store/interface/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace stitch::store {

const char* to_string(JobClass job_class) { return job_class == JobClass::kBuild ? "build" : "device"; }

const char* to_string(JobState state) {
  switch (state) {
    case JobState::kWaiting:
      return "waiting";
    case JobState::kLeased:
      return "leased";
    case JobState::kDone:
      return "done";
    case JobState::kParked:
      return "parked";
  }
  return "waiting";
}

Result<JobClass> job_class_from_string(const std::string& name) {
  for (const JobClass each : kJobClasses) {
    if (name == to_string(each)) {
      return each;
    }
  }
  return failure(ErrorCode::kUsage, fmt::format("'{}' is no class of jobs", name), "", "say build or device");
}

Result<JobState> job_state_from_string(const std::string& name) {
  for (const JobState each : {JobState::kWaiting, JobState::kLeased, JobState::kDone, JobState::kParked}) {
    if (name == to_string(each)) {
      return each;
    }
  }
  return failure(ErrorCode::kFileInvalid, fmt::format("the store says '{}' of a job, which is no state", name));
}

Result<void> check(const Submission& submission) {
  const auto is_plain = [](char letter) { return letter > ' ' && letter < '\x7f'; };
  if (submission.run.empty() || submission.run.size() > kMaxRunBytes ||
      !std::all_of(submission.run.begin(), submission.run.end(), is_plain)) {
    return failure(ErrorCode::kUsage, "a job's run is no name of printable characters without spaces", submission.run);
  }
  if (submission.content.empty() || submission.content.size() > kMaxContentBytes) {
    return failure(ErrorCode::kUsage,
                   fmt::format("a job has {} bytes and may have 1 to {}", submission.content.size(), kMaxContentBytes),
                   submission.run, "put what is large beside it, as artefacts");
  }
  return {};
}

std::string parked_sentence(int deliveries, const std::string& worker, const std::string& why) {
  return fmt::format("{} workers took this job and none ended it; of the last, {}: {}", deliveries, worker, why);
}

}  // namespace stitch::store
