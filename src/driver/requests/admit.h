// SPDX-License-Identifier: Apache-2.0
// Is a program worth anything as a task? Lets answers that do not do its work try to pass for right ones.
#pragma once

#include "artifact/task/task.h"
#include "driver/admit/admission.h"

namespace stitch::driver {

struct AdmitRequest {
  Task task;
  Options options;
};

struct AdmitReport {
  Sizes sizes;  // that it was looked at
  TaskAdmission admission;
};

Result<AdmitReport> admit(const AdmitRequest& request, const Services& services);

}  // namespace stitch::driver
