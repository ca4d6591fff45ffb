// SPDX-License-Identifier: Apache-2.0
// What a job needs, and how far it is.
#pragma once

#include <string>

#include "base/error/result.h"

namespace stitch::store {

enum class JobClass { kBuild, kDevice };  // any processor; a device that is its own
enum class JobState { kWaiting, kLeased, kDone, kParked };

// "build", "device"; "waiting", "leased", "done", "parked": the names that stores keep.
const char* to_string(JobClass job_class);
const char* to_string(JobState state);
Result<JobClass> job_class_from_string(const std::string& name);
Result<JobState> job_state_from_string(const std::string& name);

inline constexpr JobClass kJobClasses[] = {JobClass::kBuild, JobClass::kDevice};

}  // namespace stitch::store
