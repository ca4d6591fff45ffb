// SPDX-License-Identifier: Apache-2.0
// Whether a program is worth anything as a task for outside candidates. Found out once: the answer is kept in the cache
// under the digest of all it follows from.
#pragma once

#include <optional>

#include "artifact/device_kind.h"
#include "driver/import/import_program.h"
#include "toolchain/discovery/toolchain.h"
#include "verify/admission/admission_report.h"

namespace stitch::driver {

struct TaskAdmission {
  verify::AdmissionReport report;
  bool is_cached = false;
};

// Draws and references of the same seed, math mode and device as a verdict's.
Result<TaskAdmission> admission_of(Job& job, const toolchain::Toolchain& tools, const Task& task,
                                   const ImportedProgram& imported, DeviceKind device);
// What was found out before; nothing where nobody asked.
std::optional<verify::AdmissionReport> known_admission(const Job& job, const toolchain::Toolchain& tools,
                                                       const Task& task, const ImportedProgram& imported,
                                                       DeviceKind device);

// {"status", "sentence", "nulls" ..., "cached"}
Json to_json(const TaskAdmission& admission);

}  // namespace stitch::driver
