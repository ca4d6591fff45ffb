// SPDX-License-Identifier: Apache-2.0
// Whether a program can serve as a task for outside candidates. The answer is computed once and kept in the cache under
// the digest of everything it follows from.
#pragma once

#include <cstdint>
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

// What a task is worth does not follow from a verdict's seed: verdicts ask by this one, so that the answer is known
// from before. No candidate runs on these draws, so that nothing is lost where somebody knows them.
inline constexpr uint64_t kAdmissionSeed = 0;

// Draws and references of the same math mode and device as a verdict's.
Result<TaskAdmission> admission_of(Job& job, const toolchain::Toolchain& tools, const Task& task,
                                   const ImportedProgram& imported, DeviceKind device, uint64_t seed = kAdmissionSeed);
// The answer in the cache by the seed that verdicts ask by; nothing where there is none.
std::optional<verify::AdmissionReport> known_admission(const toolchain::Toolchain& tools, const Task& task,
                                                       const ImportedProgram& imported, DeviceKind device);

// {"status", "sentence", "nulls" ..., "cached"}
Json to_json(const TaskAdmission& admission);

}  // namespace stitch::driver
