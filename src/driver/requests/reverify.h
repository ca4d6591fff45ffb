// SPDX-License-Identifier: Apache-2.0
// Repeats the verdict of a folder from its evidence alone: the program's source as it was judged, the emitted sources,
// seed and scale; on this machine, which may be another one. Says what agrees.
#pragma once

#include <filesystem>

#include "artifact/task/task.h"
#include "driver/job/job.h"
#include "evaluate/pipeline/evaluate.h"
#include "runs/evidence/agreement.h"
#include "runs/evidence/manifest.h"

namespace stitch::driver {

struct ReverifyRequest {
  std::filesystem::path folder;
  Options options;  // seed and scale are those of the verdict on record
};

struct ReverifyReport {
  Task task;
  DeviceKind device = DeviceKind::kEmulated;
  DeviceKind recorded_device = DeviceKind::kEmulated;
  runs::ManifestCheck manifest;
  evaluate::EvaluateReport report;
  runs::Agreement agreement;
};

// kFileInvalid for a folder that is not as it was written.
Result<ReverifyReport> reverify(const ReverifyRequest& request, const Services& services);

// "41 files are as they were written (manifest 0123456789abcdef)"
std::string describe(const runs::ManifestCheck& check);

}  // namespace stitch::driver
