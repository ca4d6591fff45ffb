// SPDX-License-Identifier: Apache-2.0
// Tests whether a program can serve as a task: whether answers that do not do its work are refused.
#pragma once

#include "artifact/task/task.h"
#include "driver/admit/admission.h"

namespace stitch::driver {

struct AdmitRequest {
  Task task;
  Options options;
  uint64_t seed = kAdmissionSeed;  // of the draws; that of the options plays no part
};

struct AdmitReport {
  Sizes sizes;  // that it was looked at
  TaskAdmission admission;
};

Result<AdmitReport> admit(const AdmitRequest& request, const Services& services);

}  // namespace stitch::driver
